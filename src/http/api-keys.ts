/** /v1/api-keys. Registration and revocation carry the owner's signature instead of a key. */
import type { Static } from "@sinclair/typebox";
import { describeTypedData } from "../actions/describe-typed-data.ts";
import { listKeys } from "../actions/list-keys.ts";
import { narrowKey } from "../actions/narrow-key.ts";
import { registerDemoKey } from "../actions/register-demo-key.ts";
import { registerKey } from "../actions/register-key.ts";
import { registerLimitedKey, type SignedLimitedGrant } from "../actions/register-limited-key.ts";
import { revokeAndCancel, revokeKey } from "../actions/revoke-key.ts";
import { ApiError } from "../core/errors.ts";
import { networkToPropose } from "./client-address.ts";
import {
  EXAMPLE_ACCOUNT_ID,
  EXAMPLE_API_KEY,
  EXAMPLE_CONSENT,
  EXAMPLE_KEY_HASH,
  EXAMPLE_LIMITED_GRANT,
  EXAMPLE_LISTED_API_KEY,
  EXAMPLE_RAILS,
  EXAMPLE_SIGNATURE,
} from "./examples.ts";
import type { Query } from "./query.ts";
import { openRoute, type Route, readRoute, signedRoute, urgentRoute } from "./route.ts";
import {
  ApiKeyResource,
  DemoKeyBody,
  KEY_STATES,
  KeyInListResource,
  KeyStateParameter,
  LimitedKeyResource,
  NarrowedRailsResource,
  NarrowKeyBody,
  RegisterKeyBody,
  RegisterLimitedKeyBody,
  RevocationResource,
  RevokeAndCancelBody,
  RevokeKeyBody,
  TypedDataResource,
  WithdrawnKeyResource,
} from "./schema/api-key.ts";
import { listOf } from "./schema/list.ts";
import { EXAMPLE_STOP } from "./stop-examples.ts";

const TAG = "API keys";

const register = signedRoute(
  {
    name: "register_api_key",
    method: "POST",
    path: "/v1/api-keys",
    tag: TAG,
    summary: "Register a key by the owner's signature",
    description:
      "The account owner signs the EIP-712 grant of `GET /v1/api-keys/typed-data`. Only the hash of the key is sent. The same grant again gives the same answer.",
    access: "owner_signature",
    body: RegisterKeyBody,
    bodyExample: { consent: EXAMPLE_CONSENT, signature: EXAMPLE_SIGNATURE },
    answers: [{ status: 201, description: "The key.", schema: ApiKeyResource, example: EXAMPLE_API_KEY }],
    errors: [
      "mainnet_required",
      "main_account_required",
      "grant_expired",
      "issued_at_in_future",
      "key_already_registered",
      "key_revoked",
      "rails_required",
      "not_ready",
    ],
  },
  "registration",
  (deps, { consent, signature }) => {
    const { network, key_hash: keyHash, issued_at: issuedAtMs } = consent;
    const accountId = consent.account.toLowerCase();
    const { scopes } = consent.policy;
    return { status: 201, body: registerKey(deps, { accountId, network, keyHash, scopes, issuedAtMs, signature }) };
  },
);

const registerDemo = urgentRoute(
  {
    name: "register_demo_api_key",
    method: "POST",
    path: "/v1/api-keys/demo",
    tag: TAG,
    summary: "Register a further key of the paper demo",
    description:
      "Only in the demo of `postern serve --paper`, whose owner's key the gateway holds: everywhere else the owner signs. Takes a key without rails; the new one reads and writes. It needs no Idempotency-Key: a hash is registered once.",
    access: "trading:write",
    isUrgent: true,
    body: DemoKeyBody,
    bodyExample: { key_hash: EXAMPLE_KEY_HASH },
    answers: [{ status: 201, description: "The key.", schema: ApiKeyResource, example: EXAMPLE_API_KEY }],
    errors: ["demo_required", "rail_refused", "rails_required", "key_already_registered", "key_revoked", "not_ready"],
  },
  (deps, caller, { body: { key_hash: keyHash } }) => {
    caller.charge("otherWrites");
    return { status: 201, body: registerDemoKey(deps, caller, keyHash), isReplay: false };
  },
);

