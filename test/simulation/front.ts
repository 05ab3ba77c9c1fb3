/** How a client of a run reaches the gateway: past HTTP, straight at the verbs, or through the whole HTTP edge. */

import { adjustMargin } from "../../src/actions/adjust-margin.ts";
import { keptKey } from "../../src/actions/authenticate.ts";
import { beatHeart } from "../../src/actions/beat-heart.ts";
import { cancelOrders } from "../../src/actions/cancel-all.ts";
import { cancelOrder } from "../../src/actions/cancel-order.ts";
import { cancelTwap } from "../../src/actions/cancel-twap.ts";
import { cancelTrade, modifyTrade } from "../../src/actions/change-trade.ts";
import { closePosition } from "../../src/actions/close-position.ts";
import { createTrade, type WantedGuard } from "../../src/actions/create-trade.ts";
import { createTwap } from "../../src/actions/create-twap.ts";
import { flattenStop } from "../../src/actions/flatten-stop.ts";
import { getOrder } from "../../src/actions/get-order.ts";
import { getTrade } from "../../src/actions/get-trade.ts";
import { listFills } from "../../src/actions/list-fills.ts";
import { getOperation } from "../../src/actions/list-operations.ts";
import { listOrders } from "../../src/actions/list-orders.ts";
import { listPositions } from "../../src/actions/list-positions.ts";
import { modifyOrder } from "../../src/actions/modify-order.ts";
import { narrowKey } from "../../src/actions/narrow-key.ts";
import { placeBatch } from "../../src/actions/place-batch.ts";
import { placeMarketOrder } from "../../src/actions/place-market-order.ts";
import { placeOrder } from "../../src/actions/place-order.ts";
import { setLeverage } from "../../src/actions/set-leverage.ts";
import { stopTrading } from "../../src/actions/stop-trading.ts";
import { decimal } from "../../src/core/decimal.ts";
import { ApiError, ERROR_STATUS } from "../../src/core/errors.ts";
import type { Side, TimeInForce, Trigger } from "../../src/core/order.ts";
import type { StopScope } from "../../src/core/stop.ts";
import type { Deps } from "../../src/deps.ts";
import type { Caller } from "../../src/write/caller.ts";
import { printRequest } from "../../src/write/fingerprint.ts";
import { testRequest } from "../support/request.ts";
import type { GatewayProcess } from "./process.ts";
import type { Party } from "./template.ts";

/** What a client asks. `id` is whatever the client knows the order by. */
export type Ask =
  | {
      kind: "place";
      market: string;
      side: Side;
      size: string;
      price: string;
      timeInForce: TimeInForce;
      trigger: Trigger | null;
      reduceOnly: boolean;
    }
  | { kind: "modify"; id: string; price: string | null; size: string | null; alwaysPlace: boolean }
  | { kind: "cancel"; id: string }
  | { kind: "leverage"; market: string; leverage: number; marginType: "cross" | "isolated" }
  | { kind: "margin"; market: string; amount: string }
  | { kind: "twap"; market: string; side: Side; size: string; minutes: number }
  | { kind: "twap_cancel"; market: string; twapId: number }
  | { kind: "market"; market: string; side: Side; size: string; reduceOnly: boolean; bps: number }
  | { kind: "close"; market: string; fraction: string; keepsTriggers: boolean }
  | { kind: "cancel_all"; touches: "own" | "all" }
  | { kind: "batch"; orders: readonly Omit<Extract<Ask, { kind: "place" }>, "kind">[] }
  | {
      kind: "trade";
      market: string;
      side: Side;
      size: string;
      price: string;
      timeInForce: TimeInForce;
      stop: string;
      profit: string | null;
    }
  | { kind: "trade_cancel"; id: string }
  | { kind: "trade_modify"; id: string; stop: string | null; profit: string | null }
  | { kind: "get_trade"; id: string }
  | { kind: "flatten"; id: string; bps: number }
  | { kind: "beat"; withinS: number | null }
  | { kind: "narrow"; rails: Readonly<Record<string, string>>; isToCancel: boolean }
  | { kind: "stop"; scope: StopScope; keepsProtection: boolean }
  | { kind: "get"; id: string }
  | { kind: "get_operation"; id: string }
  | { kind: "list" }
  | { kind: "list_open" }
  | { kind: "fills" }
  | { kind: "positions" };

