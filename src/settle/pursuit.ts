import { type Attempt, sweepDelayMs, WITNESS_SPACING_MS } from "../core/attempt.ts";
import type { World } from "../deps.ts";
import type { FillEvidence } from "./evidence/fill-evidence.ts";
import type { Vanished } from "./evidence/vanished.ts";
import type { Sought } from "./look/look.ts";
import type { Sweep } from "./look/sweep.ts";
import type { Sweeps, Unread } from "./look/sweeps.ts";

/** What a pursuit remembers between two steps. Losing it in a crash only makes the next one slower. */
export type Pursuit = {
  /** Changes when a cancel is issued again under a new nonce. */
  attemptId: number;
  looks: number;
  /** Reads of all that the exchange shows of the account, since they last began anew, and the elapsed time of the last. */
  sweeps: number;
  lastSweepElapsedMs: number | null;
  /** They have begun anew at its end: before it, none of them could witness an absence. */
  isEndSwept: boolean;
  /** Elapsed time of the last answer that counted as a witness of an absence. */
  lastWitnessElapsedMs: number | null;
  /** Such answers about an operation; an attempt that places counts them in its row. */
  witnesses: number;
  /** Sweeps that found the history to reach back to it no longer, and the elapsed time of the last. */
  outlived: number;
  lastOutlivedElapsedMs: number | null;
  /** By when it was over at the latest, exchange time, unix milliseconds; null before the first of them. */
  outlivedByMs: number | null;
  /** Of them, since the last that found otherwise, how many found the position where the known fills had left it. */
  unmoved: number;
  /** The native id by which fills alone name it, and the elapsed time of the first look that found no record of that. */
  lead: { oid: string; missedElapsedMs: number } | null;
  /** Elapsed time of the last empty action on its number; of all that left under that number there is one. */
  noop: { lastElapsedMs: number | null };
  /** The exchange's own words, where its answer was a refusal that is not listed. */
  refusal: string | null;
  /** A reading showed what was refused in such words: it may have been a copy that was refused. */
  isRefusalDoubted: boolean;
  /** Readings, apart, that showed others of its batch and nothing of it, and the elapsed time of the last. */
  leftOut: number;
  lastLeftOutElapsedMs: number | null;
  /** Readings, apart, that showed nothing of it, and the elapsed time of the last. */
  refusalReadings: number;
  lastRefusalElapsedMs: number | null;
  /** Elapsed time of the last cancel sent. */
  lastSentElapsedMs: number | null;
  /** Times that a cancel was issued again. */
  reissues: number;
  /**
   * By a leg's client order id: cancels that found nothing of it under the number that the list of markets has, each by a
   * newer reading of it, and our monotonic times of the newest reading and of the first of these answers, milliseconds.
   */
  missed: Map<string, { times: number; listReadElapsedMs: number; sinceElapsedMs: number }>;
  /** Looks at a closed leg whose fills could not be read to the end. */
  looksAtClosed: number;
  /** Times that the original of a modify was still seen open, and the elapsed time of the first. */
  looksAtOpen: number;
  firstOpenElapsedMs: number | null;
  /** Times that the exchange showed no record of the original, or one of something else, and its time of the first. */
  looksMissed: number;
  missedSinceMs: number | null;
  /** Another's order was shown under the client order id of what a modify was to place, and that was told. */
  isNamesakeTold: boolean;
  /** Elapsed time at which an operation was first seen to run no more. */
  endedElapsedMs: number | null;
};

export function startPursuit(attemptId: number, noop: Pursuit["noop"] = { lastElapsedMs: null }): Pursuit {
  return {
    attemptId,
    looks: 0,
    sweeps: 0,
    lastSweepElapsedMs: null,
    isEndSwept: false,
    lastWitnessElapsedMs: null,
    witnesses: 0,
    outlived: 0,
    lastOutlivedElapsedMs: null,
    outlivedByMs: null,
    unmoved: 0,
    lead: null,
    noop,
    refusal: null,
    isRefusalDoubted: false,
    leftOut: 0,
    lastLeftOutElapsedMs: null,
    refusalReadings: 0,
    lastRefusalElapsedMs: null,
    lastSentElapsedMs: null,
    reissues: 0,
    missed: new Map(),
    looksAtClosed: 0,
    looksAtOpen: 0,
    firstOpenElapsedMs: null,
    looksMissed: 0,
    missedSinceMs: null,
    isNamesakeTold: false,
    endedElapsedMs: null,
  };
}

/** When a sweep is asked for: elapsed milliseconds, and whether the action can run no more. */
export type SweepMoment = { nowMs: number; isPastEnd: boolean };

export function isSweepDue(pursuit: Pursuit, { nowMs, isPastEnd }: SweepMoment): boolean {
  const { sweeps, lastSweepElapsedMs } = pursuit;
  if (lastSweepElapsedMs === null || (isPastEnd && !pursuit.isEndSwept)) return true;
  return nowMs - lastSweepElapsedMs >= sweepDelayMs(sweeps);
}

/** One for which our own weight had no room asked nothing, and is tried again at the next step. */
export function countSweep(pursuit: Pursuit, swept: Sweep | Unread, { nowMs, isPastEnd }: SweepMoment): void {
  if (swept === "no_room") return;
  pursuit.sweeps = isPastEnd && !pursuit.isEndSwept ? 1 : pursuit.sweeps + 1;
  pursuit.isEndSwept ||= isPastEnd;
  pursuit.lastSweepElapsedMs = nowMs;
}

/** The history has witnessed an absence: what else it takes is asked for soon, however long it had been silent. */
export function hastenSweeps(pursuit: Pursuit): void {
  pursuit.sweeps = 1;
}

/**
 * Counts a reading that lacks what the exchange refused in words that are not listed; two that count are apart.
 *
 * @param nowMs elapsed milliseconds
 */
export function countRefusalReading(pursuit: Pursuit, nowMs: number): void {
  const last = pursuit.lastRefusalElapsedMs;
  if (last !== null && nowMs - last < WITNESS_SPACING_MS) return;
  pursuit.lastRefusalElapsedMs = nowMs;
  pursuit.refusalReadings += 1;
}

/** Counts a reading that holds another order of the same batch and lacks this one; two that count are apart. */
export function countLeftOut(pursuit: Pursuit, nowMs: number): void {
  const last = pursuit.lastLeftOutElapsedMs;
  if (last !== null && nowMs - last < WITNESS_SPACING_MS) return;
  pursuit.lastLeftOutElapsedMs = nowMs;
  pursuit.leftOut += 1;
}

/** What every step works with. */
export type Tools = {
  world: World;
  sweeps: Sweeps;
  vanished: Vanished;
  evidence: FillEvidence;
  /** The leg that an attempt placed (or, for a cancel, acts on) and whose it is. Reads the database. */
  soughtOf(attempt: Attempt): Sought;
  /** The trading address of the account that an attempt is for. */
  userOf(attempt: Attempt): string;
};
