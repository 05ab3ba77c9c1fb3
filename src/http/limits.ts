import { ApiError } from "../core/errors.ts";
import { isOff, type Rate } from "../core/rate.ts";
import type { Bucket, Limits, With } from "../deps.ts";
import { openThrottleNotes } from "../ops/note-throttled.ts";
import type { ChargedBucket } from "../write/caller.ts";
import { type AddressBuckets, type KeyBuckets, openAddressBuckets, openKeyBuckets } from "./buckets.ts";

/** What an answer says of the bucket that its request drew on. */
export type Quota = { limit: number; remaining: number; resetS: number };

export type KeyCharge = { quota: Quota; refusal: ApiError | null };

export type FailureKind = "authentication" | "registration" | "revocation";

export type RequestLimits = {
  /** Draws on a key's bucket, once or so often; `refusal` is set when it holds less. Null when that bucket has no limit. */
  charge(keyHash: string, bucket: ChargedBucket, count?: number): KeyCharge | null;
  /**
   * Counts a failure of this client. Called after the fact, so that it never stands in the way of a valid key or
   * signature; throws `rate_limited` instead of the failure when there were too many.
   */
  chargeFailure(client: string, kind: FailureKind): void;
};

const WORDS = {
  orders: "orders and modifies",
  cancels: "cancels",
  otherWrites: "other writes",
  reads: "reads and repeats",
  heartbeats: "heartbeats",
} as const satisfies Record<ChargedBucket, string>;

/** No setting: the shortest silence that can be asked for is 5 s, and each beat is a write of the disk. */
export const HEARTBEATS: Bucket = { perSecond: 1, burst: 10 };

export function openLimits(deps: With<"clock" | "log" | "metrics" | "settings" | "store">): RequestLimits {
  const { limits } = deps.settings;
  const rates: Record<ChargedBucket, Bucket> = { ...limits, heartbeats: HEARTBEATS };
  const noteThrottled = openThrottleNotes(deps);
  // Keys and addresses have nothing in common: no number of addresses may move a key's bucket.
  const ofKeys: Record<ChargedBucket, KeyBuckets> = {
    orders: openKeyBuckets(limits.orders),
    cancels: openKeyBuckets(limits.cancels),
    otherWrites: openKeyBuckets(limits.otherWrites),
    reads: openKeyBuckets(limits.reads),
    heartbeats: openKeyBuckets(HEARTBEATS),
  };
  const ofAddresses: Record<FailureKind, AddressBuckets> = {
    authentication: openAddressBuckets(perMinute(limits.failedAuthenticationsPerMinute)),
    registration: openAddressBuckets(perMinute(limits.failedRegistrationsPerMinute)),
    revocation: openAddressBuckets(perMinute(limits.failedRevocationsPerMinute)),
  };

  return {
    charge(keyHash, bucket, count = 1) {
      const rate = rates[bucket];
      if (isOff(rate)) return null;
      const { isAllowed, remaining, resetS, retryAfterS } = ofKeys[bucket].draw(keyHash, deps.clock.elapsedMs(), count);
      const quota = { limit: rate.burst, remaining, resetS };
      if (isAllowed) return { quota, refusal: null };
      const rule = `${rate.perSecond} a second, ${rate.burst} at once`;
      const message = `Too many ${WORDS[bucket]} with this API key: ${rule}.`;
      return { quota, refusal: new ApiError("rate_limited", message, retryAfterS) };
    },
    chargeFailure(client, kind) {
      const most = failuresPerMinute(limits, kind);
      if (most <= 0) return;
      const { isAllowed, retryAfterS } = ofAddresses[kind].draw(client, deps.clock.elapsedMs());
      if (isAllowed) return;
      deps.metrics.throttled(kind);
      noteThrottled(client, kind);
      throw new ApiError("rate_limited", `Too many failed attempts of ${kind}: ${most} a minute.`, retryAfterS);
    },
  };
}

function failuresPerMinute(limits: Limits, kind: FailureKind): number {
  switch (kind) {
    case "authentication":
      return limits.failedAuthenticationsPerMinute;
    case "registration":
      return limits.failedRegistrationsPerMinute;
    case "revocation":
      return limits.failedRevocationsPerMinute;
  }
}

function perMinute(count: number): Rate {
  return { perSecond: count / 60, burst: count };
}