export type Answered = { status: number; body: string; isReplay: boolean };

/** Null key for reads. Rejects only when the process dies or has a fault of its own. */
export type Front = (process: GatewayProcess, party: Party, key: string | null, ask: Ask) => Promise<Answered>;

/** The verbs, called as the routes call them. */
export async function askDirectly(...[process, party, key, ask]: Parameters<Front>): Promise<Answered> {
  const { deps } = process.gateway;
  const caller: Caller = {
    account: party.account,
    key: party.key,
    reader: { reader: party.key.keyHash },
    charge: () => undefined,
  };
  try {
    return await answerOf(deps, caller, key === null ? "" : keptKey(deps, caller.key, key), ask);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message } = error;
    return { status: ERROR_STATUS[code], body: JSON.stringify({ error: { code, message } }), isReplay: false };
  }
}

async function answerOf(deps: Deps, caller: Caller, idempotencyKey: string, ask: Ask): Promise<Answered> {
  const print = (route: string, id: string | null, body: Parameters<typeof printRequest>[2]) => ({
    idempotencyKey,
    fingerprint: printRequest(route, id, body),
  });
  switch (ask.kind) {
    case "place": {
      const { kind: _kind, ...terms } = ask;
      const body = { ...terms, account: caller.account.id, trigger: terms.trigger };
      return placeOrder(deps, caller, { ...terms, accountId: caller.account.id, ...print("place_order", null, body) });
    }
    case "modify": {
      const { kind: _kind, id, ...body } = ask;
      return modifyOrder(deps, caller, { id, ...body, trigger: null, ...print("modify_order", id, body) });
    }
    case "cancel":
      return cancelOrder(deps, caller, { id: ask.id, ...print("cancel_order", ask.id, {}) });
    case "leverage": {
      const { kind: _kind, ...body } = ask;
      return setLeverage(deps, caller, { ...body, ...print("set_leverage", null, body) });
    }
    case "margin": {
      const { kind: _kind, ...body } = ask;
      return adjustMargin(deps, caller, { ...body, ...print("adjust_margin", null, body) });
    }
    case "twap": {
      const { kind: _kind, minutes, ...body } = ask;
      const terms = { ...body, durationMinutes: minutes, randomize: false, reduceOnly: false };
      return createTwap(deps, caller, { ...terms, ...print("create_twap", null, terms) });
    }
    case "twap_cancel": {
      const { kind: _kind, ...body } = ask;
      return cancelTwap(deps, caller, { ...body, ...print("cancel_twap", null, body) });
    }
    case "market": {
      const { kind: _kind, bps: maxSlippageBps, ...terms } = ask;
      const wanted = { ...terms, accountId: caller.account.id, maxSlippageBps };
      return placeMarketOrder(deps, caller, { ...wanted, ...print("place_market_order", null, wanted) });
    }
    case "close": {
      const { market, fraction, keepsTriggers } = ask;
      const body = { market, fraction, keepsTriggers };
      const wanted = { ...body, accountId: caller.account.id, fraction: decimal(fraction), touches: "own" } as const;
      return closePosition(deps, caller, { ...wanted, maxSlippageBps: 50, ...print("close_position", null, body) });
    }
    case "cancel_all": {
      const { touches } = ask;
      const terms = { market: null, side: null, touches, keepsProtection: true, accountId: caller.account.id };
      return cancelOrders(deps, caller, { ...terms, ...print("cancel_all_orders", null, terms) });
    }
    case "batch": {
      const { orders } = ask;
      const body = { orders: Object.fromEntries(orders.map((terms, index) => [String(index), terms])) };
      const wanted = { orders, accountId: caller.account.id };
      return placeBatch(deps, caller, { ...wanted, ...print("place_batch", null, body) });
    }
    case "trade": {
      const { kind: _kind, stop, profit, ...terms } = ask;
      const wanted = { ...terms, stopLoss: atMarket(stop), takeProfit: profit === null ? null : atMarket(profit) };
      const body = { ...terms, stop, profit };
      return createTrade(deps, caller, {
        ...wanted,
        accountId: caller.account.id,
        ...print("create_trade", null, body),
      });
    }
    case "trade_cancel":
      return cancelTrade(deps, caller, { id: ask.id, ...print("cancel_trade", ask.id, {}) });
    case "trade_modify": {
      const { id, stop, profit } = ask;
      const guards = {
        stopLoss: stop === null ? null : atMarket(stop),
        takeProfit: profit === null ? null : atMarket(profit),
      };
      return modifyTrade(deps, caller, { id, ...guards, ...print("modify_trade", id, { stop, profit }) });
    }
    case "flatten":
      return flattenStop(deps, caller, { id: ask.id, maxSlippageBps: ask.bps });
    case "beat":
      return { status: 200, isReplay: false, body: beatHeart(deps, caller, { withinS: ask.withinS }) };
    case "narrow":
      return { status: 200, isReplay: false, body: narrowKey(deps, caller, ask) };
    case "stop": {
      const { scope, keepsProtection } = ask;
      return stopTrading(deps, caller, { scope, keepsProtection, idempotencyKey: idempotencyKey || null });
    }
    default:
      return { status: 200, isReplay: false, body: (await read(deps, caller, ask)).body };
  }
}

