import type { WriteAnswer } from "../core/idempotency.ts";
import type { Market } from "../core/market.ts";
import type { OrderTerms, Side } from "../core/order.ts";
import { isoTime } from "../core/resource.ts";
import { MAX_DISTANCE_PERCENT, type PriceBounds, worstPrice } from "../core/worst-price.ts";
import { railsOfKey } from "../store/narrowings.ts";
import type { Caller } from "../write/caller.ts";
import { requestOf, type WriteKey } from "../write/key.ts";
import { requireOwnAccount } from "../write/own-account.ts";
import { runWrite } from "../write/run.ts";
import type { Plan } from "../write/verb.ts";
import { requireMarket } from "./market-rules.ts";
import { planPlacing, type ToPlaceOrder } from "./place-order.ts";
import { noPrice, type PricesNow, requirePrices } from "./prices-now.ts";

/** `market` is what the client wrote; the fingerprint holds the slippage, and no price. */
export type PlaceMarketOrder = WriteKey &
  Pick<OrderTerms, "market" | "side" | "size" | "reduceOnly"> & { accountId: string; maxSlippageBps: number };

/**
 * `POST /v1/orders/market`: an order that executes at once or not at all, at no worse price than the book of now and the
 * slippage allow. It is priced when it is planned, and never again: a repeat of its key is the same order.
 */
export async function placeMarketOrder(
  deps: ToPlaceOrder,
  caller: Caller,
  wanted: PlaceMarketOrder,
): Promise<WriteAnswer> {
  requireOwnAccount(caller, wanted.accountId);
  const { market, side, size, reduceOnly } = wanted;
  const asked = { market, side, size, reduce_only: reduceOnly };
  return runWrite(deps, {
    ...requestOf(deps, caller, wanted),
    route: "POST /v1/orders/market",
    bucket: "orders",
    isCancel: false,
    asked,
    placedTerms: { ...asked, time_in_force: "ioc", trigger: null },
    isCreating: true,
    plan: () => planMarketOrder(deps, caller, wanted),
  });
}

async function planMarketOrder(deps: ToPlaceOrder, caller: Caller, wanted: PlaceMarketOrder): Promise<Plan> {
  const { side, reduceOnly, maxSlippageBps } = wanted;
  const market = await requireMarket(deps, wanted.market, !reduceOnly);
  const now = await requirePrices(deps, market, { side, account: caller.account, isReduction: reduceOnly });
  const { prices } = now;
  // Getting out is not refused by a rail that is narrower than the slippage: it is priced within both, as a close is.
  const maxDistance = reduceOnly ? (railsOfKey(deps.store, caller.key.keyHash)?.maxDistance ?? null) : null;
  const price = requireWorstPrice(market, side, { prices, maxSlippageBps, maxDistance, first: null });
  const order = { ...wanted, price, timeInForce: "ioc", trigger: null } as const;
  return planPlacing(deps, caller, { ...order, note: howPriced({ side, price, maxSlippageBps, now }) });
}

/** Throws where the best price itself is beyond the bounds. */
export function requireWorstPrice(market: Market, side: Side, bounds: PriceBounds): string {
  const price = worstPrice(market, side, bounds);
  if (price !== null) return price;
  const { best, low, high } = bounds.prices;
  const from = `${bounds.maxDistance ?? MAX_DISTANCE_PERCENT} % from mark and oracle (${low} to ${high})`;
  throw noPrice(`The best price of ${market.name} to ${side} at, ${best}, is further than ${from}`);
}

type PricedAtMarket = { side: Side; price: string; maxSlippageBps: number; now: Extract<PricesNow, { kind: "ok" }> };

/** For the order's story. */
export function howPriced({ side, price, maxSlippageBps, now }: PricedAtMarket): { what: string; detail: string } {
  const { best, low, high } = now.prices;
  const what = now.by === "mark" ? "last mark" : `best ${side === "buy" ? "ask" : "bid"}`;
  const from = `${what} ${best} of ${isoTime(now.timeMs)}`;
  const detail = `worst price ${price}: ${maxSlippageBps} basis points from the ${from}, mark and oracle ${low} to ${high}`;
  return { what: "priced", detail };
}
