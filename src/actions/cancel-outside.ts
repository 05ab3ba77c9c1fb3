import type { Account } from "../core/account.ts";
import { endsAtMs } from "../core/attempt.ts";
import { compare, isZero } from "../core/decimal.ts";
import { BEHIND_MS } from "../core/evidence.ts";
import { findMarket } from "../core/market.ts";
import { wasListedSince } from "../core/order.ts";
import { canIncrease, type Stop } from "../core/stop.ts";
import type { With } from "../deps.ts";
import { legOf } from "../settle/feed/known-leg.ts";
import { filledOrder } from "../settle/fills/fill-pages.ts";
import { nameUnnamed } from "../settle/look/unnamed.ts";
import { cancelCovered, nameOfStop, type ToCancel } from "../settle/stop/cancel-covered.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import { inTransaction } from "../store/commit.ts";
import { sumFillsOf } from "../store/fills.ts";
import { findLegByOid } from "../store/legs.ts";
import { listOutside, noteOutside } from "../store/stops.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { termsOf } from "../wire/answer/order-terms.ts";
import { adoptOutsideOrder } from "./adopt-order.ts";
import { isWithoutRow } from "./of-elsewhere.ts";
import { describeOutside } from "./outside-order.ts";
import { hasStandIn, standIn, type ToStandIn, takeBack } from "./stand-in.ts";
import { type FoundBeside, lookBeside } from "./told-beside.ts";
import { mostFilled } from "./told-outside.ts";

export type ToCancelOutside = ToCancel & ToStandIn & With<"reads">;

/**
 * Cancels the orders of an account that were placed elsewhere and can increase a position, each once. An order that is
 * filled in part and has stop-loss or take-profit children stays: they go with it, and what it has filled would stand without
 * protection. For one that nothing shows to be filled a stop of ours stands before it goes. False where the lists could not be
 * read, or the terms or the market of one, or whether its stop stands, is not known yet: the others go meanwhile. With them goes what is
 * ours and open by these lists alone.
 */
export async function cancelOutside(deps: ToCancelOutside, stop: Stop, account: Account): Promise<boolean> {
  const found = await openNow(deps, account);
  if (found === null) return false;
  // What was kept stays kept, whatever a list that is behind shows after it.
  const kept = new Set(
    listOutside(deps.store, stop.id).flatMap(({ outcome, nativeId }) => (outcome === "kept" ? nativeId : [])),
  );
  const outside = found.orders.filter(
    (order) =>
      !kept.has(order.oid) &&
      isWithoutRow(deps, account, { oid: order.oid, record: order }) &&
      isToGo(deps, stop, order),
  );
  const known = outside.filter(({ coin }) => isKnown(deps, coin));
  const going = found.orders.filter((order) => isToGo(deps, stop, order));
  const [done] = await Promise.all([
    Promise.all(known.map((order) => withdraw(deps, { stop, account, order }))),
    cancelEnded(deps, { name: nameOfStop(stop), account, orders: going }),
  ]);
  return found.unread.length === 0 && known.length === outside.length && done.every((isDone) => isDone);
}

type Listed = { name: string; account: Account; orders: readonly FrontendOrder[] };

/**
 * Cancels what lists show open though its end was told, of which the alarm tells: no row of ours has it live. Their ids.
 *
 * @param listed.name under which it is canceled
 */
export async function cancelEnded(deps: ToCancelOutside, { name, account, orders }: Listed): Promise<string[]> {
  const ids = orders.flatMap((order) => {
    const leg = legOf(deps, account, { order });
    return leg !== null && wasListedSince(leg) && isKnown(deps, order.coin) ? leg.orderId : [];
  });
  await Promise.all(ids.map((orderId) => cancelCovered(deps, deps.settling, { name, account, orderId })));
  return ids;
}

/** Without its number in the list of markets nothing can be signed for it. */
export function isKnown({ markets }: With<"markets">, coin: string): boolean {
  const universe = markets.current();
  return universe !== null && findMarket(universe, coin) !== null;
}

/**
 * All that is open by the exchange's lists, and by what the account's feed has told and these lack; null where a list could not be read. Who
 * says that nothing is left says so by this, and while nothing of it is `unread`.
 */
