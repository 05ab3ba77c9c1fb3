/**
 * A moment by when something had happened, as it is kept while the exchange's time goes on. One that lies ahead was noted by a clock that has
 * been contradicted since: it was now, at the latest.
 *
 * @param keptMs null before it is noted; unix milliseconds
 */
export function keptMoment(keptMs: number | null, nowMs: number): number {
  return keptMs === null || keptMs > nowMs ? nowMs : keptMs;
}
