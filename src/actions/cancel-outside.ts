import type { Account } from "../core/account.ts";
import { compare } from "../core/decimal.ts";
import { findMarket } from "../core/market.ts";
import { canIncrease, type Stop } from "../core/stop.ts";
import type { With } from "../deps.ts";
import { nameUnnamed } from "../settle/look/unnamed.ts";
import { cancelCovered, nameOfStop, type ToCancel } from "../settle/stop/cancel-covered.ts";
import { inTransaction } from "../store/commit.ts";
import { findLegByOid } from "../store/legs.ts";
import { noteOutside } from "../store/stops.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { termsOf } from "../wire/answer/order-terms.ts";
import { adoptOutsideOrder } from "./adopt-order.ts";
import { describeOutside, legShown } from "./outside-order.ts";

export type ToCancelOutside = ToCancel & With<"instance" | "reads" | "settling">;

/**
 * Cancels the orders of an account that were placed elsewhere and can increase a position, each once. An order that is
 * filled in part and has stop-loss or take-profit children stays: they go with it, and what it has filled would stand without
 * protection. False where the lists could not be read, or the market of one is not known yet: the others go meanwhile.
 */
export async function cancelOutside(deps: ToCancelOutside, stop: Stop, account: Account): Promise<boolean> {
  const found = await listedNow(deps, account);
  if (found === null) return false;
  const outside = found.filter((order) => isElsewhere(deps, account, order) && isToGo(deps, stop, order));
  const known = outside.filter(({ coin }) => isKnown(deps, coin));
  await Promise.all(known.map((order) => withdraw(deps, { stop, account, order })));
  return known.length === outside.length;
}

/** Without its number in the list of markets nothing can be signed for it. */
function isKnown({ markets }: With<"markets">, coin: string): boolean {
  const universe = markets.current();
  return universe !== null && findMarket(universe, coin) !== null;
}

/** All that the exchange lists as open; null where a list could not be read. */
export async function listedNow(deps: ToCancelOutside, account: Account): Promise<FrontendOrder[] | null> {
  const dexes = ["", ...deps.settings.dexes];
  const lists = await Promise.all(dexes.map((dex) => deps.reads.openOrders(account.tradingAddress, dex, "cancel")));
  const found: FrontendOrder[] = [];
  for (const list of lists) {
    if (list.kind === "failed") return null;
    nameUnnamed(deps, account.id, list.value);
    found.push(...list.value);
  }
  return found;
}

export function isElsewhere(deps: ToCancelOutside, account: Account, order: FrontendOrder): boolean {
  return legShown(deps, account, order) === null && findLegByOid(deps.store, account.id, order.oid) === null;
}

function isToGo({ markets }: With<"markets">, stop: Stop, order: FrontendOrder): boolean {
  const pairName = markets.current()?.byName.get(order.coin)?.pairName ?? null;
  return !stop.keepsProtection || canIncrease(termsOf(order), pairName);
}

/** Filled in part, by what the list shows of it: its children would go with it. */
export function protectsWhatItFilled({ children, size, originalSize }: FrontendOrder): boolean {
  return children.length > 0 && (originalSize === null || compare(size, originalSize) < 0);
}

type Withdrawing = { stop: Stop; account: Account; order: FrontendOrder };

async function withdraw(deps: ToCancelOutside, { stop, account, order }: Withdrawing): Promise<void> {
  const isKept = protectsWhatItFilled(order);
  if (!isKept) {
    const record = { order, status: "open", statusTimestampMs: order.timestampMs, filled: null };
    const { id: orderId } = adoptOutsideOrder(deps, describeOutside(deps, account, record));
    await cancelCovered(deps, deps.settling, { name: nameOfStop(stop), account, orderId });
  }
  const { oid: nativeId, coin: market } = order;
  inTransaction(deps.store, (store) =>
    noteOutside(store, { stopId: stop.id, kind: "order", nativeId, market, outcome: isKept ? "kept" : "canceled" }),
  );
}
