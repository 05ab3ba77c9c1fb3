/** /v1/trades: entries with what protects them. */
import type { Static } from "@sinclair/typebox";
import { cancelTrade, modifyTrade } from "../actions/change-trade.ts";
import { createTrade, type WantedGuard } from "../actions/create-trade.ts";
import { getTrade, listTrades } from "../actions/get-trade.ts";
import { ApiError } from "../core/errors.ts";
import { type PrintedBody, printRequest } from "../write/fingerprint.ts";
import type { ContractAnswer } from "./contract.ts";
import { EXAMPLE_ACCOUNT_ID } from "./examples.ts";
import { requireNotZero } from "./order-rules.ts";
import { readFilter, readLimit } from "./query.ts";
import { type Route, readRoute, writeRoute } from "./route.ts";
import { words } from "./schema/common.ts";
import { CursorParameter, FILTER_PARAMETERS, LimitParameter, listOf, PAGES_MAY_BE_SHORT } from "./schema/list.ts";
import { CancelTradeBody, CreateTradeBody, ModifyTradeBody, TradeResource } from "./schema/trade.ts";

const EXAMPLE_CREATE_TRADE = {
  account: EXAMPLE_ACCOUNT_ID,
  market: "BTC",
  side: "buy",
  size: "0.01",
  entry: { price: "60000" },
  stop_loss: { trigger_price: "58500" },
  take_profit: { trigger_price: "64000", limit_price: "63900" },
};

const EXAMPLE_TRADE = {
  id: "01a1fbcb-1a60-7c3d-8e2f-7c8d9e0f1a2b",
  object: "trade",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  market: "BTC",
  side: "buy",
  size: "0.01",
  entry: { price: "60000", time_in_force: "gtc", order: null },
  stop_loss: { trigger_price: "58500", price: "52650", market: true, order: null },
  take_profit: { trigger_price: "64000", price: "63900", market: false, order: null },
  path: "stop_first",
  status: "arming",
  filled_size: "0",
  held_size: "0",
  protected: true,
  unprotected_since: null,
  unprotected_because: null,
  error: null,
  created_at: "2026-11-21T09:30:00.000Z",
  ended_at: null,
};

const TAG = "Trades";
const ID = { description: "UUID of the trade.", example: EXAMPLE_TRADE.id };

function answer(status: 200 | 201, description: string): ContractAnswer {
  return { status, description, schema: TradeResource, example: EXAMPLE_TRADE, headers: ["Idempotent-Replayed"] };
}

const create = writeRoute(
  {
    name: "create_trade",
    method: "POST",
    path: "/v1/trades",
    tag: TAG,
    summary: "Enter with protection",
    description:
      "A limit order together with the stop-loss, and the take-profit, of what it fills. It is stored, and pursued from then on by orders of its own, also after a restart. Where the account has nothing in the market, the stop goes first, whole, and the entry once the exchange has taken it; else a stop of just what is filled follows each fill, the new one before the old one goes. What one of both closes, the other no longer covers. A stop that fires or is taken away ends the entry; an entry that could not be sent for a minute is not sent any more. A stop beyond the price at which the exchange would liquidate what is held once the entry has filled is refused with that price (409 `stop_beyond_liquidation`), by the figures that the exchange shows at that moment; it is not judged for cross margin of a builder-deployed dex, nor under portfolio margin. A stop that the mark has come to already is refused with the mark (409 `stop_already_met`); where the mark comes to it before the entry is sent, nothing is entered, and where the exchange refuses it for that once something is held, what is held is closed at the worst price of the stop. Of a key with rails the whole trade counts from the answer on. Read it, or follow `trade.updated`, to see whether it is `protected`.",
    access: "trading:write",
    body: CreateTradeBody,
    bodyExample: EXAMPLE_CREATE_TRADE,
    answers: [answer(201, "The trade, as it was taken. What the market's rules refuse is `status` `rejected`.")],
    errors: [
      "account_mismatch",
      "unknown_market",
      "perpetual_market_required",
      "trading_stopped",
      "too_many_open_orders",
      "stop_already_met",
      "stop_beyond_liquidation",
    ],
  },
  (deps, caller, { body, idempotencyKey }) => {
    const { account, market, side, size, entry, stop_loss: stopLoss, take_profit: takeProfit } = body;
    requireNotZero("size", size);
    requireNotZero("entry.price", entry.price);
    const accountId = account.toLowerCase();
    const timeInForce = entry.time_in_force ?? "gtc";
    const terms = { market, side, size, price: entry.price, timeInForce };
    const guards = { stopLoss: readGuard("stop_loss", stopLoss), takeProfit: readWanted("take_profit", takeProfit) };
    const printed = {
      account: accountId,
      market,
      side,
      size,
      entry: { price: entry.price, time_in_force: timeInForce },
      ...printedGuards(guards),
    };
    const fingerprint = printRequest("create_trade", null, printed);
    return createTrade(deps, caller, { accountId, ...terms, ...guards, idempotencyKey, fingerprint });
  },
);

type SentGuard = Static<typeof CreateTradeBody>["stop_loss"];

