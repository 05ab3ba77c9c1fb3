/** What a cancel-all covers: by our rows, which know all that was signed. */

import { API_NETWORK } from "../../core/account.ts";
import type { CancelAll } from "../../core/cancel-all.ts";
import type { OrderTerms } from "../../core/order.ts";
import { isoTime } from "../../core/resource.ts";
import { canIncreaseIn } from "../../core/stop.ts";
import type { Trade } from "../../core/trade.ts";
import type { With } from "../../deps.ts";
import { listOpenAttempts } from "../../store/attempts.ts";
import { listCovered } from "../../store/cancel-alls.ts";
import type { Store } from "../../store/open.ts";
import { findOrder, listLiveOrders, type StoredOrder } from "../../store/orders.ts";
import { withholdEntries } from "../../store/trades.ts";
import { isTouched } from "../close/closer.ts";
import { listUnused } from "../copies/late-copies.ts";

/** Orders of an account that may be alive; far more than the exchange lets one have. */
const MAX_ORDERS = 100_000;

/** Orders that may be alive, and those that have ended while something that was signed for them is still out. */
export function coveredBy(world: With<"exchange" | "markets" | "store">, row: CancelAll): StoredOrder[] {
  const { store } = world;
  const live = listLiveOrders(store, row.accountId, MAX_ORDERS);
  const ids = new Set(live.map(({ id }) => id));
  const behind = listOpenAttempts(store).flatMap(({ accountId, resource }) => {
    if (accountId !== row.accountId || resource.kind !== "order" || ids.has(resource.id)) return [];
    ids.add(resource.id);
    return findOrder(store, resource.id) ?? [];
  });
  // Of what was refused a copy may still be taken.
  const refused = listUnused(world, row.accountId).flatMap(({ order }) =>
    order === null || ids.has(order.id) ? [] : order,
  );
  return [...live, ...behind, ...refused].filter(
    (order) => isTouched(store, row, order.keyHash) && isAsked(world, row, order),
  );
}

type CoveredTerms = Pick<OrderTerms, "market" | "side" | "reduceOnly">;

/** By its market and side, and whether what protects is to go as well. */
export function isAsked({ markets }: With<"markets">, row: CancelAll, terms: CoveredTerms): boolean {
  if (row.market !== null && row.market !== terms.market) return false;
  if (row.side !== null && row.side !== terms.side) return false;
  return !row.keepsProtection || canIncreaseIn(markets.current(), terms);
}

/** Inside the caller's transaction: an entry that was asked for and has not been sent is not sent after that what there is was canceled. */
export function withholdCovered(world: With<"markets" | "store">, row: CancelAll): void {
  const { store } = world;
  const { accountId, createdAtMs: atMs } = row;
  const isOf = ({ keyHash, market, side }: Trade) =>
    isTouched(store, row, keyHash) && isAsked(world, row, { market, side, reduceOnly: false });
  withholdEntries(store, { accountId, isOf, error: "a cancel-all came before its entry was sent", atMs });
}

/** As it is told: what became of each order. */
export function cancelAllShown(store: Store, row: CancelAll) {
  return {
    id: row.id,
    object: "cancel_all" as const,
    account: row.accountId,
    network: API_NETWORK,
    market: row.market,
    side: row.side,
    touches: row.touches,
    keep_protection: row.keepsProtection,
    status: row.doneAtMs === null ? ("canceling" as const) : ("done" as const),
    created_at: isoTime(row.createdAtMs),
    done_at: row.doneAtMs === null ? null : isoTime(row.doneAtMs),
    results: listCovered(store, row).map(({ id, market, status, filledSize, error }) => ({
      order_id: id,
      market,
      status,
      filled_size: filledSize,
      error,
    })),
  };
}
