import { compare, type Decimal, decimal, ZERO } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import type { WriteAnswer } from "../core/idempotency.ts";
import { type Entering, lateStop } from "../core/liquidation.ts";
import { isAfterAll } from "../core/mark.ts";
import { isSpot, type Market } from "../core/market.ts";
import type { Side, TimeInForce, Trigger } from "../core/order.ts";
import { tradeText } from "../core/resource.ts";
import {
  type Guard,
  keyOfTrade,
  otherSide,
  type Trade,
  type TradePath,
  type TradeTerms,
  UNTOLD,
  worstPriceOf,
} from "../core/trade.ts";
import type { ToWrite, With } from "../deps.ts";
import { listOpenLegs } from "../store/open-legs.ts";
import { insertTrade, listOpenTradesOf } from "../store/trades.ts";
import { wireOrder } from "../wire/action/order.ts";
import { mintOrderId } from "../wire/order-id.ts";
import type { Caller } from "../write/caller.ts";
import { requestOf, type WriteKey } from "../write/key.ts";
import { requireOwnAccount } from "../write/own-account.ts";
import { runWrite } from "../write/run.ts";
import type { Plan, Reserved } from "../write/verb.ts";
import { MARGIN_AGE_MS } from "./current.ts";
import { type BackingFacts, backingsOf, readBacking } from "./liquidation-facts.ts";
import { knownFault, readRulesAgain, requireMarket } from "./market-rules.ts";
import { requireUnmetStop } from "./met-stop.ts";
import { notBegun } from "./not-asked.ts";

/** As a client asks for it; without a limit price it executes at market. */
export type WantedGuard = { triggerPrice: string; limitPrice: string | null };

export type CreateTrade = WriteKey & {
  accountId: string;
  market: string;
  side: Side;
  size: string;
  price: string;
  timeInForce: TimeInForce;
  stopLoss: WantedGuard;
  takeProfit: WantedGuard | null;
};

export type ToTrade = ToWrite & With<"ownWrites" | "reads" | "trader">;

/** `POST /v1/trades`: stored, and pursued from then on. Nothing is sent before it is stored. */
export async function createTrade(deps: ToTrade, caller: Caller, wanted: CreateTrade): Promise<WriteAnswer> {
  requireOwnAccount(caller, wanted.accountId);
  requireSides(wanted);
  const answer = await runWrite(deps, {
    ...requestOf(deps, caller, wanted),
    route: "POST /v1/trades",
    bucket: "orders",
    isCancel: false,
    asked: askedOf(wanted),
    placedTerms: null,
    isCreating: false,
    plan: () => planTrade(deps, caller, wanted),
  });
  deps.trader.heed();
  return answer;
}

/** By the names of its body, for the message that says what differs. */
function askedOf({ market, side, size, price, timeInForce, stopLoss, takeProfit }: CreateTrade) {
  const named = (guard: WantedGuard | null) =>
    guard === null ? null : { trigger_price: guard.triggerPrice, limit_price: guard.limitPrice };
  const entry = { price, time_in_force: timeInForce };
  return { market, side, size, entry, stop_loss: named(stopLoss), take_profit: named(takeProfit) };
}

type Sided = Pick<CreateTrade, "side" | "price" | "stopLoss" | "takeProfit">;

/** Refuses a stop-loss that is not on the losing side of the entry's price, and a take-profit that is not on the winning side. */
export function requireSides({ side, price, stopLoss, takeProfit }: Sided): void {
  if (!isWorse(side, stopLoss.triggerPrice, price))
    refuse(`stop_loss.trigger_price ${stopLoss.triggerPrice} is not on the losing side of the entry's price ${price}`);
  if (takeProfit !== null && !isWorse(side, price, takeProfit.triggerPrice))
    refuse(
      `take_profit.trigger_price ${takeProfit.triggerPrice} is not on the winning side of the entry's price ${price}`,
    );
  requireLimits(side, [stopLoss, takeProfit]);
}

