import type { Account, ApiKey } from "../core/account.ts";
import type { Reader } from "../exchange/exchange.ts";

/** Which bucket of the caller's limits a request draws on. */
export type ChargedBucket = "orders" | "cancels" | "otherWrites" | "reads" | "heartbeats";

/** Who asks: the account that the key belongs to, the key, and its limits. */
export type Caller = {
  account: Account;
  key: ApiKey;
  /** Whose share of the exchange's reads it draws on: the key's own, and the owner's page beside a bot with the same key. */
  reader: Reader;
  /** Draws one request, or so many, from a bucket of this key; throws `rate_limited` when it holds less. */
  charge(bucket: ChargedBucket, count?: number): void;
  /** Set for who comes by a hook or a tool: see `one-outcome`. */
  unattended?: {
    /** After this nothing of it is wanted any more, unix milliseconds; null = it stays wanted. */
    untilMs: number | null;
    /** When it was asked for, unix milliseconds: a stop since then has ended it too; null = who asks has just asked. */
    sinceMs: number | null;
  };
  /** Set where a person has approved just this order: the gate asks for no verb of `may`, and for everything else. */
  isApproved?: true;
};
