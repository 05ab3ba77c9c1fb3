/** Token buckets as values: no clock in here, times are monotonic milliseconds handed in. */

/** Tokens that come back each second, and how many may be saved up. `perSecond` 0 = no limit. */
export type Rate = { perSecond: number; burst: number };

/** What a bucket held at one moment. */
export type BucketLevel = { tokens: number; atMs: number };

export type Draw = {
  isAllowed: boolean;
  level: BucketLevel;
  /** Whole tokens left. */
  remaining: number;
  /** Whole seconds until the bucket is full again. */
  resetS: number;
  /** Whole seconds, at least 1, after which a refused draw would succeed; 0 when this one did. */
  retryAfterS: number;
};

/** Takes so many tokens, or none of them. A bucket that was never drawn on (null) is full; a clock that goes back gives nothing. */
export function draw(rate: Rate, level: BucketLevel | null, nowMs: number, count = 1): Draw {
  const before = refill(rate, level, nowMs);
  const isAllowed = before.tokens >= count;
  const after = isAllowed ? { ...before, tokens: before.tokens - count } : before;
  return {
    isAllowed,
    level: after,
    remaining: Math.floor(after.tokens),
    resetS: Math.ceil((rate.burst - after.tokens) / rate.perSecond),
    retryAfterS: isAllowed ? 0 : Math.max(1, Math.ceil((count - after.tokens) / rate.perSecond)),
  };
}

/** A full bucket is one that was never drawn on. */
export function isFull(rate: Rate, level: BucketLevel, nowMs: number): boolean {
  return refill(rate, level, nowMs).tokens >= rate.burst;
}

export function isOff(rate: Rate): boolean {
  return rate.perSecond <= 0 || rate.burst <= 0;
}

function refill(rate: Rate, level: BucketLevel | null, nowMs: number): BucketLevel {
  if (level === null) return { tokens: rate.burst, atMs: nowMs };
  const elapsedMs = Math.max(0, nowMs - level.atMs);
  const tokens = Math.min(rate.burst, level.tokens + (elapsedMs * rate.perSecond) / 1_000);
  return { tokens, atMs: Math.max(nowMs, level.atMs) };
}