const registerLimited = signedRoute(
  {
    name: "register_limited_api_key",
    method: "POST",
    path: "/v1/api-keys/limited",
    tag: TAG,
    summary: "Register a key with rails by the owner's signature",
    description:
      "A bot's key: what it may do is in the grant, which the account owner signs line by line (`LimitedKeyGrant` of `GET /v1/api-keys/typed-data`), and is judged when each order is stored, with everything that is open, under way or unknown counted as executed. A newer grant for the same bot replaces its rails. The same grant again gives the same answer. Markets are named as the exchange names them: other letters are refused with the right name, as far as the markets have been read.",
    access: "owner_signature",
    body: RegisterLimitedKeyBody,
    maxBytes: 8 * 1024,
    bodyExample: { grant: EXAMPLE_LIMITED_GRANT, signature: EXAMPLE_SIGNATURE },
    answers: [
      {
        status: 201,
        description: "The key, as it was signed.",
        schema: LimitedKeyResource,
        example: { object: "limited_api_key", ...EXAMPLE_LIMITED_GRANT },
      },
    ],
    errors: [
      "main_account_required",
      "grant_expired",
      "issued_at_in_future",
      "key_already_registered",
      "key_revoked",
      "not_ready",
    ],
  },
  "registration",
  (deps, { grant, signature }) => ({
    status: 201,
    body: registerLimitedKey(deps, { text: grantText(grant), signature }),
  }),
);

/** Member by member: what came is what was signed. */
function grantText(grant: Static<typeof RegisterLimitedKeyBody>["grant"]): SignedLimitedGrant["text"] {
  const { trading_address: tradingAddress, key_hash: keyHash, issued_at: issuedAt, expires_at: expiresAt } = grant;
  return {
    account: grant.account,
    network: grant.network,
    owner: grant.owner,
    tradingAddress,
    keyHash,
    scopes: grant.scopes,
    bot: grant.bot,
    may: grant.may,
    markets: grant.markets,
    maxOrder: grant.max_order,
    maxPosition: grant.max_position,
    maxExposure: grant.max_exposure,
    maxTurnoverPerDay: grant.max_turnover_per_day,
    maxLossPerDay: grant.max_loss_per_day,
    maxActionsPerDay: grant.max_actions_per_day,
    maxDistance: grant.max_distance,
    maxStopDistance: grant.max_stop_distance,
    maxLeverage: grant.max_leverage,
    maxOpenOrders: grant.max_open_orders,
    touches: grant.touches,
    sources: grant.sources,
    issuedAt,
    expiresAt,
  };
}

const narrow = urgentRoute(
  {
    name: "narrow_api_key",
    method: "POST",
    path: "/v1/api-keys/self/narrow",
    tag: TAG,
    summary: "Make the rails of this key's bot tighter",
    description:
      "By the key itself, at once and one-way: of what holds and what is named the tighter holds, for all keys of the bot, until its owner signs a later grant. Said again it changes nothing, so it needs no Idempotency-Key. What is open or held stays as it is unless `cancel_orders` is true, and what exceeds the rails now is told. Draws on the bucket of other writes.",
    access: "trading:write",
    isUrgent: true,
    body: NarrowKeyBody,
    bodyExample: { max_order: "100 USD", markets: "BTC" },
    answers: [
      {
        status: 200,
        description: "What holds from now on.",
        schema: NarrowedRailsResource,
        example: {
          object: "narrowed_rails",
          account: EXAMPLE_ACCOUNT_ID,
          key_hash: EXAMPLE_KEY_HASH,
          rails: { ...EXAMPLE_RAILS, max_order: "100 USD", markets: "BTC" },
          exceeds: [{ rail: "max_order", limit: "100 USD", use: "240 USD" }],
          stop: null,
        },
      },
    ],
    errors: ["rate_limited", "not_ready"],
  },
  (deps, caller, { body: { cancel_orders: isToCancel = false, ...rails } }) => {
    caller.charge("otherWrites");
    return { status: 200, body: narrowKey(deps, caller, { rails, isToCancel }), isReplay: false };
  },
);

const revoke = signedRoute(
  {
    name: "revoke_api_key",
    method: "POST",
    path: "/v1/api-keys/revoke",
    tag: TAG,
    summary: "Revoke a key by the owner's signature",
    description:
      "One-way, and also before the key was registered. Stops future requests with the key; does not cancel orders.",
    access: "owner_signature",
    body: RevokeKeyBody,
    bodyExample: { account: EXAMPLE_ACCOUNT_ID, key_hash: EXAMPLE_KEY_HASH, signature: EXAMPLE_SIGNATURE },
    answers: [
      {
        status: 200,
        description: "Revoked, now or before.",
        schema: RevocationResource,
        example: { object: "api_key", key_hash: EXAMPLE_KEY_HASH, revoked: true },
      },
    ],
    errors: ["not_ready"],
  },
  "revocation",
  (deps, { account, key_hash: keyHash, signature }) => {
    return { status: 200, body: revokeKey(deps, { accountId: account.toLowerCase(), keyHash, signature }) };
  },
);

