/** What is set on a position: leverage and isolated margin; and the positions themselves. */
import { adjustMargin } from "../actions/adjust-margin.ts";
import { closePosition } from "../actions/close-position.ts";
import { listPositions } from "../actions/list-positions.ts";
import { setLeverage } from "../actions/set-leverage.ts";
import { compare, type Decimal, decimal, isZero } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { DEFAULT_SLIPPAGE_BPS } from "../core/worst-price.ts";
import { printRequest } from "../write/fingerprint.ts";
import { EXAMPLE_MARKET_ORDER, EXAMPLE_POSITION } from "./examples.ts";
import { operationAnswers } from "./operation-contract.ts";
import { NOT_2XX, UNKNOWN_ORDER } from "./order-contract.ts";
import { requireNotZero } from "./order-rules.ts";
import { readLimit } from "./query.ts";
import { type Route, readRoute, writeRoute } from "./route.ts";
import { DexParameter, LimitParameter, listOf, PositionCursorParameter } from "./schema/list.ts";
import { AdjustMarginBody, SetLeverageBody } from "./schema/operation.ts";
import { OrderResource } from "./schema/order.ts";
import { ClosePositionBody, PositionResource } from "./schema/position.ts";

const POSITIONS_TAG = "Positions";

const leverage = writeRoute(
  {
    name: "set_leverage",
    method: "POST",
    path: "/v1/leverage",
    tag: POSITIONS_TAG,
    summary: "Set leverage and margin type of a perpetual",
    description: `What is in force already is sent as well, and succeeds. ${NOT_2XX}`,
    access: "trading:write",
    body: SetLeverageBody,
    bodyExample: { market: "BTC", leverage: 5, margin_type: "cross" },
    answers: operationAnswers({ action: "leverage" }),
    errors: ["unknown_market", "perpetual_market_required", "trading_stopped"],
  },
  (deps, caller, { body, idempotencyKey }) => {
    const { market, leverage, margin_type: marginType } = body;
    const fingerprint = printRequest("set_leverage", null, body);
    return setLeverage(deps, caller, { market, leverage, marginType, idempotencyKey, fingerprint });
  },
);

const margin = writeRoute(
  {
    name: "adjust_margin",
    method: "POST",
    path: "/v1/margin",
    tag: POSITIONS_TAG,
    summary: "Add or take out isolated margin",
    description: `A removal must leave the initial margin and at least 10% of the position's value; strict-isolated markets allow none. ${NOT_2XX}`,
    access: "trading:write",
    body: AdjustMarginBody,
    bodyExample: { market: "xyz:TSLA", amount: "25.5" },
    answers: operationAnswers({ action: "isolated_margin" }),
    errors: ["unknown_market", "perpetual_market_required", "trading_stopped"],
  },
  (deps, caller, { body, idempotencyKey }) => {
    requireNotZero("amount", body.amount);
    const fingerprint = printRequest("adjust_margin", null, body);
    return adjustMargin(deps, caller, { ...body, idempotencyKey, fingerprint });
  },
);

const close = writeRoute(
  {
    name: "close_position",
    method: "POST",
    path: "/v1/positions/close",
    tag: POSITIONS_TAG,
    summary: "Close a position, or a part of it",
    description:
      "One reduce-only `ioc` order, sized by the position as it is now and priced as `POST /v1/orders/market` prices what is `reduce_only`: it never turns a position round and never closes more than is asked for. What it does not find at its worst price stays held: look at `filled_size`. While what became of an earlier close of the same bot in the market is not known it waits, and is then 409 `close_in_progress`; where the account's position is closed, no longer than that one could execute. A repeat of its key closes nothing more. Where the position cannot be read in time, a bot's is closed by what its own fills hold, and a plain key's by the newest position of the last five minutes unless the account was told of a change since; else it is 503. " +
      "Once the order is settled and nothing is held any more (of a bot by its own fills, of an account by its position), the reduce-only triggers that were left over in the market are canceled, unless `keep_triggers` is true, or an order that may still increase rests there, or a TWAP may still increase there. What a TWAP of the bot that is over has bought last is waited for, ten minutes at the most, after which they stay. Where the position could not be read for 24 hours they stay, and the story of the order says what was shown last and what the known fills leave. What a bot has resting to reduce counts as closing already: before all that the bot holds is closed it is canceled, and while it is not gone the answer is 409 `close_in_progress`; a part is closed beside it as far as both fit. " +
      NOT_2XX,
    access: "trading:write",
    body: ClosePositionBody,
    bodyExample: { account: EXAMPLE_POSITION.account, market: "BTC", fraction: "0.5" },
    answers: [
      {
        status: 201,
        description: "The order that closes it; its `price` is the worst one.",
        schema: OrderResource,
        example: { ...EXAMPLE_MARKET_ORDER, side: "sell", price: "63929", reduce_only: true, average_price: "64249.8" },
        headers: ["Idempotent-Replayed"],
      },
      UNKNOWN_ORDER,
    ],
    errors: [
      "account_mismatch",
      "unknown_market",
      "perpetual_market_required",
      "nothing_to_close",
      "position_unproven",
      "close_in_progress",
      "idempotency_in_progress",
      "book_stale",
      "no_price_within_bounds",
    ],
  },
  (deps, caller, { body, idempotencyKey }) => {
    const accountId = body.account.toLowerCase();
    const fraction = readFraction(body.fraction ?? "1");
    const maxSlippageBps = body.max_slippage_bps ?? DEFAULT_SLIPPAGE_BPS;
    const { touches = "own", keep_triggers: keepsTriggers = false } = body;
    const fingerprint = printRequest("close_position", null, {
      account: accountId,
      market: body.market,
      fraction,
      max_slippage_bps: maxSlippageBps,
      touches,
      keep_triggers: keepsTriggers,
    });
    const wanted = { accountId, market: body.market, fraction, maxSlippageBps, touches, keepsTriggers };
    return closePosition(deps, caller, { ...wanted, idempotencyKey, fingerprint });
  },
);

function readFraction(text: string): Decimal {
  const fraction = decimal(text);
  if (!isZero(fraction) && compare(fraction, decimal("1")) <= 0) return fraction;
  throw new ApiError("invalid_parameter", "fraction must be above 0 and at most 1.");
}

const list = readRoute(
  {
    name: "list_positions",
    method: "GET",
    path: "/v1/positions",
    tag: POSITIONS_TAG,
    summary: "List open positions",
    description: "As the exchange shows them now, native dex first, then by market.",
    access: "trading:read",
    query: { dex: DexParameter, cursor: PositionCursorParameter, limit: LimitParameter },
    answers: [
      {
        status: 200,
        description: "A page of positions.",
        schema: listOf(PositionResource, "PositionList"),
        example: { object: "list", data: [EXAMPLE_POSITION], has_more: false, next_cursor: null },
        headers: ["X-Data-As-Of"],
      },
    ],
    errors: ["unknown_dex", "invalid_cursor", "invalid_limit", "exchange_rate_limited", "exchange_unreachable"],
  },
  (deps, caller, { query }) => {
    const page = { cursor: query.get("cursor"), limit: readLimit(query) };
    return listPositions(deps, caller, { dex: query.get("dex"), ...page });
  },
);

export function positionRoutes(): Route[] {
  return [list, close, leverage, margin];
}
