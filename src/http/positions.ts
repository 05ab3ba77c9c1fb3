/** What is set on a position: leverage and isolated margin; and the positions themselves. */
import { adjustMargin } from "../actions/adjust-margin.ts";
import { listPositions } from "../actions/list-positions.ts";
import { setLeverage } from "../actions/set-leverage.ts";
import { printRequest } from "../write/fingerprint.ts";
import { EXAMPLE_POSITION } from "./examples.ts";
import { operationAnswers } from "./operation-contract.ts";
import { NOT_2XX } from "./order-contract.ts";
import { requireNotZero } from "./order-rules.ts";
import { readLimit } from "./query.ts";
import { type Route, readRoute, writeRoute } from "./route.ts";
import { DexParameter, LimitParameter, listOf, PositionCursorParameter } from "./schema/list.ts";
import { AdjustMarginBody, SetLeverageBody } from "./schema/operation.ts";
import { PositionResource } from "./schema/position.ts";

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
  return [list, leverage, margin];
}
