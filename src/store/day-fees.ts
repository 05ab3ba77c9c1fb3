/** What the fills of a day have cost in fees, as far as they are indexed. */
import { and, count, eq, gte, isNotNull, sql } from "drizzle-orm";
import { add, type Decimal, ZERO } from "../core/decimal.ts";
import { isPaidInKind } from "../core/market.ts";
import { startOf } from "../core/rails/trip.ts";
import { botOf } from "./bots.ts";
import type { Store } from "./open.ts";
import { columnsOf, prepared } from "./prepared.ts";
import { fills, operations, orders } from "./schema.ts";
import { everyLeg } from "./schema-views.ts";

const fillsSince = prepared((store) =>
  store
    .select({ count: count() })
    .from(fills)
    .where(and(eq(fills.accountId, sql.placeholder("accountId")), gte(fills.timeMs, sql.placeholder("sinceMs"))))
    .prepare(),
);

/** How many fills of an account are indexed from that day on. */
export function countFillsOfDay(store: Store, accountId: string, day: number): number {
  return fillsSince(store).get({ accountId, sinceMs: startOf(day) })?.count ?? 0;
}

const PAID = columnsOf(fills, ["fee", "feeToken", "market", "side"]);

const feesSince = prepared((store) =>
  store
    .select({ ...PAID, keyHash: orders.keyHash })
    .from(fills)
    .innerJoin(everyLeg, eq(everyLeg.oid, fills.oid))
    .innerJoin(orders, and(eq(orders.id, everyLeg.orderId), eq(orders.accountId, fills.accountId)))
    .where(and(eq(fills.accountId, sql.placeholder("accountId")), gte(fills.timeMs, sql.placeholder("sinceMs"))))
    .prepare(),
);

/** Slices of a TWAP are no order's. */
const sliceFeesSince = prepared((store) =>
  store
    .select({ ...PAID, keyHash: operations.keyHash })
    .from(fills)
    .innerJoin(
      operations,
      and(
        eq(operations.accountId, fills.accountId),
        eq(operations.action, "twap"),
        eq(operations.exchangeId, fills.twapId),
      ),
    )
    .where(
      and(
        eq(fills.accountId, sql.placeholder("accountId")),
        gte(fills.timeMs, sql.placeholder("sinceMs")),
        isNotNull(fills.twapId),
      ),
    )
    .prepare(),
);

/** By bot: what the indexed fills of its orders and TWAPs have cost in fees from that day on. */
export function sumFeesOfDay(store: Store, accountId: string, day: number): Map<string, Decimal> {
  const sums = new Map<string, Decimal>();
  const since = { accountId, sinceMs: startOf(day) };
  for (const row of [...feesSince(store).all(since), ...sliceFeesSince(store).all(since)]) {
    const bot = botOf(store, row.keyHash);
    if (bot !== null) sums.set(bot, add(sums.get(bot) ?? ZERO, inQuote(row)));
  }
  return sums;
}

/** What was paid in kind the bot does not hold, and its books have lost it. */
function inQuote(row: FeeRow): Decimal {
  return isPaidInKind(row) ? ZERO : row.fee;
}

type FeeRow = Pick<typeof fills.$inferSelect, "fee" | "feeToken" | "market" | "side">;
