/**
 * A moment by when something had happened, as it is kept while the exchange's time goes on. One that lies ahead was noted by a clock that has
 * been contradicted since: it was now, at the latest.
 *
 * @param keptMs null before it is noted; unix milliseconds
 */
export function keptMoment(keptMs: number | null, nowMs: number): number {
  return keptMs === null || keptMs > nowMs ? nowMs : keptMs;
}

/**
 * True when it was within the last while. One that lies ahead was not: the clock was set back since, and who waits for the while to pass
 * would wait for as long as it was set back.
 *
 * @param atMs null where it never was; by this machine's clock, unix milliseconds
 */
export function isJustNow(atMs: number | null, nowMs: number, withinMs: number): boolean {
  return atMs !== null && nowMs >= atMs && nowMs - atMs < withinMs;
}