/** Refuses a limit price that is better than its trigger price: the exchange takes none. */
export function requireLimits(side: Side, guards: readonly (WantedGuard | null)[]): void {
  for (const guard of guards) {
    if (guard === null || guard.limitPrice === null || !isWorse(side, guard.triggerPrice, guard.limitPrice)) continue;
    refuse(`limit_price ${guard.limitPrice} is better than its trigger_price ${guard.triggerPrice}`);
  }
}

/** Whether the first price is worse than the second for somebody who is on this side. */
function isWorse(side: Side, one: string, other: string): boolean {
  return compare(decimal(one), decimal(other)) === (side === "buy" ? -1 : 1);
}

function refuse(what: string): never {
  throw new ApiError("invalid_parameter", `${what}. Nothing was sent.`);
}

async function planTrade(deps: ToTrade, caller: Caller, wanted: CreateTrade): Promise<Plan> {
  const { market, fault } = await ruledMarket(deps, wanted);
  const isUnmet = fault === null ? requireUnmetStop(deps, { ...wanted, market: market.name }) : Promise.resolve();
  const [{ isFlat, backing }] = await Promise.all([readBefore(deps, caller, market), isUnmet]);
  if (fault === null) requireInTime(backing, market, { ...wanted, size: decimal(wanted.size) });
  const { id: accountId } = caller.account;
  const { tag: instanceTag, secret } = deps.instance;
  const nowMs = deps.clock.nowMs();
  const id = mintOrderId({
    nowMs,
    instanceTag,
    secret,
    accountId,
    idempotencyKey: keyOfTrade(wanted.idempotencyKey),
    bot: null,
  });
  const terms = termsOf(market, wanted);
  return {
    resource: { kind: "trade", id },
    use: "order",
    isSent: false,
    isOrder: true,
    increasesFor: [caller.key.keyHash],
    market: market.name,
    keyRow: "own",
    store({ createdAtMs }) {
      const path = isFlat && !hasOwnIn(deps, accountId, market.name) ? "stop_first" : "after_fills";
      const trade = newTrade({ id, caller, terms, path, fault, createdAtMs });
      insertTrade(deps.store, trade);
      const said = { kind: "said", status: 201, body: tradeText(trade) } as const;
      return fault === null ? { ...said, reserves: reservedBy(trade, market) } : said;
    },
  };
}

/** The market, and the rule of it that would certainly refuse the entry or one of its guards. */
async function ruledMarket(deps: ToTrade, wanted: CreateTrade): Promise<{ market: Market; fault: string | null }> {
  const market = await requireMarket(deps, wanted.market, true);
  if (isSpot(market.name))
    throw new ApiError("perpetual_market_required", `${market.name} is a spot market; this needs a perpetual.`);
  const { size, stopLoss, takeProfit } = termsOf(market, wanted);
  const guards = takeProfit === null ? [stopLoss] : [stopLoss, takeProfit];
  const entry = { size, price: wanted.price, trigger: null };
  const all = [entry, ...guards.map((guard) => ({ size, price: guard.price, trigger: triggerOf(guard) }))];
  const faulty = all.find((terms) => knownFault(deps, market, terms) !== null);
  return faulty === undefined ? { market, fault: null } : readRulesAgain(deps, market, faulty, true);
}

/** A guard as a trigger, for the market's rules: they are the same for both kinds, so either will do. */
export function triggerOf({ triggerPrice, isMarket }: Guard): Trigger {
  return { price: triggerPrice, kind: "stop_loss", market: isMarket };
}

function termsOf(market: Market, wanted: CreateTrade): TradeTerms {
  const { side, size, price, timeInForce, stopLoss, takeProfit } = wanted;
  return {
    market: market.name,
    side,
    size,
    price,
    timeInForce,
    stopLoss: guardOf(market, side, stopLoss),
    takeProfit: takeProfit === null ? null : guardOf(market, side, takeProfit),
  };
}

/** @param side of the trade */
export function guardOf(market: Market, side: Side, { triggerPrice, limitPrice }: WantedGuard): Guard {
  const price = limitPrice ?? worstPriceOf(market, otherSide(side), triggerPrice);
  return { triggerPrice, price, isMarket: limitPrice === null };
}