const revokeWithOrders = signedRoute(
  {
    name: "revoke_api_key_and_cancel",
    method: "POST",
    path: "/v1/api-keys/revocations",
    tag: TAG,
    summary: "Revoke a key, and withdraw what it has placed",
    description:
      "`POST /v1/api-keys/revoke` with the same signature, and in the same transaction a stop of what the key has placed and could still increase a position: burnt where its outcome is not known, canceled where it rests. What can only reduce stays.",
    access: "owner_signature",
    body: RevokeAndCancelBody,
    bodyExample: {
      account: EXAMPLE_ACCOUNT_ID,
      key_hash: EXAMPLE_KEY_HASH,
      signature: EXAMPLE_SIGNATURE,
      cancel_orders: true,
    },
    answers: [
      {
        status: 200,
        description: "Revoked, now or before; its orders are being withdrawn.",
        schema: WithdrawnKeyResource,
        example: { object: "api_key", key_hash: EXAMPLE_KEY_HASH, revoked: true, stop: EXAMPLE_STOP.id },
      },
    ],
    errors: ["not_ready"],
  },
  "revocation",
  (deps, { account, key_hash: keyHash, signature }) => {
    return { status: 200, body: revokeAndCancel(deps, { accountId: account.toLowerCase(), keyHash, signature }) };
  },
);

const typedData = openRoute(
  {
    name: "get_typed_data",
    method: "GET",
    path: "/v1/api-keys/typed-data",
    tag: TAG,
    summary: "What an owner signs",
    access: "anybody",
    answers: [
      {
        status: 200,
        description: "EIP-712 domain, types, the audience of this gateway and examples.",
        schema: TypedDataResource,
        example: {
          object: "typed_data",
          audience: "https://postern.example",
          asking_network: "203.0.113.7/32",
          demo: false,
          domain: { name: "Postern", version: "1" },
          types: {
            ApiKeyGrant: [{ name: "audience", type: "string" }],
            LimitedKeyGrant: [{ name: "audience", type: "string" }],
            ApiKeyRevocation: [{ name: "audience", type: "string" }],
            TradingResumption: [{ name: "audience", type: "string" }],
            ProposalDecision: [{ name: "audience", type: "string" }],
            HookGrant: [{ name: "audience", type: "string" }],
            HookRevocation: [{ name: "audience", type: "string" }],
          },
          examples: [
            {
              primary_type: "ApiKeyGrant",
              types: { ApiKeyGrant: [{ name: "audience", type: "string" }] },
              message: { audience: "https://postern.example" },
            },
          ],
        },
      },
    ],
    errors: [],
  },
  (deps, { address, request }) => ({
    status: 200,
    body: describeTypedData(deps, networkToPropose(address, request.headers)),
  }),
);

const list = readRoute(
  {
    name: "list_api_keys",
    method: "GET",
    path: "/v1/api-keys",
    tag: TAG,
    summary: "List the account's keys",
    description:
      "Those that open something, unless `state` asks for others. A hash that was revoked before it was registered is no key.",
    access: "trading:read",
    query: { state: KeyStateParameter },
    answers: [
      {
        status: 200,
        description: "Hashes and scopes, oldest first.",
        schema: listOf(KeyInListResource, "ApiKeyList"),
        example: {
          object: "list",
          data: [{ ...EXAMPLE_LISTED_API_KEY, limits: null }],
          has_more: false,
          next_cursor: null,
        },
      },
    ],
    errors: [],
  },
  (deps, caller, { query }) => listKeys(deps, caller, stateOf(query)),
);

function stateOf(query: Query): (typeof KEY_STATES)[number] {
  const state = KEY_STATES.find((known) => known === (query.get("state") ?? "active"));
  if (state === undefined) throw new ApiError("invalid_parameter", `state must be one of ${KEY_STATES.join(", ")}.`);
  return state;
}

export function apiKeyRoutes(): Route[] {
  return [register, registerDemo, registerLimited, narrow, revoke, revokeWithOrders, typedData, list];
}
