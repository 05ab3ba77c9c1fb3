/**
 * Fees of purchases on spot, which the exchange takes out of what is bought: a bot holds so much less. A fill may be told before the
 * answer to its order, so whichever becomes known second books the fee, once: the fill where an order has its native id already, or
 * the order when it gets the id.
 */
import { and, eq, sql } from "drizzle-orm";
import { type Decimal, isZero, negate, sum } from "../core/decimal.ts";
import { isPaidInKind, isSpot } from "../core/market.ts";
import { bookFeeInKind, botOf } from "./bots.ts";
import type { Store } from "./open.ts";
import type { StoredOrder } from "./orders.ts";
import { columnsOf, prepared } from "./prepared.ts";
import { fills, orders } from "./schema.ts";
import { everyLeg } from "./schema-views.ts";

type FeeFill = Pick<typeof fills.$inferSelect, "accountId" | "oid" | "market" | "side" | "fee" | "feeToken" | "twapId">;

/** The order that an id names, as far as its fees depend on it. */
type Buyer = Pick<StoredOrder, "accountId" | "keyHash" | "market" | "side">;

const BUYER = columnsOf(orders, ["accountId", "keyHash", "market", "side"]);

const namedBy = prepared((store) =>
  store
    .select(BUYER)
    .from(everyLeg)
    // In this order: SQLite might else begin with all orders of the account.
    .crossJoin(orders)
    .where(
      and(
        eq(everyLeg.oid, sql.placeholder("oid")),
        eq(orders.id, everyLeg.orderId),
        eq(orders.accountId, sql.placeholder("accountId")),
      ),
    )
    .prepare(),
);

const buyerOf = prepared((store) =>
  store
    .select(BUYER)
    .from(orders)
    .where(eq(orders.id, sql.placeholder("id")))
    .prepare(),
);

const ofOid = prepared((store) =>
  store
    .select(columnsOf(fills, ["market", "side", "fee", "feeToken"]))
    .from(fills)
    // Found by the native id: SQLite might else read all fills of the account.
    .where(and(eq(sql`+${fills.accountId}`, sql.placeholder("accountId")), eq(fills.oid, sql.placeholder("oid"))))
    .prepare(),
);

/** For `fills`: a fill that has just become known. Those of slices are booked with their TWAP. */
export function bookFeeOfFill(store: Store, { accountId, oid, market, fee, ...fill }: FeeFill): void {
  if (fill.twapId !== null || isZero(fee) || !isPaidInKind({ market, ...fill })) return;
  const order = namedBy(store).get({ accountId, oid });
  if (order !== undefined && isBuyOf(order, market)) book(store, order, fee);
}

/** The native id that a leg of an order had, and the one that it has now. */
export type Renamed = { before: string | null; after: string | null };

/** For `legs`: `heedNativeId` where only the id of the order is at hand. */
export function heedLegId(store: Store, orderId: string, renamed: Renamed): void {
  if (renamed.before === renamed.after) return;
  const order = buyerOf(store).get({ id: orderId });
  if (order !== undefined) heedNativeId(store, order, renamed);
}

/** Once the row of a leg has its new native id: books the fees of fills that were known before, and takes back those of an id that was another's. */
export function heedNativeId(store: Store, order: Buyer, { before, after }: Renamed): void {
  if (before === after || !isBuyOf(order, order.market)) return;
  const { accountId } = order;
  const legsWith = (oid: string) => namedBy(store).all({ accountId, oid }).length;
  // Where two legs have one id, the fills are booked once.
  if (before !== null && legsWith(before) === 0) book(store, order, negate(feesOf(store, order, before)));
  if (after !== null && legsWith(after) === 1) book(store, order, feesOf(store, order, after));
}

function isBuyOf(order: Buyer, market: string): boolean {
  return order.side === "buy" && order.market === market && isSpot(market);
}

function feesOf(store: Store, { accountId, market }: Buyer, oid: string): Decimal {
  const paid = ofOid(store)
    .all({ accountId, oid })
    .filter((fill) => fill.market === market && isPaidInKind(fill));
  return sum(paid.map(({ fee }) => fee));
}

function book(store: Store, { accountId, keyHash, market }: Buyer, fee: Decimal): void {
  const bot = isZero(fee) ? null : botOf(store, keyHash);
  if (bot !== null) bookFeeInKind(store, { accountId, bot, market }, fee);
}