export async function openNow(deps: ToCancelOutside, account: Account): Promise<FoundBeside | null> {
  const dexes = ["", ...deps.settings.dexes];
  const lists = await Promise.all(dexes.map((dex) => deps.reads.openOrders(account.tradingAddress, dex, "cancel")));
  const listed: FrontendOrder[] = [];
  for (const list of lists) {
    if (list.kind === "failed") return null;
    nameUnnamed(deps, account.id, list.value);
    listed.push(...list.value);
  }
  const { orders, unread } = await lookBeside(deps, account, { dexes, listed });
  return { orders: [...listed, ...orders], unread };
}

function isToGo({ markets }: With<"markets">, stop: Stop, order: FrontendOrder): boolean {
  const pairName = markets.current()?.byName.get(order.coin)?.pairName ?? null;
  return !stop.keepsProtection || canIncrease(termsOf(order), pairName);
}

/** Filled in part, by what the list shows of it or by fills that are known: its children would go with it. */
function protectsWhatItFilled({ store }: With<"store">, account: Account, order: FrontendOrder): boolean {
  const { children, size, originalSize } = order;
  if (children.length === 0) return false;
  const isLess = originalSize === null || compare(size, originalSize) < 0;
  return isLess || !isZero(sumFillsOf(store, account.id, filledOrder(order)).size);
}

/**
 * Whether an order from elsewhere may be canceled now. Before one goes, a stop of ours stands for that which would go with it, where what
 * protects is to stay; where the order stays, that stop is taken back.
 */
export async function mayGo(
  deps: ToCancelOutside,
  account: Account,
  order: FrontendOrder,
  keepsProtection: boolean,
): Promise<"goes" | "stays" | "pending"> {
  const isStopNeeded = keepsProtection && !protectsWhatItFilled(deps, account, order);
  const stopped = isStopNeeded ? await standIn(deps, account, order) : "stands";
  if (stopped === "pending") return "pending";
  // It may have been filled while that was placed.
  if (stopped === "stands" && !protectsWhatItFilled(deps, account, order)) return "goes";
  // Its children may have gone with it already, whatever this list shows: the stop that stands in for theirs stays.
  if (mayHaveGone(deps, account, order)) return hasStandIn(deps, account, order) ? "goes" : "stays";
  await takeBack(deps, account, order);
  return "stays";
}

/** A cancel of ours may have closed it, and the list be from before that. */
function mayHaveGone(
  { exchange, store }: With<"exchange" | "store">,
  account: Account,
  { oid }: FrontendOrder,
): boolean {
  const leg = findLegByOid(store, account.id, oid);
  if (leg === null) return false;
  return listAttemptsOf(store, leg.orderId).some(
    (attempt) =>
      attempt.kind === "cancel" &&
      (attempt.state !== "done" || attempt.hasLanded || exchange.nowMs() < endsAtMs(attempt) + BEHIND_MS),
  );
}

/** Gives what a list shows open a row of its own, with what was told of its fills; its id. */
export function adoptListed(deps: ToCancelOutside, account: Account, order: FrontendOrder): string {
  const filled = mostFilled(deps, account, order, null);
  const record = { order, status: "open", statusTimestampMs: order.timestampMs, filled };
  return adoptOutsideOrder(deps, describeOutside(deps, account, record)).id;
}

type Withdrawing = { stop: Stop; account: Account; order: FrontendOrder };

/** False where it is not known yet whether it may go. */
async function withdraw(deps: ToCancelOutside, { stop, account, order }: Withdrawing): Promise<boolean> {
  const verdict = await mayGo(deps, account, order, stop.keepsProtection);
  if (verdict === "pending") return false;
  const { oid: nativeId, coin: market } = order;
  const outcome = verdict === "goes" ? "canceled" : "kept";
  // Before it is canceled: whatever dies after that, it is told.
  inTransaction(deps.store, (store) =>
    noteOutside(store, { stopId: stop.id, kind: "order", nativeId, market, outcome }),
  );
  if (verdict === "stays") return true;
  const orderId = adoptListed(deps, account, order);
  await cancelCovered(deps, deps.settling, { name: nameOfStop(stop), account, orderId });
  return true;
}
