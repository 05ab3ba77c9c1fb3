/** /v1/stop and /v1/stops. */
import { flattenStop } from "../actions/flatten-stop.ts";
import { resumeStop } from "../actions/resume-stop.ts";
import { getStop, listStops, stopTrading } from "../actions/stop-trading.ts";
import { EXAMPLE_SIGNATURE } from "./examples.ts";
import { type Route, readRoute, signedRoute, urgentRoute } from "./route.ts";
import { listOf } from "./schema/list.ts";
import { FlattenBody, ResumeBody, StopBody, StopResource } from "./schema/stop.ts";
import { EXAMPLE_FLATTEN, EXAMPLE_STOP } from "./stop-examples.ts";

const TAG = "Stop";

const stop = urgentRoute(
  {
    name: "stop_trading",
    method: "POST",
    path: "/v1/stop",
    tag: TAG,
    summary: "Stop trading",
    description:
      "From the answer on nothing that could make a position larger is signed: orders, modifies, TWAPs, a higher leverage and margin taken out are 403 `trading_stopped`. What was signed before is burnt where its outcome is not known, and canceled where it rests. Cancels, reduce-only orders, sales on spot for USDC and margin that is added pass. Taken at once, also while the gateway is starting; no bucket is charged. Repeated while such a stop stands it answers with that one; under Idempotency-Keys of their own at most four alike stand, and a fifth is answered with the newest. A key with rails stops its own bot; the account only where its `may` names `stop` and it `touches` all. It is ended by the gateway's operator or by the owner's signature, and by no API key.",
    access: "trading:write",
    isUrgent: true,
    body: StopBody,
    bodyExample: { scope: "account", keep_protection: true },
    answers: [
      {
        status: 202,
        description: "It stands; what was signed before it is being burnt and canceled.",
        schema: StopResource,
        example: EXAMPLE_STOP,
        headers: ["Idempotent-Replayed"],
      },
      {
        status: 200,
        description:
          "It stands, and nothing that was signed here can increase a position; or it was ended meanwhile: see `status`.",
        schema: StopResource,
        example: {
          ...EXAMPLE_STOP,
          status: "stopped",
          stopped_at: "2026-11-21T09:30:02.250Z",
          remaining: { orders: 0, order_ids: [], twaps: 0, twap_operation_ids: [] },
          waits_for: [],
          outside: { ...EXAMPLE_STOP.outside, is_done: true },
        },
        headers: ["Idempotent-Replayed"],
      },
    ],
    errors: ["not_ready", "rail_refused"],
  },
  (deps, caller, { body, idempotencyKey }) =>
    stopTrading(deps, caller, { scope: body.scope, keepsProtection: body.keep_protection ?? true, idempotencyKey }),
);

const retrieve = readRoute(
  {
    name: "get_stop",
    method: "GET",
    path: "/v1/stops/{id}",
    tag: TAG,
    summary: "Retrieve a stop",
    description:
      "How far it has come, and in `waits_for` each thing that keeps it from being `stopped`, and in `flatten.waits_for` each that keeps what is held from being closed: which order, TWAP or market, since when, and what ends it. Nothing is asked of the exchange for it. Events `stop.*` tell the same; `stop.waiting` after 5 s.",
    access: "trading:read",
    id: { description: "UUID of the stop.", example: EXAMPLE_STOP.id },
    answers: [{ status: 200, description: "The stop.", schema: StopResource, example: EXAMPLE_STOP }],
    errors: ["invalid_id", "stop_not_found"],
  },
  (deps, caller, { id }) => ({ body: getStop(deps, caller, id), asOfMs: null }),
);

const list = readRoute(
  {
    name: "list_stops",
    method: "GET",
    path: "/v1/stops",
    tag: TAG,
    summary: "List the stops in force",
    description:
      "Of the account, whoever asked for them: those that refuse what increases, and those of which something is left to withdraw. Never more than one page; what is over has its id alone, `GET /v1/stops/{id}`.",
    access: "trading:read",
    answers: [
      {
        status: 200,
        description: "Newest first.",
        schema: listOf(StopResource, "StopList"),
        example: { object: "list", data: [EXAMPLE_STOP], has_more: false, next_cursor: null },
      },
    ],
    errors: [],
  },
  (deps, caller) => ({ body: listStops(deps, caller), asOfMs: null }),
);

const flatten = urgentRoute(
  {
    name: "flatten_stop",
    method: "POST",
    path: "/v1/stops/{id}/flatten",
    tag: TAG,
    summary: "Close what is held under a stop",
    description:
      "A second, explicit step. Once the stop is `stopped`, or only orders are left of it of which no answer came, that can be executed no more and that look-ups do not show, what is held on perpetuals is closed by reduce-only orders that execute at once or not at all: within `max_slippage_bps` of the best price, never further than 5 % from mark and oracle, by a book of at most 2 s, the position read anew for each. Of an account its positions are closed; of a bot at most what its own fills hold, after what of its reductions rests has been canceled (triggers stay). At most ten orders in each market; one whose outcome is not known is waited for. What is left is told with the reason. Its end, `flat` or `left`, is told after `stopped` alone: what turns up before that is closed as well. Repeated while it goes on it is the same one, with the newest `max_slippage_bps`; afterwards it begins anew. It needs no Idempotency-Key, and one changes nothing. Spot balances are kept.",
    access: "trading:write",
    isUrgent: true,
    id: { description: "UUID of the stop.", example: EXAMPLE_STOP.id },
    body: FlattenBody,
    isBodyOptional: true,
    bodyExample: { max_slippage_bps: 50 },
    answers: [
      {
        status: 202,
        description: "It is to be flattened: `flatten` of the stop tells how far that has come.",
        schema: StopResource,
        example: { ...EXAMPLE_STOP, flatten: EXAMPLE_FLATTEN },
      },
    ],
    errors: ["not_ready", "rail_refused", "invalid_id", "stop_not_found", "stop_not_flattenable"],
  },
  (deps, caller, { id, body }) => flattenStop(deps, caller, { id, maxSlippageBps: body.max_slippage_bps ?? null }),
);

const resume = signedRoute(
  {
    name: "resume_trading",
    method: "POST",
    path: "/v1/stops/{id}/resume",
    tag: TAG,
    summary: "End a stop by the owner's signature",
    description:
      "Ends the stop that the path names: what can increase is taken again, and what was canceled stays canceled. The owner signs `TradingResumption` (`GET /v1/api-keys/typed-data`): this gateway's audience, the account and the id of the stop, so that the signature ends no later one. Said again it answers the same. Other stops of the account stand on.",
    access: "owner_signature",
    id: { description: "UUID of the stop.", example: EXAMPLE_STOP.id },
    body: ResumeBody,
    bodyExample: { account: EXAMPLE_STOP.account, signature: EXAMPLE_SIGNATURE },
    answers: [
      {
        status: 200,
        description: "It is ended, now or before.",
        schema: StopResource,
        example: { ...EXAMPLE_STOP, status: "resumed", resumed_at: "2026-11-21T10:00:00.000Z", waits_for: [] },
      },
    ],
    errors: ["not_ready", "invalid_id", "stop_not_found"],
  },
  "revocation",
  (deps, { account, signature }, id) => {
    const signed = { accountId: account.toLowerCase(), stopId: id.toLowerCase(), signature };
    return { status: 200, body: resumeStop(deps, signed) };
  },
);

export function stopRoutes(): Route[] {
  return [stop, retrieve, list, flatten, resume];
}
