import { type Attempt, endsAtMs } from "../../core/attempt.ts";
import { compare, ZERO } from "../../core/decimal.ts";
import {
  areFillsAll,
  BEHIND_MS,
  type CancelsWord,
  CLOCK_DOUBT_MS,
  goesPast,
  isGoneByCancels,
  WITNESSES_NEEDED,
} from "../../core/evidence.ts";
import { keptMoment } from "../../core/kept-moment.ts";
import { dexOf } from "../../core/market.ts";
import { type Filled, isSaidOver, type Leg, type LegState, wereFillsMissing } from "../../core/order.ts";
import type { ToLook, With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { sumFillsOf } from "../../store/fills.ts";
import { findProvenWholeTo } from "../../store/short-of-fills.ts";
import type { FrontendOrder, OrderRecord } from "../../wire/answer/order-status.ts";
import { statusMeaning } from "../../wire/answer/status-words.ts";
import { isCarriedOut } from "../cancel/cancel.ts";
import { NOTHING_FILLED } from "../fills/fill-pages.ts";
import { interpretOrder, type Sight, type Sought } from "../look/look.ts";
import type { Sweep } from "../look/sweep.ts";
import type { Sweeps } from "../look/sweeps.ts";
import { mayHaveFills, mayHaveFired } from "../look/unnamed.ts";
import { differenceFrom } from "./difference.ts";
import type { FillEvidence } from "./fill-evidence.ts";
import { compareHolding, isSettled, SETTLED_AFTER_MS } from "./position-check.ts";

/**
 * Orders that rested by the exchange's own word and of which it has no record any more: it keeps about the newest 2,000
 * records of an account, and has been seen to lose some sooner. Where lists of open orders lack it as well, for longer than
 * servers are behind, nobody knows whether it lives. That it is over is said by a list that itself holds one from after the last moment at which it can have been
 * placed, or by the exchange's own answer to a cancel; what was filled of it, by an index that is complete up to then, or by a position that stands where the known fills left it.
 */
export type Vanished = {
  /**
   * Looks for an order that a look-up by id has just missed; perhaps over until enough answers say that it is. Where
   * cancels found nothing either, by readings of the list of markets, one answer is enough, and after minutes none is needed.
   */
  look(sought: Sought, cancels?: CancelsWord | null): Promise<Sight>;
  /** It has been shown: what missed it before was behind. */
  shown(cloid: string): void;
};

/** Shortest time between two answers that count, milliseconds. */
const SPACING_MS = 10_000;
/** Orders whose answers are remembered; past it the oldest starts over. */
const MAX_REMEMBERED = 10_000;

/** What the exchange has shown, or said that it has canceled. */
const HAD_RESTED: ReadonlySet<LegState> = new Set(["resting", "armed", "closing"]);

/**
 * Times of the exchange, unix milliseconds. `sinceMs`: when it was there; `overByMs`: by when it was over, null while
 * nothing has said that it is. `count`: answers that lack it and hold something newer.
 */
type MissedLook = {
  sinceMs: number;
  /** We have not placed it. */
  isOfElsewhere: boolean;
  /** Of the first look that missed it, by our monotonic clock, milliseconds. */
  sinceElapsedMs: number;
  lastElapsedMs: number | null;
  count: number;
  overByMs: number | null;
  unmoved: number;
  /** Since when its market is shown as settled, by our monotonic clock; null where the last look did not show that. */
  settledSinceMs: number | null;
};

export function openVanished(world: ToLook & With<"markets">, evidence: FillEvidence, sweeps: Sweeps): Vanished {
  const missed = new Map<string, MissedLook>();

  function remember(leg: Leg): MissedLook {
    const known = missed.get(leg.cloid);
    if (known !== undefined) return asOfNow(world, known);
    const oldest = missed.keys().next().value;
    if (missed.size >= MAX_REMEMBERED && oldest !== undefined) missed.delete(oldest);
    const fresh = firstMissed(world, leg);
    missed.set(leg.cloid, fresh);
    return fresh;
  }

  return {
    shown: (cloid) => void missed.delete(cloid),
    async look(sought, cancels = null) {
      const { leg, user, accountId } = sought;
      if (!HAD_RESTED.has(leg.state)) return { kind: "not_found" };
      const memory = remember(leg);
      const nowMs = world.clock.elapsedMs();
      if (memory.lastElapsedMs !== null && nowMs - memory.lastElapsedMs < SPACING_MS) return { kind: "not_found" };
      memory.lastElapsedMs = nowMs;
      const sweep = await sweeps.read({ user, accountId }, { purpose: "settle", onNewConnection: true });
      if (sweep === "failed" || sweep === "no_room")
        return { kind: "failed", reason: "the list of open orders could not be read" };
      // Every dex has a list of its own, that may be behind by itself.
      const list = sweep.open.filter(({ coin }) => dexOf(coin) === dexOf(sought.market));
      if (list.some((order) => isOwn(sought, order))) {
        missed.delete(leg.cloid);
        // Whatever else says that it is over: what shows it outweighs that.
        return { kind: "not_found" };
      }
      const shown = shownOtherwise(sought, sweep);
      if (shown !== null) {
        missed.delete(leg.cloid);
        return interpretOrder(world, evidence, shown.as, { ...shown.record, options: SETTLE, isOfHistory: true });
      }
      // A cancel by client order id that was carried out may have met that one.
      if (isSaidOver(leg) && showsAnothers(sought, sweep)) return { kind: "not_found" };
      if (goesPast(list, memory.sinceMs)) memory.count += 1;
      const isNotThere = cancels !== null && cancels.readings >= WITNESSES_NEEDED;
      const hasFired = mayHaveFired(world, sought, sweep, placedMs(world, leg));
      const isGone = leg.oid !== null && isGoneByCancels(cancels, hasFired, nowMs - memory.sinceElapsedMs);
      const isOver = isSaidOver(leg) || isGone || memory.count >= (isNotThere ? 1 : WITNESSES_NEEDED);
      // When it was first missed it may have lived, and have been filled after that.
      const byNowMs = world.exchange.nowMs() + CLOCK_DOUBT_MS;
      if (isOver || memory.count > 0) memory.overByMs = keptMoment(memory.overByMs, byNowMs);
      if (!isOver) return memory.count > 0 || isOfLater(world, memory) ? PERHAPS_OVER : { kind: "not_found" };
      // Of before its end a position is no word: it may come from where the fills come from. It has to stand where those leave
      // it that are kept: its size is their sum.
      const sinceMs = memory.overByMs ?? byNowMs;
      const position = await compareHolding(world, { ...sought, read: [], sinceMs }, SETTLE);
      memory.unmoved = position === "unmoved" ? memory.unmoved + 1 : 0;
      const isWithoutMarket =
        position === "moved" && !hasFired && (await isSettled(world, { ...sought, sinceMs }, SETTLE));
      memory.settledSinceMs = isWithoutMarket ? (memory.settledSinceMs ?? nowMs) : null;
      if (!isSizeKnown(world, sought, memory) && !isSettledLong(leg, memory, nowMs)) return over(leg.oid);
      // Some answers to triggers name no id, and without it nobody can say of every fill whose it is.
      if (leg.oid === null && mayHaveFills(world, sought, sweep.fills)) return over(null);
      missed.delete(leg.cloid);
      const named = leg.oid === null ? null : { ...sought, oid: leg.oid };
      return gone(world, leg, named === null ? NOTHING_FILLED : sumFillsOf(world.store, accountId, named));
    },
  };
}

/** One that was placed elsewhere was there when it was first missed. */
function firstMissed(world: With<"clock" | "exchange" | "store">, leg: Leg): MissedLook {
  const placing = placingOf(world, leg);
  const isOfElsewhere = placing === undefined;
  const sinceMs = isOfElsewhere ? world.exchange.nowMs() + CLOCK_DOUBT_MS : endsAtMs(placing);
  const nothing = { lastElapsedMs: null, overByMs: null, count: 0, unmoved: 0, settledSinceMs: null };
  return { sinceMs, isOfElsewhere, sinceElapsedMs: world.clock.elapsedMs(), ...nothing };
}

/** That moment is no later than now: the exchange's time may have been read ahead. */
function asOfNow({ exchange }: With<"exchange">, memory: MissedLook): MissedLook {
  if (memory.isOfElsewhere) memory.sinceMs = keptMoment(memory.sinceMs, exchange.nowMs() + CLOCK_DOUBT_MS);
  return memory;
}

function placingOf({ store }: With<"store">, { cloid, orderId }: Pick<Leg, "cloid" | "orderId">): Attempt | undefined {
  return listAttemptsOf(store, orderId).find((attempt) => attempt.cloid === cloid);
}

/** Exchange time before which it cannot have been placed, unix milliseconds: a nonce is the time of its making. */
function placedMs(world: With<"store">, leg: Leg): number {
  return (placingOf(world, leg)?.nonce ?? CLOCK_DOUBT_MS) - CLOCK_DOUBT_MS;
}

/** Two answers apart lack it, and no server is so far behind that it would not show what was there so long before. */
function isOfLater({ exchange, clock }: With<"clock" | "exchange">, { sinceMs, sinceElapsedMs }: MissedLook): boolean {
  return clock.elapsedMs() - sinceElapsedMs >= SPACING_MS && exchange.nowMs() - sinceMs >= BEHIND_MS;
}

/** What the history says of it last; it may know what the look-up by id has forgotten. */
export function recordOf({ history }: Sweep, leg: Pick<Leg, "oid" | "cloid">): OrderRecord | null {
  return newestOf(history.filter(({ order }) => isOf(leg, order)));
}

function newestOf(records: readonly OrderRecord[]): OrderRecord | null {
  return records.reduce<OrderRecord | null>(
    (last, record) => (last === null || record.statusTimestampMs > last.statusTimestampMs ? record : last),
    null,
  );
}

/** What a sweep tells of it all the same: that it stands under another number, or how it ended. */
function shownOtherwise(sought: Sought, sweep: Sweep): { as: Sought; record: OrderRecord } | null {
  const { leg } = sought;
  const renamed = underAnotherId(sought, sweep);
  if (renamed !== null) return { as: { ...sought, leg: { ...leg, oid: renamed.order.oid } }, record: renamed };
  const record = newestOf(sweep.history.filter(({ order }) => isOwn(sought, order)));
  // That of its placing is kept where that of its end is lost, and tells nothing of now.
  return record !== null && statusMeaning(record.status) !== "open" ? { as: sought, record } : null;
}

/**
 * What is shown of it under another number than its answer had named, and no list knows: an order under our client order id with
 * just the terms that we asked for is ours. Null where there is none. What a trigger places may have a number of its own besides.
 */
function underAnotherId(sought: Sought, { open, history }: Sweep): OrderRecord | null {
  const { leg } = sought;
  if (leg.oid === null || leg.trigger !== null) return null;
  const unnamed = { ...sought, leg: { ...leg, oid: null } };
  const isOurs = (order: FrontendOrder) => order.oid !== leg.oid && differenceFrom(unnamed, order) === null;
  const listed = open.find(isOurs);
  if (listed !== undefined) return { order: listed, status: "open", statusTimestampMs: listed.timestampMs };
  return newestOf(history.filter(({ order }) => isOurs(order)));
}

/** Under its client order id alone another's order is none of it, unless it may be ours gone wrong. */
function isOwn(sought: Sought, order: FrontendOrder): boolean {
  if (!isOf(sought.leg, order)) return false;
  return sought.leg.oid !== null || differenceFrom(sought, order)?.mayBeOurs !== false;
}

/** Another's order under its client order id, which nothing but that would name. */
function showsAnothers(sought: Sought, { open, history }: Sweep): boolean {
  const shown = [...open, ...history.map(({ order }) => order)];
  return sought.leg.oid === null && shown.some((order) => isOf(sought.leg, order) && !isOwn(sought, order));
}

function isOf({ oid, cloid }: Pick<Leg, "oid" | "cloid">, order: FrontendOrder): boolean {
  return oid === null ? order.cloid === cloid : order.oid === oid;
}

const PERHAPS_OVER: Sight = {
  kind: "unfinished",
  untouched: null,
  isUnclear: true,
  events: [{ type: "perhaps_over", because: "no_record" }],
};

const SETTLE = { purpose: "settle" } as const;

/** It is over, and how much of it was filled is not known yet. */
function over(oid: string | null): Sight {
  return { kind: "unfinished", events: [{ type: "closing", oid }], untouched: null };
}

/** A position stands still also where fills that are not shown make up for one another: of those that its record told it is no word. */
function isSizeKnown(world: With<"store">, sought: Sought, memory: MissedLook): boolean {
  const { leg, accountId } = sought;
  if (!wereFillsMissing(leg)) return memory.unmoved >= WITNESSES_NEEDED || areFillsKnown(world, sought, memory);
  const filled = sumFillsOf(world.store, accountId, { ...sought, oid: leg.oid ?? "" });
  return filled.size !== ZERO && areFillsKnown(world, sought, memory);
}

/** Fills that a sweep of minutes after its end lacks are none; that its market was settled is why its position does not stand where they leave it. */
function isSettledLong(leg: Leg, { settledSinceMs }: MissedLook, nowMs: number): boolean {
  return !wereFillsMissing(leg) && settledSinceMs !== null && nowMs - settledSinceMs >= SETTLED_AFTER_MS;
}

/** The index of fills has been read beyond its end: a feed tells nothing of before it was there. */
function areFillsKnown(world: With<"store">, { accountId }: Sought, { overByMs }: MissedLook): boolean {
  return overByMs !== null && areFillsAll(findProvenWholeTo(world.store, accountId), overByMs);
}

const NO_RECORD = "The exchange lists it as open no longer and keeps no record of it";

/**
 * What may have become of it instead. One that was never shown has nothing for itself but that a cancel of it was carried out; one that fires may
 * be refused, where no cancel of ours has closed it.
 */
function otherwise(world: With<"store">, leg: Leg): string {
  if (leg.oid === null) return ": it was canceled, or refused when it arrived";
  return leg.trigger !== null && !isCarriedOut(world, leg) ? ": it was canceled, or refused when it fired" : "";
}

function gone(world: With<"store">, leg: Leg, filled: Filled): Sight {
  const { oid } = leg;
  const isWhole = oid !== null && compare(filled.size, leg.size) >= 0;
  const reason = filled.size === "0" ? `${NO_RECORD}${otherwise(world, leg)}.` : `${NO_RECORD}.`;
  return {
    kind: "seen",
    isClosed: true,
    events: [isWhole ? { type: "filled", oid, filled } : { type: "canceled", oid, reason, filled }],
  };
}