type Before = { isFlat: boolean; backing: BackingFacts };

/**
 * What is read before a trade is planned. `isFlat`: the account holds nothing in the market and has no order there, whoever placed it, by
 * a state that is of now and no older than what the account was told; where the orders cannot be read it is not flat. A stop that went
 * ahead of its entry would close what is held already.
 */
async function readBefore(deps: ToTrade, { account }: Caller, market: Market): Promise<Before> {
  const told = deps.ownWrites.told(account, { dex: market.dex });
  const askedAtMs = deps.clock.nowMs();
  const [backing, orders] = await Promise.all([
    readBacking(deps, { account, market, purpose: "order" }),
    deps.reads.openOrders(account.tradingAddress, market.dex, "order"),
  ]);
  if ("kind" in backing)
    throw notBegun(
      deps,
      "What stands behind the position could not be read as of now, so nobody knows where its stop would come too late",
      backing,
    );
  const { timeMs, positions } = backing.state;
  const isHeld = positions.some(({ coin, signedSize }) => coin === market.name && signedSize !== ZERO);
  const isFree = orders.kind === "ok" && !orders.value.some(({ coin }) => coin === market.name);
  const holdsTold = isAfterAll({ timeMs, heard: null, askedAtMs }, told());
  const isOfNow = deps.exchange.nowMs() - timeMs <= MARGIN_AGE_MS;
  return { isFlat: !isHeld && isFree && holdsTold && isOfNow, backing };
}

type TimedStop = Pick<CreateTrade, "side" | "price" | "stopLoss"> & { size: Decimal };

/** A stop that comes after the liquidation protects nothing. `size`: what of the entry is still to be filled. */
export function requireInTime(facts: BackingFacts, market: Market, { side, size, price, stopLoss }: TimedStop): void {
  const entering: Entering = { side, size, price: decimal(price) };
  const triggerPrice = decimal(stopLoss.triggerPrice);
  for (const backing of backingsOf(facts, market, entering)) {
    const late = lateStop(market, entering, { backing, triggerPrice });
    if (late !== null) throw new ApiError("stop_beyond_liquidation", `${late}. Nothing was sent.`);
  }
}

/** Whether, by our own rows, an order or a trade of the account is open in the market or about to be placed. Inside the transaction. */
function hasOwnIn({ store }: With<"store">, accountId: string, market: string): boolean {
  const legs = listOpenLegs(store, accountId);
  return [...legs, ...listOpenTradesOf(store, accountId)].some((each) => each.market === market);
}

type Making = {
  id: string;
  caller: Caller;
  terms: TradeTerms;
  path: TradePath;
  fault: string | null;
  createdAtMs: number;
};

function newTrade({ id, caller, terms, path, fault, createdAtMs }: Making): Trade {
  return {
    id,
    accountId: caller.account.id,
    keyHash: caller.key.keyHash,
    ...terms,
    createdAtMs,
    path,
    status: fault === null ? "arming" : "rejected",
    isEntryUnwanted: fault !== null,
    entryId: null,
    stops: 0,
    profits: 0,
    ...UNTOLD,
    error: fault,
    endedAtMs: fault === null ? null : createdAtMs,
  };
}

/** The orders that the trade will send later: a key with rails is judged by all of them when the trade is stored. */
export function reservedBy(trade: Trade, { assetId }: Market): Reserved {
  const { id, side, size, price, timeInForce, stopLoss, takeProfit } = trade;
  const shared = { assetId, size, cloid: null };
  const entry = wireOrder({ ...shared, side, price, timeInForce, reduceOnly: false, trigger: null });
  const closing = { ...shared, side: otherSide(side), timeInForce: "gtc" as const, reduceOnly: true };
  const guards = (takeProfit === null ? [stopLoss] : [stopLoss, takeProfit]).map((guard) =>
    wireOrder({
      ...closing,
      price: guard.price,
      trigger: { ...triggerOf(guard), kind: guard === stopLoss ? "stop_loss" : "take_profit" },
    }),
  );
  return { id, entry, guards };
}
