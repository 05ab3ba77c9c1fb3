/**
 * The history of TWAPs that a feed has told, held against the running ones that it tells over another channel: the history comes
 * only when something changes, so that one that fell silent looks like one of which nothing has changed.
 */
import { dexOf } from "../core/market.ts";
import type { TwapRecord, TwapStanding } from "../wire/answer/twap.ts";

/** So long the one channel may be behind the other, by the exchange's time, milliseconds. */
const BEHIND_MS = 5_000;

/** Running ones by dex, and since when they and the history contradict one another; null while they do not. */
export type RunningTwaps = { byDex: Map<string, readonly TwapStanding[]>; doubtedSinceMs: number | null };

export function newRunningTwaps(): RunningTwaps {
  return { byDex: new Map(), doubtedSinceMs: null };
}

/** To be called when either channel has told something; null records say nothing. */
export function compareTwaps(
  running: RunningTwaps,
  records: readonly TwapRecord[] | null,
  heardToMs: number | null,
): void {
  const isDoubted = records !== null && contradicts(running.byDex, records);
  running.doubtedSinceMs = isDoubted ? (running.doubtedSinceMs ?? heardToMs) : null;
}

export function isDoubtful({ doubtedSinceMs }: RunningTwaps, heardToMs: number | null): boolean {
  return doubtedSinceMs !== null && heardToMs !== null && heardToMs - doubtedSinceMs > BEHIND_MS;
}

/** One runs of which the history lacks the beginning, or lacks the end of one that does not run any more. */
function contradicts(byDex: RunningTwaps["byDex"], records: readonly TwapRecord[]): boolean {
  const began = new Map(records.map(({ twapId, state }) => [twapId, state.coin]));
  const over = new Set(records.filter(({ status }) => status !== "activated").map(({ twapId }) => twapId));
  // The history is cut: of what began before its oldest record it need not show the beginning.
  const fromMs = records.length === 0 ? 0 : Math.min(...records.map(({ state }) => state.timestampMs));
  for (const [dex, twaps] of byDex) {
    const running = new Set(twaps.map(({ twapId }) => twapId));
    if (twaps.some(({ twapId, state }) => state.timestampMs >= fromMs && !began.has(twapId))) return true;
    for (const [twapId, coin] of began) {
      if (twapId !== null && dexOf(coin) === dex && !over.has(twapId) && !running.has(twapId)) return true;
    }
  }
  return false;
}
