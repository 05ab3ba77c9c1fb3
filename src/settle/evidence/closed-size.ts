import { compare, type Decimal } from "../../core/decimal.ts";
import { type Agreement, agreementOf, type CloseReading, type PositionWord } from "../../core/evidence.ts";
import { dexOf, isSpot } from "../../core/market.ts";
import type { Filled, OrderTerms } from "../../core/order.ts";
import type { ToLook, With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { findFillCursor, sumFillsOf } from "../../store/fills.ts";
import { sentSinceMs } from "../../store/short-of-fills.ts";
import type { Fill } from "../../wire/answer/fills.ts";
import type { FrontendOrder, OrderRecord } from "../../wire/answer/order-status.ts";
import { statusMeaning } from "../../wire/answer/status-words.ts";
import { filledOrder, fillsOfOrder, sumFills } from "../fills/fill-pages.ts";
import type { FillEvidence } from "./fill-evidence.ts";
import { comparePictured, listUnread, wordOf } from "./position-check.ts";

/**
 * What a closed order is known to have been filled, and whether that is all. `untouched`: nothing, as far as record and
 * fills show, and not for long enough yet to be final. `missing`: its record tells of more than the fills show.
 */
export type ClosedSize = { filled: Filled; isAll: "yes" | "not_yet" | "untouched" | "missing" | "disputed" };

/** An order that the exchange shows as closed, ours or not. */
export type ClosedOrder = {
  /** The trading address. */
  user: string;
  accountId: string;
  /** What its readings are gathered under. */
  name: string;
  asked: Decimal;
  isReduceOnly: boolean;
  mayFallShort: boolean;
  /** A modify has put another in its place, and goes on whatever was filled of it. */
  isReplaced: boolean;
};

/** Its record, and how it was asked. */
type SeenClosed = OrderRecord & { options: InfoOptions; isEndUnsaid?: true };

/** Compares the record of a closed order with its fills, and where they do not complete one another with what else tells. */
export async function readClosedSize(
  world: ToLook,
  evidence: FillEvidence,
  closed: ClosedOrder,
  seen: SeenClosed,
): Promise<ClosedSize | "failed"> {
  const { user, accountId } = closed;
  const indexed = sumFillsOf(world.store, accountId, filledOrder(seen.order));
  const isEnough = isEnoughKnown(world, closed, seen, indexed);
  const read = isEnough
    ? { filled: indexed, isWitnessed: false, fills: [], isShort: false }
    : await readAll(world, evidence, closed, { ...seen, indexed });
  if (read === "failed") return "failed";
  const { filled, isWitnessed, fills, isShort } = read;
  const agreement = agreementOf(closeReading(closed, seen, filled));
  const about = { user, accountId, market: seen.order.coin, read: fills, sinceMs: seen.statusTimestampMs };
  const isAsked = agreement === "untouched" || agreement === "short" || agreement === "over";
  const asked = { agreement, about, options: seen.options };
  const word = isAsked ? await positionOf(world, evidence, closed, asked) : "unknown";
  // Pages that end before its close are no quiet account: only a position of after it tells what they lack.
  const position = isShort && word === "unknown" ? "behind" : word;
  const sinceCloseMs = world.exchange.nowMs() - seen.statusTimestampMs;
  const elapsedMs = world.clock.elapsedMs();
  const reading = { agreement, filled: filled.size, elapsedMs, sinceCloseMs, isWitnessed, position };
  switch (evidence.judge(closed.name, reading)) {
    case "final":
      return { filled, isAll: "yes" };
    case "disputed":
      return { filled, isAll: "disputed" };
    case "open":
      if (agreement === "silent" || agreement === "missing") return { filled, isAll: "missing" };
      return { filled, isAll: agreement === "untouched" && position !== "moved" ? "untouched" : "not_yet" };
  }
}

type ComparingSize = {
  agreement: Agreement;
  about: Parameters<typeof comparePictured>[1];
  options: InfoOptions;
};

/** What was replaced untouched needs no proof of it: a fill that is shown late is heeded then. */
async function positionOf(
  world: With<"clock" | "exchange" | "feeds" | "picture" | "store">,
  evidence: FillEvidence,
  { isReplaced }: ClosedOrder,
  { agreement, about, options }: ComparingSize,
): Promise<PositionWord> {
  const { user, market, sinceMs } = about;
  const isHintEnough = isReplaced && agreement === "untouched" && world.feeds.isLive(user);
  if (isHintEnough) return comparePictured(world, about);
  // Spot has balances, which other things move as well.
  if (isSpot(market)) return "unknown";
  const asked = { user, dex: dexOf(market), sinceMs };
  const state = await evidence.positions.after(world, asked, options);
  return state === null ? "unknown" : wordOf(world, about, state);
}

function closeReading(closed: ClosedOrder, seen: SeenClosed, filled: Filled): CloseReading {
  const { order, status, isEndUnsaid = false } = seen;
  const { asked, isReduceOnly, mayFallShort } = closed;
  return {
    asked,
    rest: isEndUnsaid ? null : order.size,
    filled: filled.size,
    isReduceOnly,
    mayFallShort,
    isFilled: statusMeaning(status) === "filled",
  };
}

/** These may close as filled with less than they asked for; every other order is filled whole. */
export function mayFallShort(
  { timeInForce, reduceOnly, trigger }: Pick<OrderTerms, "timeInForce" | "reduceOnly" | "trigger">,
  order: FrontendOrder,
): boolean {
  return timeInForce === "ioc" || reduceOnly || trigger?.market === true || order.tif === "Ioc";
}

/** A live stream tells every fill; what the index and the record complete needs no question either. */
function isEnoughKnown(world: With<"feeds">, closed: ClosedOrder, seen: SeenClosed, indexed: Filled): boolean {
  const agreement = agreementOf(closeReading(closed, seen, indexed));
  return agreement === "agreed" || (agreement === "untouched" && world.feeds.isLive(closed.user));
}

/** So many of an account the exchange keeps: an answer with as many may have dropped older ones. */
const FILLS_KEPT = 10_000;

/** `isShort`: there are more pages than were read, and these end before its close. */
type ReadFills = { filled: Filled; isWitnessed: boolean; fills: readonly Fill[]; isShort: boolean };

async function readAll(
  world: With<"clock" | "exchange" | "feeds" | "settings" | "store">,
  evidence: FillEvidence,
  closed: ClosedOrder,
  seen: SeenClosed & { indexed: Filled },
): Promise<ReadFills | "failed"> {
  const { user, accountId } = closed;
  const { order, statusTimestampMs, options, indexed } = seen;
  // From where the index ends: what it lacks has moved the position as well.
  const indexedToMs = findFillCursor(world.store, accountId) ?? order.timestampMs;
  const sumOf = (fills: readonly Fill[]) => sumFills(fillsOfOrder(fills, order));
  const isEnough = (fills: readonly Fill[]) => agreementOf(closeReading(closed, seen, sumOf(fills))) === "agreed";
  const sinceMs = Math.min(order.timestampMs, indexedToMs);
  const read = await evidence.fills.since(world, { user, sinceMs, isEnough }, options);
  if (read === "failed") return "failed";
  const { fills, wholeToMs, isToEnd } = read;
  evidence.heedFills(accountId, fills);
  const isReachingPast = wholeToMs !== null && wholeToMs > statusTimestampMs;
  // What lacks a fill that was told lacks others as well.
  const isPastClose =
    isReachingPast && sentSinceMs(world.store, listUnread(world.store, { accountId, read: fills })) > statusTimestampMs;
  const sum = sumOf(fills);
  // Each knows of fills that the other does not show yet; neither takes one back.
  const filled = compare(indexed.size, sum.size) > 0 ? indexed : sum;
  const isWitnessed = fills.length < FILLS_KEPT && isPastClose;
  return { filled, isWitnessed, fills, isShort: !isToEnd && !isReachingPast };
}