function atMarket(triggerPrice: string): WantedGuard {
  return { triggerPrice, limitPrice: null };
}

type Read = Extract<
  Ask,
  { kind: "get" | "get_trade" | "get_operation" | "list" | "list_open" | "fills" | "positions" }
>;

async function read(deps: Deps, caller: Caller, ask: Read): Promise<{ body: string }> {
  switch (ask.kind) {
    case "get":
      return getOrder(deps, caller, ask.id);
    case "get_trade":
      return getTrade(deps, caller, ask.id);
    case "get_operation":
      return getOperation(deps, caller, ask.id);
    case "list":
      return listOrders(deps, caller, { status: null, dex: null, cursor: null, limit: 100 });
    case "list_open":
      return listOrders(deps, caller, { status: "open", dex: null, cursor: null, limit: 100 });
    case "positions":
      return listPositions(deps, caller, { dex: null, cursor: null, limit: 100 });
    case "fills":
      return listFills(deps, caller, { cursor: null, limit: 500 });
  }
}

/** Requests and answers as HTTP has them, without a socket. */
export async function askOverHttp(...[process, party, key, ask]: Parameters<Front>): Promise<Answered> {
  const { method, path, body } = httpRequest(party, ask);
  const request = testRequest({
    method,
    path,
    apiKey: party.apiKey,
    ...(key === null ? {} : { idempotencyKey: key }),
    ...(body === undefined ? {} : { body }),
  });
  const response = await process.gateway.server.handle(request, "10.0.0.1");
  return {
    status: response.status,
    body: await response.text(),
    isReplay: response.headers.get("Idempotent-Replayed") === "true",
  };
}

function termsBody({
  timeInForce,
  reduceOnly,
  trigger,
  ...rest
}: Omit<Extract<Ask, { kind: "place" }>, "kind">): object {
  const flags = { time_in_force: timeInForce, reduce_only: reduceOnly };
  return { ...rest, ...flags, ...(trigger === null ? {} : { trigger }) };
}

type Http = { method: "GET" | "POST" | "PUT"; path: string; body?: object };

