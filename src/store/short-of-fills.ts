/**
 * Orders of which more was filled, by the exchange's own answers, than the fills that are kept come to: a list of fills is not whole as
 * long as it lacks what is known.
 */
import { and, eq, gt, ne, sql } from "drizzle-orm";
import { add, compare, type Decimal, ZERO } from "../core/decimal.ts";
import { CLOCK_DOUBT_MS } from "../core/evidence.ts";
import { findAttemptByCloid } from "./attempts.ts";
import { wholeAtMost } from "./fill-holes.ts";
import { NEWEST_ORDERS } from "./fills.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { fills, orders } from "./schema.ts";
import { everyLeg } from "./schema-views.ts";
import { whileUnchanged } from "./while-unchanged.ts";

const filledLegs = prepared((store) => {
  const accountId = sql.placeholder("accountId");
  const newest = store
    .select({ id: orders.id, market: orders.market, side: orders.side, createdAtMs: orders.createdAtMs })
    .from(orders)
    .where(
      and(
        // By the newest numbers, and not by all that the account ever had.
        sql`+${orders.accountId} = ${accountId}`,
        gt(orders.number, sql`(select max(number) from orders) - ${NEWEST_ORDERS}`),
      ),
    )
    .as("newest");
  // Found by the native id: SQLite might else read all fills of the market.
  const isOfLeg = and(
    eq(fills.oid, everyLeg.oid),
    sql`+${fills.accountId} = ${accountId}`,
    sql`+${fills.market} = ${newest.market}`,
    eq(fills.side, newest.side),
  );
  return store
    .select({
      cloid: everyLeg.cloid,
      filled: everyLeg.filledSize,
      size: sql<Decimal | null>`${fills.size}`,
      createdAtMs: newest.createdAtMs,
    })
    .from(newest)
    .innerJoin(everyLeg, eq(everyLeg.orderId, newest.id))
    .leftJoin(fills, isOfLeg)
    .where(ne(everyLeg.filledSize, ZERO))
    .prepare();
});

/** `kept`: sum of its fills. */
type FilledLeg = { cloid: string; filled: Decimal; kept: Decimal; createdAtMs: number };

/** When the first of them was sent, exchange time, unix milliseconds; infinity where every fill that is known of is kept. */
const shortSinceMs = whileUnchanged((store, accountId) => {
  const legs = new Map<string, FilledLeg>();
  for (const { size, ...leg } of filledLegs(store).all({ accountId })) {
    const kept = legs.get(leg.cloid)?.kept ?? ZERO;
    legs.set(leg.cloid, { ...leg, kept: add(kept, size ?? ZERO) });
  }
  const short = [...legs.values()].filter(({ filled, kept }) => compare(kept, filled) < 0);
  return Math.min(...short.map((leg) => sentAtMs(store, leg)), Number.POSITIVE_INFINITY);
});

/** No fill of it is from before that, however wrong either clock was. */
function sentAtMs(store: Store, { cloid, createdAtMs }: FilledLeg): number {
  return (findAttemptByCloid(store, cloid)?.nonce ?? createdAtMs) - CLOCK_DOUBT_MS;
}

/** True where a fill that is known of is not kept yet. */
export function isShortOfFills(store: Store, accountId: string): boolean {
  return shortSinceMs(store, accountId) !== Number.POSITIVE_INFINITY;
}

/**
 * Up to when a list of fills may be called whole at most, exchange time, unix milliseconds: before a millisecond of which the exchange gives
 * only a part, and before the sending of what was filled by more than is listed. Infinity where neither is.
 */
export function toldWholeAtMost(store: Store, accountId: string): number {
  return Math.min(wholeAtMost(store, accountId), shortSinceMs(store, accountId));
}
