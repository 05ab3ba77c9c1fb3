/** What a stop covers, and what of it can still increase a position: by our rows alone, which know all that was signed. */
import type { Attempt } from "../../core/attempt.ts";
import { cloidOf } from "../../core/cloid.ts";
import { isSpot } from "../../core/market.ts";
import { wasListedSince } from "../../core/order.ts";
import { canIncreaseIn, isOfThen, type Stop } from "../../core/stop.ts";
import type { With } from "../../deps.ts";
import { findAttemptByCloid, listAttemptsOf, listOpenAttempts } from "../../store/attempts.ts";
import { isFlattenStep } from "../../store/flattens.ts";
import { listLegs } from "../../store/legs.ts";
import { listNoted } from "../../store/notes.ts";
import type { Store } from "../../store/open.ts";
import { findOperation, listCanceledTwaps, listSentTwaps, type StoredOperation } from "../../store/operations.ts";
import { findOrder, listLiveOrders, type StoredOrder } from "../../store/orders.ts";
import { covers } from "../../store/stops.ts";
import type { UnusedNumber } from "../../store/unused-numbers.ts";
import { isOver } from "../cancel/cancel.ts";
import { listUnused } from "../copies/late-copies.ts";
import { LISTED_AFTER_END } from "../look/apply-sight.ts";
import { nameOfStop } from "./cancel-covered.ts";

type CoveredRows = With<"exchange" | "markets" | "store">;

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
  /** Refused, and a copy of it may still be taken. */
  unusedNumbers: readonly UnusedNumber[];
};

/** @param endedTwaps ids of the operations whose TWAP is known to have ended */
export function remainingOf(world: CoveredRows, stop: Stop, endedTwaps: ReadonlySet<string>): Remaining {
  return {
    orders: coveredOrders(world, stop).filter((order) => isToGo(world, stop, order) && !isOver(world, order.id)),
    openTwaps: openTwapsOf(world, stop),
    runningTwaps: runningTwapsOf(world, stop, endedTwaps),
    unusedNumbers: unusedNumbersOf(world, stop),
  };
}

export function isNothing({ orders, openTwaps, runningTwaps, unusedNumbers }: Remaining): boolean {
  return orders.length + openTwaps.length + runningTwaps.length + unusedNumbers.length === 0;
}

/**
 * Orders that it covers, that have ended by our rows and that lists of after that show open all the same, as the alarm says; one that this
 * stop has canceled is none of them.
 */
export function listedAfterEnd(world: CoveredRows, stop: Stop): StoredOrder[] {
  const { store } = world;
  return listNoted(store, stop.accountId, LISTED_AFTER_END).flatMap((id) => {
    const order = findOrder(store, id);
    if (order === null || !listLegs(store, id).some(wasListedSince) || isFlattenStep(order)) return [];
    const isCanceled = listAttemptsOf(store, id).some(({ idempotencyKey }) => idempotencyKey === nameOfStop(stop));
    return !isCanceled && isCovered(world, stop, order) && isToGo(world, stop, order) ? [order] : [];
  });
}

/** Orders that may be alive and that stay: they can only make a position smaller. */
export function keptOrders(world: CoveredRows, stop: Stop): StoredOrder[] {
  return coveredOrders(world, stop).filter((order) => !isToGo(world, stop, order));
}

/** Those about which there may be news, and those that have ended while something that was signed for them is still out. */
function coveredOrders(world: CoveredRows, stop: Stop): StoredOrder[] {
  const { store } = world;
  const live = listLiveOrders(store, stop.accountId, MAX_ORDERS);
  const ids = new Set(live.map(({ id }) => id));
  const behind = listOpenAttempts(store).flatMap(({ accountId, resource }) => {
    if (accountId !== stop.accountId || resource.kind !== "order" || ids.has(resource.id)) return [];
    ids.add(resource.id);
    return findOrder(store, resource.id) ?? [];
  });
  // What closes a position does so under a stop, whatever else that takes away.
  return [...live, ...behind].filter((order) => isCovered(world, stop, order) && !isFlattenStep(order));
}

function isCovered({ store }: CoveredRows, stop: Stop, order: StoredOrder): boolean {
  if (!covers(store, stop, order.keyHash)) return false;
  return !isOfThen(stop) || (findAttemptByCloid(store, cloidOf(order.id))?.id ?? 0) <= stop.upTo;
}

function isToGo(world: CoveredRows, stop: Stop, order: StoredOrder): boolean {
  const universe = world.markets.current();
  if (!stop.keepsProtection) return true;
  // Until the markets are read nobody knows what a sale on spot brings: nothing is claimed before.
  if (universe === null && isSpot(order.market) && order.side === "sell") return false;
  return canIncreaseIn(universe, order);
}

function unusedNumbersOf(world: CoveredRows, stop: Stop): UnusedNumber[] {
  return listUnused(world, stop.accountId).filter(({ order, twap, attempt }) => {
    if (isOfThen(stop) && attempt.id > stop.upTo) return false;
    if (twap !== null) return isTwapToGo(world.store, stop, twap);
    return isCovered(world, stop, order) && isToGo(world, stop, order) && !isFlattenStep(order);
  });
}

function openTwapsOf({ store }: CoveredRows, stop: Stop): Attempt[] {
  return listOpenAttempts(store).filter(({ kind, accountId, resource, id }) => {
    const operation = kind === "twap" && accountId === stop.accountId ? findOperation(store, resource.id) : null;
    return operation !== null && isTwapToGo(store, stop, operation) && (!isOfThen(stop) || id <= stop.upTo);
  });
}

/**
 * Whether it runs the exchange says, by its history or by its answer to a cancel, and no clock of ours: one of before a stop that has
 * ended does not.
 */
function runningTwapsOf({ store }: CoveredRows, stop: Stop, endedTwaps: ReadonlySet<string>): StoredOperation[] {
  if (stop.stoppedAtMs !== null) return [];
  const sent = listSentTwaps(store, stop.accountId).filter(({ id }) => !endedTwaps.has(id));
  const canceled = sent.length === 0 ? new Set() : listCanceledTwaps(store, stop.accountId);
  return sent.filter((operation) => {
    if (canceled.has(operation.exchangeId) || !isTwapToGo(store, stop, operation)) return false;
    return !isOfThen(stop) || (listAttemptsOf(store, operation.id)[0]?.id ?? 0) <= stop.upTo;
  });
}

function isTwapToGo(store: Store, stop: Stop, operation: StoredOperation): boolean {
  return covers(store, stop, operation.keyHash) && !(stop.keepsProtection && askedTwap(operation).reduce_only);
}

/** What was asked of a TWAP. */
export function askedTwap({ parameters }: StoredOperation): { duration_minutes: number; reduce_only: boolean } {
  // What `create-twap` writes.
  return JSON.parse(parameters) as { duration_minutes: number; reduce_only: boolean };
}
