import type { TimeSample } from "./clock.ts";

/**
 * What our own clock says against the time that a few readings are believed for. Servers that lag are behind, each by its
 * own: three of them agree by chance, at a start above all. Then it is our own clock that is right, and ahead of them.
 */
export type OutvotedClock = {
  /** Readings are believed against it, the last of them this one. */
  outvoted(newest: TimeSample): void;
  /** A reading, the time that was counted on to it from earlier ones, and whether it is near our own clock. */
  heard(sample: TimeSample, countedMs: number | null, isNearOwn: boolean): void;
  /** By so much the exchange's time is ahead of what is believed, if our own clock is right, milliseconds. */
  aheadMs(elapsedMs: number, believedMs: number): number;
};

/** Where readings are behind our own clock by more, it is not they that lag, milliseconds. */
const MOST_BEHIND_MS = 60_000;
/** Readings that are true agree more closely than those that lag do by chance: within this, beyond what their round trip leaves open, milliseconds. */
const CLOSELY_MS = 500;
/** They have to for so long, milliseconds: two further readings. */
const CLOSELY_FOR_MS = 10_000;
/** Where no reading was near our own clock for so long it is not all servers that lag, milliseconds. */
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
