import type { Account } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import { averagePrice } from "../core/market.ts";
import type { Filled, Order, OrderStatus } from "../core/order.ts";
import type { Deps } from "../deps.ts";
import { readFillsSince, sumFills } from "../settle/look.ts";
import { findLegByOid } from "../store/legs.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { describeOutside } from "./outside-order.ts";

export type OpenOrder = Order & { exchangeOrderId: string };

/**
 * Resting and untriggered orders of an account as the exchange shows them now, by native id descending, those placed
 * elsewhere included. Throws `exchange_unreachable` when it cannot be asked.
 */
export async function listOpenOrders(deps: Deps, account: Account, dex: string | null): Promise<OpenOrder[]> {
  const dexes = dex === null ? ["", ...deps.settings.dexes] : [dex];
  const shown = (await Promise.all(dexes.map((each) => readOpen(deps, account, each)))).flat();
  const filled = await readFilledOf(
    deps,
    account,
    shown.filter((order) => order.size !== order.originalSize),
  );
  return shown
    .map((order) => describe(deps, account, { order, filled: filled.get(order.oid) ?? NOTHING }))
    .sort((a, b) => (BigInt(b.exchangeOrderId) > BigInt(a.exchangeOrderId) ? 1 : -1));
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
  return new Map(begun.map(({ oid }) => [oid, sumFills(fills.filter((fill) => fill.oid === oid))]));
}

function describe(deps: Deps, account: Account, shown: { order: FrontendOrder; filled: Filled }): OpenOrder {
  const { order, filled } = shown;
  const leg = findLegByOid(deps.store, account.id, order.oid);
  const stored = leg === null ? null : findOrder(deps.store, leg.orderId);
  if (stored === null) {
    return describeOutside(deps, account, { order, status: "open", statusTimestampMs: order.timestampMs, filled });
  }
  return refreshed(stored, { order, filled });
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
