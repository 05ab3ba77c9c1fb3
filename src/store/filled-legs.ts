/** What was told to be filled of the newest orders, beside the fills of them that are kept. */
import { and, eq, ne, sql } from "drizzle-orm";
import { add, type Decimal, ZERO } from "../core/decimal.ts";
import type { Side } from "../core/order.ts";
import { type LegMoments, momentsOf } from "./leg-moments.ts";
import { isAmongNewest } from "./newest-orders.ts";
import type { Store } from "./open.ts";
import { columnsOf, prepared } from "./prepared.ts";
import { fills, orders } from "./schema.ts";
import { everyLeg } from "./schema-views.ts";
import { whileUnchanged } from "./while-unchanged.ts";

const filledLegs = prepared((store) => {
  const accountId = sql.placeholder("accountId");
  const newest = store
    .select(columnsOf(orders, ["id", "number", "market", "side", "createdAtMs", "nonce", "attemptedAtMs", "seenAtMs"]))
    .from(orders)
    .where(isAmongNewest())
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
      oid: everyLeg.oid,
      number: newest.number,
      market: newest.market,
      side: newest.side,
      filled: everyLeg.filledSize,
      size: sql<Decimal | null>`${fills.size}`,
      createdAtMs: newest.createdAtMs,
      nonce: newest.nonce,
      attemptedAtMs: newest.attemptedAtMs,
      seenAtMs: newest.seenAtMs,
    })
    .from(newest)
    .innerJoin(everyLeg, eq(everyLeg.orderId, newest.id))
    .leftJoin(fills, isOfLeg)
    .where(ne(everyLeg.filledSize, ZERO))
    .prepare();
});

/**
 * `kept`: sum of its fills that are kept. Times by our wall clock, unix milliseconds; `seenAtMs` is of the last news of its order, and
 * `attemptedAtMs` null where that was stored later than it was sent. `moments`: the same by a clock that nobody sets, as far as it is known.
 */
export type FilledLeg = {
  cloid: string;
  oid: string | null;
  number: number;
  market: string;
  side: Side;
  filled: Decimal;
  kept: Decimal;
  createdAtMs: number;
  /** Of the action that placed its order: the exchange's time of its making. */
  nonce: number | null;
  attemptedAtMs: number | null;
  seenAtMs: number | null;
  moments: LegMoments;
};

/** Orders that are looked through for what has just been told: further back nothing is told that a server may lack. */
const NEW_ORDERS = 100;

/** Those of the newest orders of all of which something was told to be filled, read once between two writes: state is asked for many times. */
export const listNewFilledLegs = whileUnchanged((store: Store, accountId: string): FilledLeg[] => {
  const legs = new Map<string, FilledLeg>();
  for (const { size, ...leg } of filledLegs(store).all({ accountId, newest: NEW_ORDERS })) {
    const kept = legs.get(leg.cloid)?.kept ?? ZERO;
    legs.set(leg.cloid, { ...leg, kept: add(kept, size ?? ZERO), moments: momentsOf(store, leg.cloid) });
  }
  return [...legs.values()];
});
