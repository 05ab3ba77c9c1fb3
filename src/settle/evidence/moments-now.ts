/** Moments that our two clocks have noted, by the exchange's time as we know it now, unix milliseconds. */
import type { With } from "../../deps.ts";

export type MomentsNow = {
  nowMs: number;
  ofMonotonic(elapsedMs: number): number;
  /** As our wall clock goes now: what it has noted it may have noted before it was set. */
  ofWall(atMs: number): number;
};

export function momentsNow({ clock, exchange }: With<"clock" | "exchange">): MomentsNow {
  const [nowMs, wallMs, elapsedMs] = [exchange.nowMs(), clock.nowMs(), clock.elapsedMs()];
  return {
    nowMs,
    ofMonotonic: (momentMs) => nowMs - (elapsedMs - momentMs),
    ofWall: (atMs) => nowMs - (wallMs - atMs),
  };
}
