import type { Account, ApiKey } from "../core/account.ts";
import type { Reader } from "../exchange/exchange.ts";

/** What a write is answered with; `body` is JSON text and goes out as it is. */
export type WriteAnswer = {
  status: 200 | 201 | 202;
  body: string;
  /** True when this key has been answered (or is being answered) by an earlier request. */
  isReplay: boolean;
};

/** What a read is answered with. */
export type ReadAnswer = {
  body: string;
  /** Set when the exchange could not be asked: the wall time of what is shown, unix milliseconds. */
  asOfMs: number | null;
};

/** Which bucket of the caller's limits a request draws on. */
export type ChargedBucket = "orders" | "cancels" | "otherWrites" | "reads";

/** Who asks: the account that the key belongs to, the key, and its limits. */
export type Caller = {
  account: Account;
  key: ApiKey;
  /** Whose share of the exchange's reads it draws on: the key's own, and the owner's page beside a bot with the same key. */
  reader: Reader;
  /** Draws one request from a bucket of this key; throws `rate_limited` when it is empty. */
  charge(bucket: ChargedBucket): void;
};

/** What every write carries besides its own terms. */
export type WriteKey = {
  idempotencyKey: string;
  /** Pure function of the request, made before anything is looked up. */
  fingerprint: string;
};
