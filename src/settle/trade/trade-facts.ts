import type { Attempt } from "../../core/attempt.ts";
import { closedOfOthers, type TradeFill } from "../../core/closed-of-others.ts";
import { compare, type Decimal, decimal, isNegative, isZero, subtract, sum, ZERO } from "../../core/decimal.ts";
import { isClosed, isEndContradicted, isRefused, type Leg, wasTaken } from "../../core/order.ts";
import { type GuardKind, nameOfTrade, type Trade } from "../../core/trade.ts";
import { isTrusted, type Part, type TradeFacts } from "../../core/trade-step.ts";
import type { With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { listFillsOf } from "../../store/fills.ts";
import { listLegs } from "../../store/legs.ts";
import type { Store } from "../../store/open.ts";
import { findOrder, type StoredOrder } from "../../store/orders.ts";
import { findStopOf, hasStopSince, isUnprotectedByStop } from "../../store/stops.ts";
import { findTrade, listGuards } from "../../store/trades.ts";
import { whileUnchanged } from "../../store/while-unchanged.ts";
import { wasRefused } from "../cancel/cancel.ts";

export type ToJudgeTrade = With<"clock" | "picture" | "store">;

/** A stop that a look has shown to wait, which changes no row of it, and when by this machine's clock, unix milliseconds. */
export type StopShown = { orderId: string; atMs: number };

export type TradeRead = {
  /** What the account holds; null where nobody has read it. */
  position: Decimal | null;
  stopShown: StopShown | null;
  /** Of its market, asked for where the stop was refused because of it. */
  mark: Decimal | null;
  /** By order: so long nobody has known what became of it, milliseconds. */
  unsettledForMs: ReadonlyMap<string, number>;
};

export const NOTHING_READ: TradeRead = { position: null, stopShown: null, mark: null, unsettledForMs: new Map() };

/** What of a trade stands in rows. */
export type TradeRows = {
  trade: Trade;
  /** Null too where it was taken back, because it had never left. */
  entryOrder: StoredOrder | null;
  entry: Part | null;
  stops: readonly Guarding[];
  profits: readonly Guarding[];
  /** Null while it is not known: not all that the entry has filled is listed. */
  closedOfOthers: Decimal | null;
  isWithdrawn: boolean;
};

type Guarding = { part: Part; user: string | null; oid: string | null };

/** Each trade that lives asks four times a second, and nearly always finds everything as it was. For outside of transactions. */
export const rowsWhileUnchanged = whileUnchanged<TradeRows | null>((store, id) => {
  const trade = findTrade(store, id);
  return trade === null ? null : rowsOf(store, trade);
});

export function rowsOf(store: Store, trade: Trade): TradeRows {
  const entryOrder = trade.entryId === null ? null : findOrder(store, trade.entryId);
  const user = findAccount(store, trade.accountId)?.tradingAddress ?? null;
  const guarding = (as: GuardKind) =>
    listGuards(store, trade, as).map((order) => ({
      part: partOf(store, trade, order),
      user,
      oid: order.exchangeOrderId,
    }));
  const stops = guarding("stop");
  const profits = guarding("profit");
  return {
    trade,
    entryOrder,
    entry: entryOrder === null ? null : asOfEntry(partOf(store, trade, entryOrder)),
    stops,
    profits,
    closedOfOthers: closedOfOthersBy(store, entryOrder, [...stops, ...profits]),
    isWithdrawn: isUnprotectedByStop(store, trade.accountId, trade.keyHash),
  };
}

/** What a trade is judged by: its rows, as they are now where they are not given, and what was read beside them. */
export function factsOf(
  world: ToJudgeTrade,
  trade: Trade,
  { position, stopShown, mark, unsettledForMs }: TradeRead,
  rows: TradeRows = rowsOf(world.store, trade),
): TradeFacts {
  const nowMs = world.clock.nowMs();
  const guardNow = (guarding: Guarding): Part => {
    const part = guardOf(world, guarding);
    return part.state === "unsettled" ? { ...part, unsettledForMs: unsettledForMs.get(part.orderId) ?? 0 } : part;
  };
  const stops = rows.stops.map((guarding) => shownBy(guardNow(guarding), stopShown, nowMs));
  const newestKnown = stops.slice(0, trade.replacedStops ?? 0).findLastIndex(({ wasTaken }) => wasTaken);
  return {
    entry: rows.entry,
    stops: stops.map((stop, index) => ({ ...stop, mayBeReplaced: index < newestKnown })),
    profits: rows.profits.map(guardNow),
    closedOfOthers: rows.closedOfOthers ?? ZERO,
    isClosingUnclear: rows.closedOfOthers === null,
    position,
    mark,
    isWithdrawn: rows.isWithdrawn,
    nowMs,
  };
}

/**
 * A stop of any cause that came after it wants no entry that has not been sent. Most say so themselves (`beginStop`). Of those that were
 * made while no gateway ran, one that stands came after it, or it would have refused the trade; of the others their time says it.
 */
export function isStoppedSince(
  { store, clock }: With<"clock" | "store">,
  { accountId, keyHash, createdAtMs }: Trade,
): boolean {
  if (findStopOf(store, accountId, keyHash) !== null) return true;
  return hasStopSince(store, { accountId, keyHash, sinceMs: createdAtMs, untilMs: clock.nowMs() });
}

/** One that the feed has told fired or over protects nothing, though no look has proven its end yet. */
function guardOf({ picture }: ToJudgeTrade, { part, user, oid }: Guarding): Part {
  const told = user === null || oid === null ? null : picture.toldOf(user, oid);
  return (told?.isOver === true || told?.hasFired === true) && part.state === "waiting"
    ? { ...part, state: "unsettled" }
    : part;
}

function shownBy(part: Part, shown: StopShown | null, nowMs: number): Part {
  return part.orderId !== shown?.orderId || isTrusted(part, nowMs) ? part : { ...part, shownAtMs: shown.atMs };
}

/** Null while not all that the entry has filled is listed: what a guard met is not known before. */
function closedOfOthersBy(store: Store, entry: StoredOrder | null, guards: readonly Guarding[]): Decimal | null {
  const closing = guards.filter(({ part }) => !isZero(part.filled));
  if (entry === null || isZero(entry.filledSize ?? ZERO) || closing.length === 0) return ZERO;
  const entered = fillsOf(store, entry, entry.id, true);
  if (compare(sum(entered.map(({ size }) => size)), entry.filledSize ?? ZERO) < 0) return null;
  return closedOfOthers([...entered, ...closing.flatMap(({ part }) => fillsOf(store, entry, part.orderId, false))]);
}

function fillsOf(
  store: Store,
  { accountId, market }: Pick<StoredOrder, "accountId" | "market">,
  orderId: string,
  isOfEntry: boolean,
): TradeFill[] {
  const oids = listLegs(store, orderId).flatMap(({ oid }) => (oid === null ? [] : [oid]));
  const fills = oids.flatMap((oid) => listFillsOf(store, accountId, oid)).filter((fill) => fill.market === market);
  return fills.map(({ timeMs, size }) => ({ timeMs, size, isOfEntry }));
}

/** Its stop stays while a copy of it may still be filled. */
function asOfEntry(part: Part): Part {
  return part.isNumberUnused && part.state === "over" ? { ...part, state: "unsettled" } : part;
}

function partOf(store: Store, trade: Trade, order: StoredOrder): Part {
  const legs = listLegs(store, order.id);
  const attempts = listAttemptsOf(store, order.id);
  const cancels = attempts.filter(
    ({ kind, idempotencyKey }) => kind === "cancel" && idempotencyKey === nameOfTrade(trade),
  );
  const left = legs.filter((leg) => !isClosed(leg)).map((leg) => subtract(leg.size, leg.filledSize));
  const refused = legs.findLast(isRefused);
  return {
    orderId: order.id,
    state: stateOf(
      order,
      attempts.some(({ kind, state }) => kind !== "cancel" && state !== "done"),
    ),
    remaining: sum(left.filter((size) => !isNegative(size))),
    filled: order.filledSize ?? ZERO,
    isLeaving: cancels.some((cancel) => !wasRefused(cancel)),
    cancelRefusedAtMs: cancels.findLast(wasRefused)?.settledAtMs ?? null,
    mayBeReplaced: false,
    size: decimal(order.size),
    triggerPrice: order.trigger?.price ?? null,
    price: order.price,
    wasTaken: legs.some(wasTaken),
    refusal: legs.some(wasTaken) ? null : (refused?.reason ?? null),
    isNumberUnused: legs.some((leg) => isNumberUnused(leg, attempts)),
    error: order.error,
    createdAtMs: order.createdAtMs,
    shownAtMs: order.seenAtMs,
    unsettledForMs: 0,
    isListed: legs.some(isEndContradicted),
  };
}

function isNumberUnused({ state, cloid }: Leg, attempts: readonly Attempt[]): boolean {
  return (
    state === "absent" && attempts.some((each) => each.cloid === cloid && each.state === "done" && each.seal === null)
  );
}

function stateOf({ status }: StoredOrder, isPlacingOut: boolean): Part["state"] {
  switch (status) {
    case "processing":
    case "unknown":
      return "unsettled";
    case "waiting_for_trigger":
      return "waiting";
    case "open":
      return "working";
    case "filled":
    case "canceled":
    case "rejected":
      // What a modify has sent may still arrive.
      return isPlacingOut ? "unsettled" : "over";
  }
}
