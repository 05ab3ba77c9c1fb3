import { Type } from "@sinclair/typebox";
import {
  AnswerNetwork,
  closed,
  described,
  KeyHash,
  nullable,
  ScopeWord,
  Signature,
  Timestamp,
  Uuid,
  words,
} from "./common.ts";

/** Spec 2.1: both words are read, only one of them can be granted. */
const RequestNetwork = words(["exchange_mainnet", "exchange_testnet"], {
  description: "Part of what is signed; anything but `exchange_mainnet` is refused with `mainnet_required`.",
});

const Scopes = Type.Array(ScopeWord, {
  minItems: 1,
  maxItems: 2,
  uniqueItems: true,
  description: "1 or 2 different scopes of `trading:read` and `trading:write`.",
  examples: [["trading:read", "trading:write"]],
});

/** Spec 4.1. */
export const RegisterKeyBody = closed(
  {
    consent: closed(
      {
        account: Uuid,
        network: RequestNetwork,
        key_hash: KeyHash,
        policy: closed({ scopes: Scopes }, { description: "An object with `scopes` and nothing else." }),
        issued_at: Type.Integer({
          minimum: 1,
          maximum: 8_640_000_000_000_000,
          description:
            "Unix time of signing in milliseconds, a whole number above 0 and at most 8640000000000000. At most 60 minutes ago, at most 60 seconds ahead.",
          examples: [1_795_253_400_000],
        }),
        expires_at: Type.Optional(Type.Null({ description: "Null or left out: keys do not expire.", default: null })),
      },
      { title: "Consent", description: "What the owner consents to; the signature covers all of it." },
    ),
    signature: Signature,
  },
  { title: "RegisterApiKey" },
);

/** Spec 4.2. */
export const RevokeKeyBody = closed(
  { account: Uuid, key_hash: KeyHash, signature: Signature },
  { title: "RevokeApiKey" },
);

export const RevokeAndCancelBody = closed(
  {
    account: Uuid,
    key_hash: KeyHash,
    signature: Signature,
    cancel_orders: Type.Literal(true, { description: "Always true: without it there is `POST /v1/api-keys/revoke`." }),
  },
  { title: "RevokeAndCancel" },
);

export const WithdrawnKeyResource = closed(
  {
    object: Type.Literal("api_key", { description: "Always `api_key`." }),
    key_hash: KeyHash,
    revoked: Type.Literal(true, { description: "Always true." }),
    stop: described(Uuid, "The stop that withdraws what the key has placed: `GET /v1/stops/{id}`."),
  },
  { title: "WithdrawnKey" },
);

/** Spec 2.5. */
export const ApiKeyResource = closed(
  {
    object: Type.Literal("api_key", { description: "Always `api_key`." }),
    account: Uuid,
    network: AnswerNetwork,
    key_hash: KeyHash,
    scopes: Type.Array(ScopeWord, { minItems: 1, maxItems: 2, uniqueItems: true, description: "Sorted." }),
    expires_at: Type.Null({ description: "Null: keys do not expire." }),
  },
  { title: "ApiKey" },
);

/** With what this gateway knows of it besides the grant. */
export const ListedApiKeyResource = closed(
  {
    ...ApiKeyResource.properties,
    state: words(["active", "revoked", "blocked", "held"], {
      description: "Whether it opens anything: revoked by the owner, blocked by the operator, on hold after a restore.",
    }),
    created_at: described(Timestamp, "When it was registered."),
    last_used_at: nullable(Timestamp, "When it was last used, to the minute; null = never, as far as is known."),
  },
  { title: "ListedApiKey" },
);

export const KEY_STATES = ["active", "revoked", "blocked", "held", "all"] as const;

export const KeyStateParameter = words(KEY_STATES, { description: "Which keys.", default: "active" });

/** Spec 2.5. */
export const RevocationResource = closed(
  {
    object: Type.Literal("api_key", { description: "Always `api_key`." }),
    key_hash: KeyHash,
    revoked: Type.Literal(true, { description: "Always true." }),
  },
  { title: "ApiKeyRevocation" },
);

const TypedField = closed({
  name: Type.String({ description: "Name of the member." }),
  type: Type.String({ description: "Solidity type of the member." }),
});

export const TypedDataResource = closed(
  {
    object: Type.Literal("typed_data", { description: "Always `typed_data`." }),
    audience: Type.String({ description: "Which gateway a signature is for; goes into every message." }),
    domain: closed({
      name: Type.String({ description: "Name of the signing domain." }),
      version: Type.String({ description: "Version of the signing domain." }),
    }),
    types: closed({
      ApiKeyGrant: Type.Array(TypedField, { description: "Members of a grant, in signing order." }),
      ApiKeyRevocation: Type.Array(TypedField, { description: "Members of a revocation, in signing order." }),
    }),
    examples: Type.Array(
      closed({
        primary_type: Type.String({ description: "Which of the types the message has." }),
        types: Type.Record(Type.String(), Type.Array(TypedField), {
          description: "That type alone: signers refuse others beside it. Wallets want `EIP712Domain` as well.",
        }),
        message: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
          description: "A message with every member filled in.",
        }),
      }),
      { description: "A grant and a revocation with an example account and hash." },
    ),
  },
  { title: "TypedData", description: "EIP-712 data that the account owner signs; `scopes` sorted and comma-joined." },
);
