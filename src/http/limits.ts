import type { ChargedBucket } from "../actions/answer.ts";
import { ApiError } from "../core/errors.ts";
import { type Draw, draw, isOff, type Level, type Rate } from "../core/rate.ts";
import type { Deps, Limits } from "../deps.ts";
import { openThrottleNotes } from "../ops/note-throttled.ts";

/** What an answer says of the bucket that its request drew on. */
export type Quota = { limit: number; remaining: number; resetS: number };

export type Charge = { quota: Quota; refusal: ApiError | null };

export type FailureKind = "authentication" | "registration" | "revocation";

export type RequestLimits = {
  /** Draws on a key's bucket; `refusal` is set when it is empty. Null when that bucket has no limit. */
  charge(keyHash: string, bucket: ChargedBucket): Charge | null;
  /**
   * Counts a failure of this client. Called after the fact, so that it never stands in the way of a valid key or
   * signature; throws `rate_limited` instead of the failure when there were too many.
   */
  chargeFailure(client: string, kind: FailureKind): void;
};

/** Buckets in memory at a time; the oldest are forgotten first. */
const MAX_BUCKETS = 10_000;

const WORDS = {
  orders: "orders and modifies",
  cancels: "cancels",
  otherWrites: "other writes",
  reads: "reads and repeats",
} as const satisfies Record<ChargedBucket, string>;

export function openLimits(deps: Deps): RequestLimits {
  const { limits } = deps.settings;
  const levels = new Map<string, Level>();
  const noteThrottled = openThrottleNotes(deps);

  function drawOn(name: string, rate: Rate): Draw {
    const nowMs = deps.clock.elapsedMs();
    const drawn = draw(rate, levels.get(name) ?? null, nowMs);
    // Deleted first, so that the map's order is the order of use.
    levels.delete(name);
    levels.set(name, drawn.level);
    if (levels.size > MAX_BUCKETS) forgetOldest(levels);
    return drawn;
  }

  return {
    charge(keyHash, bucket) {
      const rate = limits[bucket];
      if (isOff(rate)) return null;
      const { isAllowed, remaining, resetS, retryAfterS } = drawOn(`${bucket} ${keyHash}`, rate);
      const quota = { limit: rate.burst, remaining, resetS };
      if (isAllowed) return { quota, refusal: null };
      const rule = `${rate.perSecond} a second, ${rate.burst} at once`;
      const message = `Too many ${WORDS[bucket]} with this API key: ${rule}.`;
      return { quota, refusal: new ApiError("rate_limited", message, retryAfterS) };
    },
    chargeFailure(client, kind) {
      const perMinute = failuresPerMinute(limits, kind);
      if (perMinute <= 0) return;
      const { isAllowed, retryAfterS } = drawOn(`${kind} ${client}`, { perSecond: perMinute / 60, burst: perMinute });
      if (isAllowed) return;
      deps.metrics.throttled(kind);
      noteThrottled(client, kind);
      throw new ApiError("rate_limited", `Too many failed attempts of ${kind}: ${perMinute} a minute.`, retryAfterS);
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

function forgetOldest(levels: Map<string, Level>): void {
  const oldest = levels.keys().next();
  if (oldest.done !== true) levels.delete(oldest.value);
}
