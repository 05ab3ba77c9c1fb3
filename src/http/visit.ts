import { authenticate, requireScope } from "../actions/authenticate.ts";
import type { Scope } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";
import type { SettingUp } from "../ops/set-up/setting-up.ts";
import type { Caller } from "../write/caller.ts";
import type { Arrivals } from "./arrivals.ts";
import type { FailureKind, Quota, RequestLimits } from "./limits.ts";
import type { OpenStreams } from "./open-streams.ts";

/** A request that a tool makes, without what surrounds one from outside. */
export type InnerRequest = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
};

export type Within = (asked: InnerRequest) => Promise<{ readonly status: number; readonly body: unknown }>;

/** One request on its way through, and what is to be said of it in headers and log. */
export type Visit = {
  request: Request;
  url: URL | null;
  requestId: string;
  /** The name that failures of whoever asks are counted under. */
  client: string;
  /** Whence it comes, the whole address. */
  address: string;
  limits: RequestLimits;
  streams: OpenStreams;
  /** See `Arrivals`. */
  awaitBody: Arrivals["take"];
  /** Asks another route as this request's caller does: its key is looked at anew, and so are its limits. */
  within: Within;
  /** To be called when all of the request is read: from then on it is we who take our time. */
  hasArrived(): void;
  /** Some of the body was left unread: it must not be taken for the next request. */
  isBodyLeft: boolean;
  /** What the set-up may touch; null where this process sets nothing up. */
  settingUp: Pick<SettingUp, "keyring" | "follow"> | null;
  /** Path template of the route that answered; null until one was found. */
  route: string | null;
  /** First 8 hex characters of the key's hash. */
  keyPrefix: string | null;
  /** Error code of the answer; null for a success. */
  code: string | null;
  quota: Quota | null;
};

const KEY_PREFIX_CHARACTERS = 8;

/** The caller behind the Authorization header; its failures, and nothing else, count against the client. */
export function admit(deps: With<"clock" | "log" | "metrics" | "state" | "store">, visit: Visit, scope: Scope): Caller {
  const { account, key } = countingFailures(visit, "authentication", () =>
    authenticate(deps, visit.request.headers.get("authorization"), visit.address),
  );
  visit.keyPrefix = key.keyHash.slice(0, KEY_PREFIX_CHARACTERS);
  requireScope(key, scope);
  return {
    account,
    key,
    reader: { reader: `${isOfPage(visit.request) ? "page " : ""}${key.keyHash}` },
    charge(bucket, count) {
      const charge = visit.limits.charge(key.keyHash, bucket, count);
      if (charge === null) return;
      visit.quota = charge.quota;
      if (charge.refusal !== null) throw charge.refusal;
    },
  };
}

/** Browsers say so of what a page of ours asks; nothing else sends this header. */
function isOfPage({ headers }: Request): boolean {
  return headers.get("sec-fetch-site") === "same-origin";
}

/** Codes that say that whoever asked could not show who they are, or asked about what is not theirs. */
const FAILED_PROOF: ReadonlySet<string> = new Set([
  "missing_api_key",
  "invalid_api_key",
  "revoked_api_key",
  "invalid_setup_token",
  "invalid_signature",
  "account_not_found",
  "main_account_required",
]);

/** Runs `work`; a failed proof counts, and too many of them are answered with `rate_limited` instead. */
export function countingFailures<T>(visit: Visit, kind: FailureKind, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError && FAILED_PROOF.has(error.code)) visit.limits.chargeFailure(visit.client, kind);
    throw error;
  }
}
