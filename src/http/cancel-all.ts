/** /v1/orders/cancel-all and /v1/cancel-alls. */
import { cancelOrders, getCancelAll } from "../actions/cancel-all.ts";
import { printRequest } from "../write/fingerprint.ts";
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_ORDER_ID } from "./examples.ts";
import { NOT_2XX, ORDERS_TAG } from "./order-contract.ts";
import { type Route, readRoute, writeRoute } from "./route.ts";
import { CancelAllBody, CancelAllResource } from "./schema/cancel-all.ts";

const EXAMPLE_CANCEL_ALL = {
  id: "01a1fbca-2c40-7c3d-9f0a-6b1d2e3f4a5c",
  object: "cancel_all",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  market: "BTC",
  side: null,
  touches: "own",
  keep_protection: true,
  status: "done",
  created_at: "2026-11-21T09:30:02.000Z",
  done_at: "2026-11-21T09:30:02.250Z",
  results: [{ order_id: EXAMPLE_ORDER_ID, market: "BTC", status: "canceled", filled_size: "0", error: null }],
};

const cancelAll = writeRoute(
  {
    name: "cancel_all_orders",
    method: "POST",
    path: "/v1/orders/cancel-all",
    tag: ORDERS_TAG,
    summary: "Cancel many orders",
    description:
      "Every order of that moment by market and side: what rests is canceled, and what was sent without a known outcome is burnt, so that it can never rest. A trade whose entry has not been sent enters nothing. Orders that come later are none of it, and neither are TWAPs. It goes on by itself, after a restart too; `GET /v1/cancel-alls/{id}` says how far it has come, and a repeat of its key the same. One request, whatever it covers, is one of the key's cancels. An order of elsewhere that is filled in part and has stop-loss or take-profit children stays; before another with a stop-loss goes, a stop of the gateway's own stands in for that, while `keep_protection`. " +
      NOT_2XX,
    access: "trading:write",
    body: CancelAllBody,
    bodyExample: { account: EXAMPLE_CANCEL_ALL.account, market: "BTC" },
    answers: [
      {
        status: 200,
        description: "Done: nothing of these orders can fill any more.",
        schema: CancelAllResource,
        example: EXAMPLE_CANCEL_ALL,
        headers: ["Idempotent-Replayed"],
      },
      {
        status: 202,
        description: "It stands and goes on; read it again.",
        schema: CancelAllResource,
        example: {
          ...EXAMPLE_CANCEL_ALL,
          status: "canceling",
          done_at: null,
          results: [{ ...EXAMPLE_CANCEL_ALL.results[0], status: "unknown", filled_size: null }],
        },
        headers: ["Idempotent-Replayed"],
      },
    ],
    errors: ["account_mismatch", "unknown_market"],
  },
  (deps, caller, { body, idempotencyKey }) => {
    const accountId = body.account.toLowerCase();
    const { market = null, side = null, touches = "own", keep_protection: keepsProtection = true } = body;
    const asked = { account: accountId, market, side, touches, keep_protection: keepsProtection };
    const fingerprint = printRequest("cancel_all_orders", null, asked);
    const wanted = { accountId, market, side, touches, keepsProtection, idempotencyKey, fingerprint };
    return cancelOrders(deps, caller, wanted);
  },
);

const retrieve = readRoute(
  {
    name: "get_cancel_all",
    method: "GET",
    path: "/v1/cancel-alls/{id}",
    tag: ORDERS_TAG,
    summary: "Retrieve a cancel-all",
    description: "How far it has come, by what is known here. Nothing is asked of the exchange for it.",
    access: "trading:read",
    id: { description: "UUID of the cancel-all.", example: EXAMPLE_CANCEL_ALL.id },
    answers: [{ status: 200, description: "The cancel-all.", schema: CancelAllResource, example: EXAMPLE_CANCEL_ALL }],
    errors: ["invalid_id", "cancel_all_not_found"],
  },
  (deps, caller, { id }) => ({ body: getCancelAll(deps, caller, id), asOfMs: null }),
);

export function cancelAllRoutes(): Route[] {
  return [cancelAll, retrieve];
}
