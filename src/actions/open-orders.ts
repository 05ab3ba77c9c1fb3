import type { Account } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import { averagePrice } from "../core/market.ts";
import type { Filled, Order, OrderStatus } from "../core/order.ts";
import type { Deps } from "../deps.ts";
import { readFillsSince, sumFills } from "../settle/fill-pages.ts";
import { findLegByOid } from "../store/legs.ts";
import { findOrder, findOrderByFirstOid, type StoredOrder } from "../store/orders.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { describeOutside } from "./outside-order.ts";

export type OpenOrder = Order & { exchangeOrderId: string };

export type OpenOrdersWanted = {
  /** Null for all dexes, `""` for the native one and spot. */
  dex: string | null;
  /** Only those with a smaller native id; null for all. */
  below: bigint | null;
  count: number;
};

/**
 * Resting and untriggered orders of an account as the exchange shows them now, by native id descending, those placed
 * elsewhere included. Throws `exchange_unreachable` when it cannot be asked.
 */
export async function listOpenOrders(deps: Deps, account: Account, wanted: OpenOrdersWanted): Promise<OpenOrder[]> {
  const { dex, below, count } = wanted;
  const dexes = dex === null ? ["", ...deps.settings.dexes] : [dex];
  const all = (await Promise.all(dexes.map((each) => readOpen(deps, account, each)))).flat();
  // Cut before anything is looked up: the exchange may show thousands.
  const shown = all
    .map((order) => ({ order, id: BigInt(order.oid) }))
    .filter(({ id }) => below === null || id < below)
    .sort((a, b) => (b.id > a.id ? 1 : -1))
    .slice(0, count)
    .map(({ order }) => order);
  const filled = await readFilledOf(
    deps,
    account,
    shown.filter((order) => order.size !== order.originalSize),
  );
  return shown.map((order) => describe(deps, account, { order, filled: filled.get(order.oid) ?? NOTHING }));
}

const NOTHING = sumFills([]);

async function readOpen(deps: Deps, account: Account, dex: string): Promise<readonly FrontendOrder[]> {
  const read = await deps.reads.openOrders(account.tradingAddress, dex, "read");
  if (read.kind === "ok") return read.value;
  throw unreachable();
}

function unreachable(): ApiError {
  return new ApiError("exchange_unreachable", "The exchange could not be asked for the open orders. Nothing was sent.");
}

/** Fills of the orders that have begun to fill, by native id: sizes left are never taken for sizes filled. */
async function readFilledOf(
  deps: Deps,
  account: Account,
  begun: readonly FrontendOrder[],
): Promise<ReadonlyMap<string, Filled>> {
  if (begun.length === 0) return new Map();
  const sinceMs = Math.min(...begun.map((order) => order.timestampMs));
  const fills = await readFillsSince(deps, account.tradingAddress, sinceMs, { purpose: "read" });
  if (fills === "failed") throw unreachable();
  const byOid = Map.groupBy(fills, ({ oid }) => oid);
  return new Map(begun.map(({ oid }) => [oid, sumFills(byOid.get(oid) ?? [])]));
}

function describe(deps: Deps, account: Account, shown: { order: FrontendOrder; filled: Filled }): OpenOrder {
  const { order, filled } = shown;
  const stored = findOrderByFirstOid(deps.store, account.id, order.oid) ?? orderOfLaterLeg(deps, account, order.oid);
  if (stored === null) {
    return describeOutside(deps, account, { order, status: "open", statusTimestampMs: order.timestampMs, filled });
  }
  return refreshed(stored, { order, filled });
}

/** Of an order that was modified the exchange shows the last leg. */
function orderOfLaterLeg({ store }: Deps, account: Account, oid: string): StoredOrder | null {
  const leg = findLegByOid(store, account.id, oid);
  return leg === null ? null : findOrder(store, leg.orderId);
}

/** Our own row with what the exchange shows of it now: listing writes nothing. */
function refreshed(stored: StoredOrder, { order, filled }: { order: FrontendOrder; filled: Filled }): OpenOrder {
  const status: OrderStatus = order.isTrigger ? "waiting_for_trigger" : "open";
  const isNews = stored.filledSize === null || stored.filledSize === "0";
  return {
    ...stored,
    status,
    exchangeOrderId: order.oid,
    filledSize: isNews ? filled.size : stored.filledSize,
    averagePrice: isNews ? averagePrice(filled.notional, filled.size) : stored.averagePrice,
    error: null,
  };
}
