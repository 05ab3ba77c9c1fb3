/** Moments that our two clocks have noted, by the exchange's time as we know it now, unix milliseconds. */
import type { With } from "../../deps.ts";

export type MomentsNow = {
  nowMs: number;
  ofMonotonic(elapsedMs: number): number;
  /** As our wall clock goes now: what it has noted it may have noted before it was set. */
  ofWall(atMs: number): number;
  /**
   * What was noted of an order or an operation, by this process or one before it: by our wall clock as it goes now, or as it stood when the number
   * was made, for it may have been set since either. The later of the two that is not still to come; where both are, nobody knows when.
   */
  ofNoted(atMs: number, number: MadeNumber): number;
};

/** When a number was made: it is the exchange's time of that, and `attemptedAtMs` is our wall clock's. Null where none was. */
type MadeNumber = { nonce: number | null; attemptedAtMs: number | null };

export function momentsNow({ clock, exchange }: With<"clock" | "exchange">): MomentsNow {
  const [nowMs, wallMs, elapsedMs] = [exchange.nowMs(), clock.nowMs(), clock.elapsedMs()];
  const ofWall = (atMs: number) => nowMs - (wallMs - atMs);
  return {
    nowMs,
    ofMonotonic: (momentMs) => nowMs - (elapsedMs - momentMs),
    ofWall,
    ofNoted(atMs, { nonce, attemptedAtMs }) {
      const byNumber = nonce === null || attemptedAtMs === null ? ofWall(atMs) : atMs + nonce - attemptedAtMs;
      const past = [ofWall(atMs), byNumber].filter((momentMs) => momentMs <= nowMs);
      return past.length === 0 ? ofWall(atMs) : Math.max(...past);
    },
  };
}
