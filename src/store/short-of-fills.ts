/**
 * Orders of which more was filled, by the exchange's own answers, than the fills that are kept come to: a list of fills is not whole as
 * long as it lacks what is known.
 */
import { eq, ne } from "drizzle-orm";
import { add, compare, type Decimal, ZERO } from "../core/decimal.ts";
import { CLOCK_DOUBT_MS } from "../core/evidence.ts";
import type { Side } from "../core/order.ts";
import { findAttemptByCloid } from "./attempts.ts";
import { findWholeTo, wholeAtMost } from "./fill-holes.ts";
import { listFillsOf, sumFillsOf } from "./fills.ts";
import { isAmongNewest, NEWEST_ORDERS } from "./newest-orders.ts";
import type { Store } from "./open.ts";
import { columnsOf, prepared } from "./prepared.ts";
import { orders } from "./schema.ts";
import { everyLeg } from "./schema-views.ts";
import { whileUnchanged } from "./while-unchanged.ts";

/** `kept`: sum of its fills that are kept, less than `filled`. Created by our wall clock, unix milliseconds. */
export type ShortLeg = {
  cloid: string;
  oid: string | null;
  market: string;
  side: Side;
  filled: Decimal;
  kept: Decimal;
  createdAtMs: number;
};

const newestFilled = prepared((store) => {
  const newest = store
    .select(columnsOf(orders, ["id", "market", "side", "createdAtMs"]))
    .from(orders)
    .where(isAmongNewest())
    .as("newest");
  return store
    .select({
      cloid: everyLeg.cloid,
      oid: everyLeg.oid,
      market: newest.market,
      side: newest.side,
      filled: everyLeg.filledSize,
      createdAtMs: newest.createdAtMs,
    })
    .from(newest)
    .innerJoin(everyLeg, eq(everyLeg.orderId, newest.id))
    .where(ne(everyLeg.filledSize, ZERO))
    .prepare();
});

/** Legs whose fills are remembered to be all kept; past it they are summed up anew. */
const MAX_REMEMBERED = 10_000;

/** Inside a transaction nothing is remembered of it. */
function listShort(store: Store, accountId: string): readonly ShortLeg[] {
  return store.memory.isWriting ? readShort(store, accountId) : shortWhileUnchanged(store, accountId);
}

const shortWhileUnchanged = whileUnchanged(readShort);

/** Sums are asked for once: what is kept stays, and most orders are whole. */
function readShort(store: Store, accountId: string): readonly ShortLeg[] {
  const { keptWhole, isWriting } = store.memory;
  if (keptWhole.size > MAX_REMEMBERED) keptWhole.clear();
  return newestFilled(store)
    .all({ accountId, newest: NEWEST_ORDERS })
    .flatMap((leg) => {
      if (keptWhole.get(leg.cloid) === leg.filled) return [];
      const kept = leg.oid === null ? ZERO : sumFillsOf(store, accountId, { ...leg, oid: leg.oid }).size;
      if (compare(kept, leg.filled) < 0) return [{ ...leg, kept }];
      if (!isWriting) keptWhole.set(leg.cloid, leg.filled);
      return [];
    });
}

/** When the first of them was sent, exchange time, unix milliseconds; infinity where there are none. */
export function sentSinceMs(store: Store, legs: readonly ShortLeg[]): number {
  return Math.min(...legs.map((leg) => sentAtMs(store, leg)), Number.POSITIVE_INFINITY);
}

/** No fill of it is from before that, however wrong either clock was. */
function sentAtMs(store: Store, { cloid, createdAtMs }: ShortLeg): number {
  return (findAttemptByCloid(store, cloid)?.nonce ?? createdAtMs) - CLOCK_DOUBT_MS;
}

/** True where a fill that is known of is not kept yet. */
export function isShortOfFills(store: Store, accountId: string): boolean {
  return listShort(store, accountId).length > 0;
}

/**
 * Up to when a list of fills may be called whole at most, exchange time, unix milliseconds: before a millisecond of which the exchange gives
 * only a part, and before the sending of what was filled by more than is listed. Infinity where neither is.
 */
export function toldWholeAtMost(store: Store, accountId: string): number {
  return Math.min(wholeAtMost(store, accountId), sentSinceMs(store, listShort(store, accountId)));
}

/**
 * Up to when every fill of an account from `fromMs` on is in the index by all that is known (`findWholeTo`): not past the sending of what was told
 * to be filled and is not there. Null before the first complete reading.
 */
export function findProvenWholeTo(store: Store, accountId: string, fromMs = 0): number | null {
  const wholeToMs = findWholeTo(store, accountId, fromMs);
  return wholeToMs === null ? null : Math.min(wholeToMs, sentSinceMs(store, listUnkept(store, accountId)));
}

/**
 * Orders that have moved what is held in their market by more than the fills that are kept do. What carries the native id of one in another
 * market has moved that one instead: an alarm tells it, and nothing more will be kept. What is filled of one without a native id its fills have told.
 */
export function listUnkept(store: Store, accountId: string): ShortLeg[] {
  return listShort(store, accountId).filter(
    ({ oid, filled }) => oid !== null && compare(sizeUnder(store, accountId, oid), filled) < 0,
  );
}

function sizeUnder(store: Store, accountId: string, oid: string): Decimal {
  return listFillsOf(store, accountId, oid).reduce((sum, { size }) => add(sum, size), ZERO);
}
