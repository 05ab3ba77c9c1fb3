/** /v1/hooks: addresses for alerts, as their owner makes and ends them. What comes to them is answered by `hooks`. */
import { listAlerts } from "../actions/hooks/list-alerts.ts";
import { listHooks } from "../actions/hooks/list-hooks.ts";
import { registerHook, revokeHookByOwner } from "../actions/hooks/register-hook.ts";
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_KEY_HASH, EXAMPLE_ORDER, EXAMPLE_SIGNATURE } from "./examples.ts";
import { readLimit } from "./query.ts";
import { type Route, readRoute, signedRoute } from "./route.ts";
import { DeliveryResource, HookResource, RegisterHookBody, RevokeHookBody } from "./schema/hook.ts";
import { CursorParameter, LimitParameter, listOf } from "./schema/list.ts";

const TAG = "Hooks";

const TERMS = {
  name: "tradingview",
  key_hash: EXAMPLE_KEY_HASH,
  mode: "target",
  market: "BTC",
  max_age_s: 60,
  same_within_s: 60,
  max_slippage_bps: 50,
  sources: null,
  rehearsal: false,
};

const EXAMPLE_HOOK = {
  object: "hook",
  id: "0b7f6c52-3c1d-4b7e-8a2e-6f0d5c9b1a37",
  account: EXAMPLE_ACCOUNT_ID,
  bot: "grid-1",
  ...TERMS,
  state: "active",
  last_alert_at: null,
  last_alert_status: null,
  last_alert_reason: null,
  created_at: "2026-11-21T09:30:00.125Z",
};

const EXAMPLE_DELIVERY = {
  object: "delivery",
  id: "41",
  hook: EXAMPLE_HOOK.id,
  received_at: "2026-11-21T09:30:00.125Z",
  alert_at: "2026-11-21T09:30:00.000Z",
  body: '{"time":"2026-11-21T09:30:00Z","market":"BTC","target":"0.001"}',
  market: "BTC",
  status: "done",
  reason: null,
  order_ids: [EXAMPLE_ORDER.id],
  repeats: 3,
  ended_at: "2026-11-21T09:30:00.402Z",
};

const ID = { description: "UUID of the hook.", example: EXAMPLE_HOOK.id };

const list = readRoute(
  {
    name: "list_hooks",
    method: "GET",
    path: "/v1/hooks",
    tag: TAG,
    summary: "List hooks",
    description:
      "Oldest first, in one page: those that take alerts or are on hold after a restore, and the last 20 that were revoked.",
    access: "trading:read",
    answers: [
      {
        status: 200,
        description: "The hooks.",
        schema: listOf(HookResource, "HookList"),
        example: { object: "list", data: [EXAMPLE_HOOK], has_more: false, next_cursor: null },
      },
    ],
    errors: [],
  },
  listHooks,
);

const deliveries = readRoute(
  {
    name: "list_deliveries",
    method: "GET",
    path: "/v1/hooks/{id}/deliveries",
    tag: TAG,
    summary: "List the alerts of a hook",
    description:
      "Newest first: what came, when, what became of it and which orders. The newest 20,000 of a hook are kept. Of a hook that has ended, too.",
    access: "trading:read",
    id: ID,
    query: { cursor: CursorParameter, limit: LimitParameter },
    answers: [
      {
        status: 200,
        description: "A page of alerts.",
        schema: listOf(DeliveryResource, "DeliveryList"),
        example: { object: "list", data: [EXAMPLE_DELIVERY], has_more: false, next_cursor: null },
      },
    ],
    errors: ["invalid_id", "hook_not_found", "invalid_cursor", "invalid_limit"],
  },
  (deps, caller, { id, query }) =>
    listAlerts(deps, caller, { hookId: id, cursor: query.get("cursor"), limit: readLimit(query) }),
);

const register = signedRoute(
  {
    name: "register_hook",
    method: "POST",
    path: "/v1/hooks",
    tag: TAG,
    summary: "Make a hook by the owner's signature",
    description:
      "The account owner signs `HookGrant` (`GET /v1/api-keys/typed-data`): whoever has the address can do what the bot may do, and no more. What stands in the address is made by its maker, and only its hash is sent. The same grant again gives the same answer.",
    access: "owner_signature",
    body: RegisterHookBody,
    bodyExample: {
      account: EXAMPLE_ACCOUNT_ID,
      ...TERMS,
      secret_hash: EXAMPLE_KEY_HASH,
      issued_at: 1_795_253_400_000,
      signature: EXAMPLE_SIGNATURE,
    },
    answers: [{ status: 201, description: "The hook.", schema: HookResource, example: EXAMPLE_HOOK }],
    errors: ["main_account_required", "grant_expired", "issued_at_in_future", "hook_refused"],
  },
  "registration",
  (deps, { account, signature, secret_hash: secretHash, issued_at: issuedAtMs, ...terms }) => {
    const { name, key_hash: keyHash, mode, market, sources, rehearsal: isRehearsal } = terms;
    const [maxAgeMs, sameWithinMs] = [terms.max_age_s * 1_000, terms.same_within_s * 1_000];
    const { max_slippage_bps: maxSlippageBps } = terms;
    const hook = { name, keyHash, mode, market, maxAgeMs, sameWithinMs, maxSlippageBps, sources, isRehearsal };
    const signed = { accountId: account.toLowerCase(), hook, secretHash, issuedAtMs, signature };
    return { status: 201, body: registerHook(deps, signed) };
  },
);

const revoke = signedRoute(
  {
    name: "revoke_hook",
    method: "POST",
    path: "/v1/hooks/{id}/revoke",
    tag: TAG,
    summary: "End a hook by the owner's signature",
    description:
      "For good, by `HookRevocation`. Alerts that were not carried out yet go with it, orders stay. Of one that has ended it changes nothing.",
    access: "owner_signature",
    id: ID,
    body: RevokeHookBody,
    bodyExample: { account: EXAMPLE_ACCOUNT_ID, signature: EXAMPLE_SIGNATURE },
    answers: [
      {
        status: 200,
        description: "The hook, which takes nothing any more.",
        schema: HookResource,
        example: { ...EXAMPLE_HOOK, state: "revoked" },
      },
    ],
    errors: ["main_account_required", "hook_not_found"],
  },
  "revocation",
  (deps, { account, signature }, id) => {
    const signed = { accountId: account.toLowerCase(), hookId: id.toLowerCase(), signature };
    return { status: 200, body: revokeHookByOwner(deps, signed) };
  },
);

export function ownedHookRoutes(): Route[] {
  return [list, deliveries, register, revoke];
}
