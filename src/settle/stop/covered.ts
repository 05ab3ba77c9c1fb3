/** What a stop covers, and what of it can still increase a position: by our rows alone, which know all that was signed. */
import type { Attempt } from "../../core/attempt.ts";
import { cloidOf } from "../../core/cloid.ts";
import { isSpot } from "../../core/market.ts";
import { canIncrease, coversKey, type Stop } from "../../core/stop.ts";
import type { With } from "../../deps.ts";
import { findAttemptByCloid, listOpenAttempts } from "../../store/attempts.ts";
import { findOperation, listTwapsSince, type StoredOperation } from "../../store/operations.ts";
import { findOrder, listLiveOrders, type StoredOrder } from "../../store/orders.ts";
import { isOver } from "../cancel/cancel.ts";

type Rows = With<"clock" | "markets" | "store">;

/** Orders of an account that may be alive; far more than the exchange lets one have. */
const MAX_ORDERS = 100_000;

/** What has to go before nothing can increase any more. */
export type Remaining = {
  /** Not over: something of it rests, or was signed and may still arrive. */
  orders: readonly StoredOrder[];
  /** Signed and not settled. */
  openTwaps: readonly Attempt[];
  /** Taken by the exchange, or perhaps taken, and not known to have ended. */
  runningTwaps: readonly StoredOperation[];
};

/** @param endedTwaps native ids of those that the exchange's history shows ended */
export function remainingOf(world: Rows, stop: Stop, endedTwaps: ReadonlySet<string>): Remaining {
  return {
    orders: coveredOrders(world, stop).filter((order) => isToGo(world, stop, order) && !isOver(world, order.id)),
    openTwaps: openTwapsOf(world, stop),
    runningTwaps: runningTwapsOf(world, stop, endedTwaps),
  };
}

export function isNothing({ orders, openTwaps, runningTwaps }: Remaining): boolean {
  return orders.length + openTwaps.length + runningTwaps.length === 0;
}

/** Orders that may be alive and that stay: they can only make a position smaller. */
export function keptOrders(world: Rows, stop: Stop): StoredOrder[] {
  return coveredOrders(world, stop).filter((order) => !isToGo(world, stop, order));
}

/** Those about which there may be news, and those that have ended while something that was signed for them is still out. */
function coveredOrders(world: Rows, stop: Stop): StoredOrder[] {
  const { store } = world;
  const live = listLiveOrders(store, stop.accountId, MAX_ORDERS);
  const ids = new Set(live.map(({ id }) => id));
  const behind = listOpenAttempts(store).flatMap(({ accountId, resource }) => {
    if (accountId !== stop.accountId || resource.kind !== "order" || ids.has(resource.id)) return [];
    ids.add(resource.id);
    return findOrder(store, resource.id) ?? [];
  });
  return [...live, ...behind].filter((order) => isCovered(world, stop, order));
}

function isCovered({ store }: Rows, stop: Stop, order: StoredOrder): boolean {
  if (!coversKey(stop, order.keyHash)) return false;
  // Of one whose silence was heard, only what was placed before that.
  return stop.cause !== "heartbeat_missed" || (findAttemptByCloid(store, cloidOf(order.id))?.id ?? 0) <= stop.upTo;
}

function isToGo(world: Rows, stop: Stop, order: StoredOrder): boolean {
  const universe = world.markets.current();
  if (!stop.keepsProtection) return true;
  // Until the markets are read nobody knows what a sale on spot brings: nothing is claimed before.
  if (universe === null && isSpot(order.market) && order.side === "sell") return false;
  return canIncrease(order, universe?.byName.get(order.market)?.pairName ?? null);
}

function openTwapsOf({ store }: Rows, stop: Stop): Attempt[] {
  return listOpenAttempts(store).filter(({ kind, accountId, resource, id }) => {
    const operation = kind === "twap" && accountId === stop.accountId ? findOperation(store, resource.id) : null;
    return operation !== null && isTwapToGo(stop, operation) && (stop.cause !== "heartbeat_missed" || id <= stop.upTo);
  });
}

/** The longest that the exchange takes, and what it may be late, milliseconds. */
const LONGEST_MS = 7 * 24 * 60 * 60 * 1_000;
const LATE_MS = 10 * 60 * 1_000;
const MINUTE_MS = 60_000;

function runningTwapsOf({ store, clock }: Rows, stop: Stop, endedTwaps: ReadonlySet<string>): StoredOperation[] {
  const nowMs = clock.nowMs();
  return listTwapsSince(store, stop.accountId, nowMs - LONGEST_MS - LATE_MS).filter((operation) => {
    const { status, exchangeId, createdAtMs } = operation;
    if (status === "rejected" || status === "processing" || !isTwapToGo(stop, operation)) return false;
    if (stop.cause === "heartbeat_missed" && createdAtMs > stop.createdAtMs) return false;
    if (exchangeId !== null && endedTwaps.has(exchangeId)) return false;
    return nowMs <= createdAtMs + askedOf(operation).duration_minutes * MINUTE_MS + LATE_MS;
  });
}

function isTwapToGo(stop: Stop, operation: StoredOperation): boolean {
  return coversKey(stop, operation.keyHash) && !(stop.keepsProtection && askedOf(operation).reduce_only);
}

function askedOf({ parameters }: StoredOperation): { duration_minutes: number; reduce_only: boolean } {
  // What `create-twap` writes.
  return JSON.parse(parameters) as { duration_minutes: number; reduce_only: boolean };
}
