import { compare } from "../core/decimal.ts";
import { agreementOf, type CloseReading } from "../core/evidence.ts";
import type { Filled } from "../core/order.ts";
import type { World } from "../deps.ts";
import { findCompleteTo, sumFillsOf } from "../store/fills.ts";
import type { Fill } from "../wire/answer/fills.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { statusMeaning } from "../wire/answer/status-words.ts";
import type { FillEvidence } from "./fill-evidence.ts";
import { readFillsSince, sumFills } from "./fill-pages.ts";
import type { Answered, Sought } from "./look.ts";
import { comparePosition } from "./position-check.ts";

/**
 * What a closed order is known to have been filled, and whether that is all. `untouched`: nothing, as far as record and
 * fills show, and not for long enough yet to be final.
 */
export type ClosedSize = { filled: Filled; isAll: "yes" | "not_yet" | "untouched" | "disputed" };

/** Compares the record of a closed order with its fills, and where they do not complete one another with what else tells. */
export async function readClosedSize(
  world: World,
  evidence: FillEvidence,
  sought: Sought,
  seen: Answered,
): Promise<ClosedSize | "failed"> {
  const indexed = sumFillsOf(world.store, sought.accountId, seen.order.oid);
  const isEnough = isEnoughKnown(world, sought, seen, indexed);
  const read = isEnough
    ? { filled: indexed, isWitnessed: false, fills: [] }
    : await readFills(world, sought, seen, indexed);
  if (read === "failed") return "failed";
  const { filled, isWitnessed, fills } = read;
  const agreement = agreementOf(closeReading(sought, seen, filled));
  const about = { ...sought, read: fills };
  const isAsked = agreement === "untouched" || agreement === "short" || agreement === "over";
  const position = isAsked ? await comparePosition(world, about, seen.options) : "unknown";
  const reading = { agreement, filled: filled.size, elapsedMs: world.clock.elapsedMs(), isWitnessed, position };
  switch (evidence.judge(sought.leg.cloid, reading)) {
    case "final":
      return { filled, isAll: "yes" };
    case "disputed":
      return { filled, isAll: "disputed" };
    case "open":
      return { filled, isAll: agreement === "untouched" && position !== "moved" ? "untouched" : "not_yet" };
  }
}

function closeReading(sought: Sought, { order, status }: Answered, filled: Filled): CloseReading {
  return {
    ...{ asked: sought.leg.size, rest: order.size, filled: filled.size },
    ...{ isFilled: statusMeaning(status) === "filled", isReduceOnly: sought.reduceOnly },
    mayFallShort: mayFallShort(sought, order),
  };
}

/** These may close as filled with less than they asked for; every other order is filled whole. */
export function mayFallShort({ leg, reduceOnly }: Sought, order: FrontendOrder): boolean {
  return leg.timeInForce === "ioc" || reduceOnly || leg.trigger?.market === true || order.tif === "Ioc";
}

/** A live stream tells every fill; what the index and the record complete needs no question either. */
function isEnoughKnown(world: World, sought: Sought, seen: Answered, indexed: Filled): boolean {
  const agreement = agreementOf(closeReading(sought, seen, indexed));
  return agreement === "agreed" || (agreement === "untouched" && world.feeds.isLive(sought.user));
}

/** So many of an account the exchange keeps: an answer with as many may have dropped older ones. */
const FILLS_KEPT = 10_000;

type ReadFills = { filled: Filled; isWitnessed: boolean; fills: readonly Fill[] };

async function readFills(world: World, sought: Sought, seen: Answered, indexed: Filled): Promise<ReadFills | "failed"> {
  const { user, accountId } = sought;
  const { order, statusTimestampMs, options } = seen;
  // From where the index ends: what it lacks has moved the position as well.
  const indexedToMs = findCompleteTo(world.store, accountId) ?? order.timestampMs;
  const sumOf = (fills: readonly Fill[]) => sumFills(fills.filter(({ oid }) => oid === order.oid));
  const isEnough = (fills: readonly Fill[]) => agreementOf(closeReading(sought, seen, sumOf(fills))) === "agreed";
  const sinceMs = Math.min(order.timestampMs, indexedToMs);
  const fills = await readFillsSince(world, { user, sinceMs, isEnough }, options);
  if (fills === "failed") return "failed";
  const sum = sumOf(fills);
  // Each knows of fills that the other does not show yet; neither takes one back.
  const filled = compare(indexed.size, sum.size) > 0 ? indexed : sum;
  const isWitnessed = fills.length < FILLS_KEPT && fills.some(({ timeMs }) => timeMs > statusTimestampMs);
  return { filled, isWitnessed, fills };
}
