import type { Account, ApiKey } from "../core/account.ts";
import type { Reader } from "../exchange/exchange.ts";

/** Which bucket of the caller's limits a request draws on. */
export type ChargedBucket = "orders" | "cancels" | "otherWrites" | "reads" | "heartbeats";

/** Who asks: the account that the key belongs to, the key, and its limits. */
export type Caller = {
  account: Account;
  key: ApiKey;
  /**
   * Whose share of reads at the exchange the request draws on: the key's, or that of the owner's page, which may have
   * the same key as a bot.
   */
  reader: Reader;
  /** Draws one request, or so many, from a bucket of this key; throws `rate_limited` when it holds less. */
  charge(bucket: ChargedBucket, count?: number): void;
  /** Set for a request that comes through a hook or a tool: see `one-outcome`. */
  unattended?: {
    /** When the request is no longer wanted, unix milliseconds; null where it stays wanted. */
    untilMs: number | null;
    /** Whether a stop has come and gone since it was asked for, which has ended it too: asked inside the intent's transaction. */
    wasStopped(): boolean;
  };
  /**
   * Set where a person has approved just this order: the gate asks for no verb of the rail `may`, and for every other
   * rail.
   */
  isApproved?: true;
};