function readGuard(name: string, { trigger_price: triggerPrice, limit_price: limitPrice }: SentGuard): WantedGuard {
  requireNotZero(`${name}.trigger_price`, triggerPrice);
  if (limitPrice !== undefined) requireNotZero(`${name}.limit_price`, limitPrice);
  return { triggerPrice, limitPrice: limitPrice ?? null };
}

function readWanted(name: string, guard: SentGuard | undefined): WantedGuard | null {
  return guard === undefined ? null : readGuard(name, guard);
}

/** The names of the body: a print is stored, and must outlive a change of ours. */
function printedGuards(guards: { stopLoss: WantedGuard | null; takeProfit: WantedGuard | null }): PrintedBody {
  const printed = (guard: WantedGuard | null) =>
    guard === null ? null : { trigger_price: guard.triggerPrice, limit_price: guard.limitPrice };
  return { stop_loss: printed(guards.stopLoss), take_profit: printed(guards.takeProfit) };
}

const cancel = writeRoute(
  {
    name: "cancel_trade",
    method: "POST",
    path: "/v1/trades/{id}/cancel",
    tag: TAG,
    summary: "Cancel the entry of a trade",
    description:
      "No more is entered: an entry that rests is canceled, one that was not sent is not. What protects the trade stays while it holds something, and goes then. Said of a trade that has ended it changes nothing.",
    access: "trading:write",
    id: ID,
    body: CancelTradeBody,
    bodyExample: {},
    isBodyOptional: true,
    answers: [answer(200, "The trade, whose entry is being canceled.")],
    errors: ["invalid_id", "trade_not_found"],
  },
  (deps, caller, { id, idempotencyKey }) =>
    cancelTrade(deps, caller, { id, idempotencyKey, fingerprint: printRequest("cancel_trade", id, {}) }),
);

const modify = writeRoute(
  {
    name: "modify_trade",
    method: "POST",
    path: "/v1/trades/{id}/modify",
    tag: TAG,
    summary: "Move the stop or the profit of a trade",
    description:
      "An order on the new terms is placed, and the old one goes when the exchange has taken it. One that the exchange refuses leaves the old one in force; it is tried again after ten seconds, and the more seldom the longer. What has been placed 32 times is not moved any more (409 `trade_not_modifiable`). While the entry may fill, the stop stays on its losing side; afterwards it may follow the price, and is not moved to where the mark is already: that is what a close is for. Nor is the take-profit of what is held (409 `take_profit_already_met`).",
    access: "trading:write",
    id: ID,
    body: ModifyTradeBody,
    bodyExample: { stop_loss: { trigger_price: "59000" } },
    answers: [answer(200, "The trade, on its new terms.")],
    errors: [
      "invalid_id",
      "trade_not_found",
      "nothing_to_modify",
      "trade_not_modifiable",
      "stop_already_met",
      "take_profit_already_met",
      "stop_beyond_liquidation",
      "unknown_market",
    ],
  },
  (deps, caller, { id, body, idempotencyKey }) => {
    const stopLoss = readWanted("stop_loss", body.stop_loss);
    const takeProfit = readWanted("take_profit", body.take_profit);
    if (stopLoss === null && takeProfit === null)
      throw new ApiError("nothing_to_modify", "At least one of stop_loss and take_profit is needed.");
    const fingerprint = printRequest("modify_trade", id, printedGuards({ stopLoss, takeProfit }));
    return modifyTrade(deps, caller, { id, stopLoss, takeProfit, idempotencyKey, fingerprint });
  },
);

const retrieve = readRoute(
  {
    name: "get_trade",
    method: "GET",
    path: "/v1/trades/{id}",
    tag: TAG,
    summary: "Retrieve a trade",
    description:
      "As it is known now; it is pursued all the while. The story of each of its orders names it; `postern order explain` tells them all together.",
    access: "trading:read",
    id: ID,
    answers: [{ status: 200, description: "The trade.", schema: TradeResource, example: EXAMPLE_TRADE }],
    errors: ["invalid_id", "trade_not_found"],
  },
  (deps, caller, { id }) => getTrade(deps, caller, id),
);

const list = readRoute(
  {
    name: "list_trades",
    method: "GET",
    path: "/v1/trades",
    tag: TAG,
    summary: "List trades",
    description: `Newest first. ${PAGES_MAY_BE_SHORT}`,
    access: "trading:read",
    query: {
      ...FILTER_PARAMETERS,
      status: words(["live"], { description: "`live`: those that have not ended. Left out: all." }),
      cursor: CursorParameter,
      limit: LimitParameter,
    },
    answers: [
      {
        status: 200,
        description: "A page of trades.",
        schema: listOf(TradeResource, "TradeList"),
        example: { object: "list", data: [EXAMPLE_TRADE], has_more: false, next_cursor: null },
      },
    ],
    errors: ["invalid_status", "invalid_cursor", "invalid_limit"],
  },
  (deps, caller, { query }) => {
    const [status, cursor] = [query.get("status"), query.get("cursor")];
    return listTrades(deps, caller, { status, cursor, limit: readLimit(query), filter: readFilter(query) });
  },
);

export function tradeRoutes(): Route[] {
  return [create, list, retrieve, cancel, modify];
}
