import type { TimeSample } from "./clock.ts";

/**
 * How far the exchange's time may be ahead of the time that is believed, where a few readings have outvoted our own clock. Servers that lag
 * are behind, each by an amount of its own, and three of them may agree by chance, above all at a start: then our own clock is right.
 */
export type OutvotedClock = {
  /** Readings are believed although our own clock says otherwise; this is the last of them. */
  outvoted(newest: TimeSample): void;
  /** A later reading, the time that earlier readings let expect for it, and whether it is near our own clock. */
  heard(sample: TimeSample, countedMs: number | null, isNearOwn: boolean): void;
  /** By so much the exchange's time is ahead of what is believed, if our own clock is right, milliseconds. */
  aheadMs(elapsedMs: number, believedMs: number): number;
};

/** Servers do not lag by more than this: a larger difference is our own clock's, milliseconds. */
const MOST_BEHIND_MS = 60_000;
/** True readings agree within this, beside what their round trip leaves open, milliseconds; readings that lag do so only by chance. */
const CLOSELY_MS = 500;
/** Readings have to agree so closely for this long, milliseconds, which is two further readings. */
const CLOSELY_FOR_MS = 10_000;
/** After so long without a reading near our own clock that clock is wrong: not all servers lag, milliseconds. */
const UNHEARD_FOR_MS = 60_000;

export function createOutvotedClock(): OutvotedClock {
  let word: { paceMs: number; outvotedAtMs: number; closeSinceMs: number } | null = null;
  return {
    outvoted({ sentAtMs, receivedAtMs: nowMs, exchangeMs, wallMs }) {
      const aheadMs = wallMs - (exchangeMs + (nowMs - sentAtMs) / 2);
      const isPossible = aheadMs > 0 && aheadMs <= MOST_BEHIND_MS;
      word = isPossible ? { paceMs: wallMs - nowMs, outvotedAtMs: nowMs, closeSinceMs: nowMs } : null;
    },
    heard(sample, countedMs, isNearOwn) {
      if (word === null || countedMs === null) return;
      const nowMs = sample.receivedAtMs;
      if (!isClose(sample, countedMs)) word = { ...word, closeSinceMs: nowMs };
      const isRefuted = nowMs - word.closeSinceMs >= CLOSELY_FOR_MS || nowMs - word.outvotedAtMs >= UNHEARD_FOR_MS;
      if (isNearOwn || isRefuted) word = null;
    },
    aheadMs: (elapsedMs, believedMs) =>
      word === null ? 0 : Math.max(0, Math.round(elapsedMs + word.paceMs) - believedMs),
  };
}

function isClose({ sentAtMs, receivedAtMs, exchangeMs }: TimeSample, countedMs: number): boolean {
  const halfMs = (receivedAtMs - sentAtMs) / 2;
  return Math.abs(countedMs - halfMs - exchangeMs) <= halfMs + CLOSELY_MS;
}
