/** TWAPs that the exchange runs, and the operations that actions other than orders leave behind. */
import { cancelTwap } from "../actions/cancel-twap.ts";
import { createTwap } from "../actions/create-twap.ts";
import { getOperation, listOperations } from "../actions/list-operations.ts";
import { printRequest } from "../write/fingerprint.ts";
import { EXAMPLE_LISTED_OPERATION, EXAMPLE_OPERATION } from "./examples.ts";
import { operationAnswers } from "./operation-contract.ts";
import { NOT_2XX, readOperationId } from "./order-contract.ts";
import { requireNotZero } from "./order-rules.ts";
import { readFilter, readLimit } from "./query.ts";
import { type Route, readRoute, writeRoute } from "./route.ts";
import { CursorParameter, FILTER_PARAMETERS, LimitParameter, listOf, PAGES_MAY_BE_SHORT } from "./schema/list.ts";
import {
  CancelTwapBody,
  CreateTwapBody,
  ListedOperationResource,
  OperationAction,
  OperationResource,
  OperationStatus,
} from "./schema/operation.ts";

const TWAPS_TAG = "TWAPs";
const OPERATIONS_TAG = "Operations";

const create = writeRoute(
  {
    name: "create_twap",
    method: "POST",
    path: "/v1/twaps",
    tag: TWAPS_TAG,
    summary: "Start a TWAP",
    description: `The exchange runs it; \`exchange_id\` is its native id. It carries no builder fee. ${NOT_2XX}`,
    access: "trading:write",
    body: CreateTwapBody,
    bodyExample: { market: "BTC", side: "buy", size: "0.5", duration_minutes: 30 },
    answers: operationAnswers({ action: "twap", exchange_id: "77738" }),
    errors: ["unknown_market", "perpetual_market_required", "trading_stopped"],
  },
  (deps, caller, { body, idempotencyKey }) => {
    requireNotZero("size", body.size);
    const { market, side, size, duration_minutes: durationMinutes } = body;
    const { randomize = false, reduce_only: reduceOnly = false } = body;
    const printed = { ...body, randomize, reduce_only: reduceOnly };
    const wanted = { market, side, size, durationMinutes, randomize, reduceOnly };
    return createTwap(deps, caller, {
      ...wanted,
      idempotencyKey,
      fingerprint: printRequest("create_twap", null, printed),
    });
  },
);

const cancel = writeRoute(
  {
    name: "cancel_twap",
    method: "POST",
    path: "/v1/twaps/cancel",
    tag: TWAPS_TAG,
    summary: "Cancel a TWAP",
    description: `What it has filled stays. ${NOT_2XX}`,
    access: "trading:write",
    body: CancelTwapBody,
    bodyExample: { market: "BTC", twap_id: 77738 },
    answers: operationAnswers({ action: "twap_cancel" }),
    errors: ["unknown_market"],
  },
  (deps, caller, { body, idempotencyKey }) => {
    const { market, twap_id: twapId } = body;
    const fingerprint = printRequest("cancel_twap", null, body);
    return cancelTwap(deps, caller, { market, twapId, idempotencyKey, fingerprint });
  },
);

const retrieve = readRoute(
  {
    name: "get_operation",
    method: "GET",
    path: "/v1/operations/{id}",
    tag: OPERATIONS_TAG,
    summary: "Retrieve an operation",
    description: "An unknown one is being settled all the while.",
    access: "trading:read",
    id: { description: "UUID of the operation.", example: EXAMPLE_OPERATION.id },
    answers: [{ status: 200, description: "The operation.", schema: OperationResource, example: EXAMPLE_OPERATION }],
    errors: ["invalid_id", "operation_not_found"],
  },
  (deps, caller, { id }) => getOperation(deps, caller, readOperationId(id)),
);

const list = readRoute(
  {
    name: "list_operations",
    method: "GET",
    path: "/v1/operations",
    tag: OPERATIONS_TAG,
    summary: "List operations",
    description: `Newest first; each with what was asked, beside what the operation alone shows. ${PAGES_MAY_BE_SHORT}`,
    access: "trading:read",
    query: {
      ...FILTER_PARAMETERS,
      action: OperationAction,
      status: OperationStatus,
      cursor: CursorParameter,
      limit: LimitParameter,
    },
    answers: [
      {
        status: 200,
        description: "A page of operations.",
        schema: listOf(ListedOperationResource, "OperationList"),
        example: { object: "list", data: [EXAMPLE_LISTED_OPERATION], has_more: false, next_cursor: null },
      },
    ],
    errors: ["invalid_status", "invalid_cursor", "invalid_limit"],
  },
  (deps, caller, { query }) => {
    const [action, status, cursor] = [query.get("action"), query.get("status"), query.get("cursor")];
    const filter = readFilter(query);
    return listOperations(deps, caller, { action, status, cursor, limit: readLimit(query), filter });
  },
);

export function operationRoutes(): Route[] {
  return [create, cancel, retrieve, list];
}