function httpRequest(party: Party, ask: Ask): Http {
  switch (ask.kind) {
    case "place": {
      const { kind: _kind, ...terms } = ask;
      return { method: "POST", path: "/v1/orders", body: { account: party.account.id, ...termsBody(terms) } };
    }
    case "batch": {
      const body = { account: party.account.id, orders: ask.orders.map(termsBody) };
      return { method: "POST", path: "/v1/orders/batch", body };
    }
    case "modify": {
      const { id, price, size, alwaysPlace } = ask;
      const body = {
        ...(price === null ? {} : { price }),
        ...(size === null ? {} : { size }),
        always_place: alwaysPlace,
      };
      return { method: "POST", path: `/v1/orders/${id}/modify`, body };
    }
    case "cancel":
      return { method: "POST", path: `/v1/orders/${ask.id}/cancel`, body: {} };
    case "leverage": {
      const { market, leverage, marginType } = ask;
      return { method: "POST", path: "/v1/leverage", body: { market, leverage, margin_type: marginType } };
    }
    case "margin":
      return { method: "POST", path: "/v1/margin", body: { market: ask.market, amount: ask.amount } };
    case "twap": {
      const { market, side, size, minutes } = ask;
      return { method: "POST", path: "/v1/twaps", body: { market, side, size, duration_minutes: minutes } };
    }
    case "twap_cancel":
      return { method: "POST", path: "/v1/twaps/cancel", body: { market: ask.market, twap_id: ask.twapId } };
    case "market": {
      const { market, side, size, reduceOnly, bps } = ask;
      const flags = { reduce_only: reduceOnly, max_slippage_bps: bps };
      const body = { account: party.account.id, market, side, size, ...flags };
      return { method: "POST", path: "/v1/orders/market", body };
    }
    case "close": {
      const { market, fraction, keepsTriggers } = ask;
      const body = { account: party.account.id, market, fraction, keep_triggers: keepsTriggers };
      return { method: "POST", path: "/v1/positions/close", body };
    }
    case "cancel_all": {
      const body = { account: party.account.id, touches: ask.touches };
      return { method: "POST", path: "/v1/orders/cancel-all", body };
    }
    case "trade": {
      const { market, side, size, price, timeInForce, stop, profit } = ask;
      const entry = { price, time_in_force: timeInForce };
      const guards = {
        stop_loss: { trigger_price: stop },
        ...(profit === null ? {} : { take_profit: { trigger_price: profit } }),
      };
      const body = { account: party.account.id, market, side, size, entry, ...guards };
      return { method: "POST", path: "/v1/trades", body };
    }
    case "trade_cancel":
      return { method: "POST", path: `/v1/trades/${ask.id}/cancel`, body: {} };
    case "trade_modify": {
      const { id, stop, profit } = ask;
      const body = {
        ...(stop === null ? {} : { stop_loss: { trigger_price: stop } }),
        ...(profit === null ? {} : { take_profit: { trigger_price: profit } }),
      };
      return { method: "POST", path: `/v1/trades/${id}/modify`, body };
    }
    case "get_trade":
      return { method: "GET", path: `/v1/trades/${ask.id}` };
    case "flatten":
      return { method: "POST", path: `/v1/stops/${ask.id}/flatten`, body: { max_slippage_bps: ask.bps } };
    case "beat":
      return { method: "PUT", path: "/v1/heartbeat", body: { within_s: ask.withinS } };
    case "narrow": {
      const body = { ...ask.rails, cancel_orders: ask.isToCancel };
      return { method: "POST", path: "/v1/api-keys/self/narrow", body };
    }
    case "stop":
      return { method: "POST", path: "/v1/stop", body: { scope: ask.scope, keep_protection: ask.keepsProtection } };
    case "get":
      return { method: "GET", path: `/v1/orders/${ask.id}` };
    case "get_operation":
      return { method: "GET", path: `/v1/operations/${ask.id}` };
    case "list":
      return { method: "GET", path: "/v1/orders?limit=100" };
    case "list_open":
      return { method: "GET", path: "/v1/orders?status=open&limit=100" };
    case "positions":
      return { method: "GET", path: "/v1/positions?limit=100" };
    case "fills":
      return { method: "GET", path: "/v1/fills?limit=500" };
  }
}
