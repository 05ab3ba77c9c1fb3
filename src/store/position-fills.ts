/** The newest fills of an account, by which it is told what it holds in each market. */
import { and, desc, eq, gte, sql } from "drizzle-orm";
import type { StoredFill } from "./fills.ts";
import type { Store } from "./open.ts";
import { columnsOf, prepared } from "./prepared.ts";
import { fills } from "./schema.ts";

/** Newest fills that are looked through for those of a market: further back nobody looks. */
const MAX_LOOKED_THROUGH = 500;

const newestOfAccount = prepared((store) =>
  store
    .select(columnsOf(fills, ["market", "timeMs", "side", "size", "startPosition", "fee", "feeToken"]))
    .from(fills)
    .where(eq(fills.accountId, sql.placeholder("accountId")))
    .orderBy(desc(fills.timeMs), desc(fills.id))
    .limit(MAX_LOOKED_THROUGH)
    .prepare(),
);

const newOfAccount = prepared((store) =>
  store
    .select(
      columnsOf(fills, [
        "market",
        "oid",
        "timeMs",
        "side",
        "size",
        "price",
        "startPosition",
        "fee",
        "feeToken",
        "realizedPnl",
      ]),
    )
    .from(fills)
    .where(and(eq(fills.accountId, sql.placeholder("accountId")), gte(fills.timeMs, sql.placeholder("fromMs"))))
    .orderBy(desc(fills.timeMs), desc(fills.id))
    .limit(MAX_LOOKED_THROUGH)
    .prepare(),
);

export type NewFill = PositionFill & Pick<StoredFill, "market" | "oid" | "price" | "realizedPnl">;

/** The account's fills from a time on, by the exchange's, unix milliseconds; newest first, and no more than are looked through. */
export function listNewFills(store: Store, accountId: string, fromMs: number): NewFill[] {
  return newOfAccount(store).all({ accountId, fromMs });
}

export type PositionFill = Pick<StoredFill, "timeMs" | "side" | "size" | "startPosition" | "fee" | "feeToken">;

/**
 * The newest fills of a market, which are of one moment: their start positions tell which was the last of them. Null where
 * there are none among the newest of the account, and it has older ones.
 *
 * @param beforeMs only what is older, exchange time, unix milliseconds
 */
export function listNewestFillsIn(
  store: Store,
  accountId: string,
  market: string,
  beforeMs = Number.POSITIVE_INFINITY,
): PositionFill[] | null {
  const newest = newestOfAccount(store).all({ accountId });
  const inMarket = newest.filter((fill) => fill.market === market && fill.timeMs < beforeMs);
  if (inMarket.length === 0 && newest.length === MAX_LOOKED_THROUGH) return null;
  return ofNewestMoment(inMarket);
}

/** The first fills of a market from a time on, exchange time, unix milliseconds, as far as they are among the newest of the account; of one moment. */
export function listNextFillsIn(store: Store, accountId: string, market: string, fromMs: number): PositionFill[] {
  const since = newestOfAccount(store)
    .all({ accountId })
    .filter((fill) => fill.market === market && fill.timeMs >= fromMs);
  return since.filter(({ timeMs }) => timeMs === since.at(-1)?.timeMs);
}

function ofNewestMoment(newestFirst: readonly PositionFill[]): PositionFill[] {
  return newestFirst.filter(({ timeMs }) => timeMs === newestFirst[0]?.timeMs);
}

/** For each market among the account's newest fills, its newest ones, which are of one moment. */
export function listNewestFillsByMarket(store: Store, accountId: string): ReadonlyMap<string, PositionFill[]> {
  const byMarket = Map.groupBy(newestOfAccount(store).all({ accountId }), ({ market }) => market);
  return new Map([...byMarket].map(([market, all]) => [market, ofNewestMoment(all)]));
}
