import type { TSchema } from "@sinclair/typebox";
import type { Scope } from "../core/account.ts";
import type { ErrorCode } from "../core/errors.ts";

/** Where the name of one thing stands in a path; a path has one at most. */
export const NAME_IN_PATH = /\{([a-z]+)\}/;

/** What a route promises: the source of its checks and of its chapter in the interface description. */
export type Contract = {
  /** Name of the operation; part of what an Idempotency-Key is tied to, so it never changes. */
  name: string;
  method: "GET" | "POST" | "PUT";
  /** With `{id}` where an id stands, and `{market}` where the name of a market does. */
  path: `/${string}`;
  tag: string;
  summary: string;
  description?: string;
  /**
   * Who may ask: anybody, anybody with the owner's signature in the body, whoever holds a one-time link or the session
   * that it was traded for, or a key with this scope.
   */
  access: "anybody" | "owner_signature" | "setup_link" | "setup_session" | Scope;
  /** Of a write: taken in every state and without a bucket; an Idempotency-Key may be given and need not be. */
  isUrgent?: true;
  /** HEAD is answered as GET is, without a body. Nowhere else does it exist. */
  isHeadAnswered?: true;
  /** What stands there may be. */
  id?: { description: string; example: string };
  /** Query parameters; all others are refused. */
  query?: Readonly<Record<string, TSchema>>;
  /** Of the query parameters, those that have to be given. */
  requiredQuery?: readonly string[];
  body?: TSchema;
  /** Bytes of a body at most, where its kind of route says another number. */
  maxBytes?: number;
  bodyExample?: unknown;
  /** True where no body stands for an empty object. */
  isBodyOptional?: boolean;
  answers: readonly ContractAnswer[];
  /** Codes of this route alone; those that follow from its kind are added by `errorsOf`. */
  errors: readonly ErrorCode[];
};

export type ContractAnswer = {
  status: 200 | 201 | 202;
  description: string;
  schema: TSchema;
  example: unknown;
  /** Anything but JSON. */
  contentType?: string;
  /** Headers besides those that every answer has. */
  headers?: readonly AnswerHeader[];
};

export type AnswerHeader = "Idempotent-Replayed" | "X-Data-As-Of";

const EVERYWHERE: readonly ErrorCode[] = [
  "host_not_allowed",
  "invalid_parameter",
  "unknown_parameter",
  "storage_unavailable",
  "too_many_connections",
  "internal_error",
];
const WITH_BODY: readonly ErrorCode[] = ["invalid_json", "invalid_content_type", "body_too_large", "missing_parameter"];
const WITH_KEY: readonly ErrorCode[] = [
  "missing_api_key",
  "invalid_api_key",
  "revoked_api_key",
  "insufficient_scope",
  "rate_limited",
  "expired_api_key",
  "source_not_allowed",
];
const WITH_SIGNATURE: readonly ErrorCode[] = ["invalid_signature", "account_not_found", "rate_limited"];
const WITH_SETUP: readonly ErrorCode[] = ["invalid_setup_token", "setup_done", "rate_limited"];
const ON_WRITE: readonly ErrorCode[] = [
  "idempotency_key_required",
  "invalid_idempotency_key",
  "idempotency_key_reused",
  "exchange_rate_limited",
  "exchange_unreachable",
  "not_ready",
  "draining",
  "agent_not_approved",
  "rail_refused",
  "rails_required",
  "rails_unproven",
];

const ON_URGENT: readonly ErrorCode[] = ["invalid_idempotency_key", "idempotency_key_reused"];

/** It goes to the exchange under an Idempotency-Key. What is put is the same however often it is said, and needs none. */
export function isWrite({ access, isUrgent, method }: Contract): boolean {
  return access === "trading:write" && isUrgent !== true && method === "POST";
}

/** Bytes of a body at most. */
const MAX_BODY_BYTES = 64 * 1024;
/** Of one that is read before whoever sends it has proven anything, or that is short anyway: three times the longest. */
const MAX_SHORT_BODY_BYTES = 2 * 1024;

export function maxBodyBytes({ access, maxBytes }: Pick<Contract, "access" | "maxBytes">): number {
  if (maxBytes !== undefined) return maxBytes;
  const isShort = access === "owner_signature" || access === "setup_link" || access === "setup_session";
  return isShort ? MAX_SHORT_BODY_BYTES : MAX_BODY_BYTES;
}

/** Every code that this route may answer with. */
export function errorsOf(contract: Contract): ErrorCode[] {
  const { access, body, errors } = contract;
  const codes = [
    ...EVERYWHERE,
    ...(body === undefined ? [] : WITH_BODY),
    ...(access === "trading:read" || access === "trading:write" ? WITH_KEY : []),
    ...(access === "owner_signature" ? WITH_SIGNATURE : []),
    ...(access === "setup_link" || access === "setup_session" ? WITH_SETUP : []),
    ...(isWrite(contract) ? ON_WRITE : []),
    ...(contract.isUrgent === true ? ON_URGENT : []),
    // A character that no id has makes it another path.
    ...(contract.id === undefined ? [] : (["route_not_found"] as const)),
    ...errors,
  ];
  return [...new Set(codes)];
}
