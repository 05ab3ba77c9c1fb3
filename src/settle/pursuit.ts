import { type Attempt, overByMs, sweepDelayMs, WITNESS_SPACING_MS } from "../core/attempt.ts";
import type { World } from "../deps.ts";
import type { InfoOptions } from "../exchange/exchange.ts";
import type { Grounds } from "./cancel/grounds.ts";
import type { CancelMisses } from "./cancel/misses.ts";
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
  /** The next step has what it takes to conclude in so long, milliseconds, and not before; null where that is not known. */
  concludesInMs: number | null;
  /** Reads of all that the exchange shows of the account, since they last began anew, and the elapsed time of the last. */
  sweeps: number;
  lastSweepElapsedMs: number | null;
  /** They have begun anew at its end: before it, none of them could witness an absence. */
  isEndSwept: boolean;
  /** Elapsed time of the last answer that counted as a witness of an absence. */
  lastWitnessElapsedMs: number | null;
  /** Such answers about an operation; an attempt that places counts them in its row. */
  witnesses: number;
  /** What the witnesses of a setting have shown: it as asked, or something else. */
  isWitnessedAsAsked: boolean;
  /** Elapsed time of the last reading of a setting, and whether it could be changed for a while without a reading that sees it. */
  lastReadingElapsedMs: number | null;
  wasUnwatched: boolean;
  /** Sweeps that found the history to reach back to it no longer, and the elapsed time of the last. */
  outlived: number;
  lastOutlivedElapsedMs: number | null;
  /** By when it was over at the latest, exchange time, unix milliseconds; null before the first of them. */
  outlivedByMs: number | null;
  /** Of them, since the last that found otherwise, how many found the position where the known fills had left it. */
  unmoved: number;
  /** Elapsed time of the first sweep that showed nothing of it, with none since then that may have; null while there is none. */
  unseenSinceElapsedMs: number | null;
  /**
   * Where cancels of it find nothing (`isUnfound`): by when that was so, exchange time, how many positions of after it, apart, stand where
   * the known fills have left them, and the elapsed time of the last. Null while something speaks against it.
   */
  unfound: { byMs: number; unmoved: number; lastElapsedMs: number } | null;
  /** The native id by which fills alone name it, and the elapsed time of the first look that found no record of that. */
  lead: { oid: string; missedElapsedMs: number } | null;
  /** By when at the latest its number was found to be taken, exchange time, unix milliseconds; null while it is not. */
  takenByMs: number | null;
  /** Elapsed time of the last empty action on its number; of all that left under that number there is one. */
  noop: { lastElapsedMs: number | null };
  /** The exchange's own words, where its answer was a refusal that is not listed. */
  refusal: string | null;
  /** A reading showed what was asked for: where it was refused in such words, that may have been a copy. */
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
  /** Elapsed time at which cancels of a TWAP that is shown to run had found nothing twice, milliseconds; null before. */
  firstMissedElapsedMs: number | null;
  /** Looks at a closed leg whose fills could not be read to the end. */
  looksAtClosed: number;
  /** Times that the original of a modify was still seen open, and the elapsed time of the first. */
  looksAtOpen: number;
  firstOpenElapsedMs: number | null;
  /** Times that the exchange showed no record of the original, or one of something else, and its time of the first. */
  looksMissed: number;
  missedSinceMs: number | null;
  /** What a modify was to place was refused by an answer, and has been looked for all the same: that names no order. */
  isRefusedLookedFor: boolean;
  /** Another's order was shown under the client order id of what a modify was to place, and that was told. */
  isNamesakeTold: boolean;
  /** Elapsed time at which an operation was first seen to run no more. */
  endedElapsedMs: number | null;
};

export function startPursuit(attemptId: number, noop: Pursuit["noop"] = { lastElapsedMs: null }): Pursuit {
  return {
    attemptId,
    looks: 0,
    concludesInMs: null,
    sweeps: 0,
    lastSweepElapsedMs: null,
    isEndSwept: false,
    lastWitnessElapsedMs: null,
    witnesses: 0,
    isWitnessedAsAsked: false,
    lastReadingElapsedMs: null,
    wasUnwatched: false,
    outlived: 0,
    lastOutlivedElapsedMs: null,
    outlivedByMs: null,
    unmoved: 0,
    unseenSinceElapsedMs: null,
    unfound: null,
    lead: null,
    takenByMs: null,
    noop,
    refusal: null,
    isRefusalDoubted: false,
    leftOut: 0,
    lastLeftOutElapsedMs: null,
    refusalReadings: 0,
    lastRefusalElapsedMs: null,
    lastSentElapsedMs: null,
    reissues: 0,
    firstMissedElapsedMs: null,
    looksAtClosed: 0,
    looksAtOpen: 0,
    firstOpenElapsedMs: null,
    looksMissed: 0,
    missedSinceMs: null,
    isRefusedLookedFor: false,
    isNamesakeTold: false,
    endedElapsedMs: null,
  };
}

/** When a sweep is asked for: elapsed milliseconds, and for how long the action can have run no more, negative while it can. */
export type SweepMoment = { nowMs: number; pastEndMs: number };

/** @param newestMs elapsed time at which the newest sweep of the account was asked for, whoever did; null where there is none */
export function isSweepDue(pursuit: Pursuit, moment: SweepMoment, newestMs: number | null = null): boolean {
  const { sweeps, lastSweepElapsedMs } = pursuit;
  if (lastSweepElapsedMs === null || isEndNew(pursuit, moment)) return true;
  const sinceMs = sweepSinceMs(pursuit, moment);
  // It costs nothing.
  if (sinceMs !== null && newestMs !== null && newestMs >= sinceMs) return true;
  return moment.nowMs - lastSweepElapsedMs >= sweepDelayMs(sweeps);
}

/**
 * Since when a sweep that another has asked for will do, elapsed milliseconds: it counts beside the last one, and at the end it is
 * from after it. Null for the first: the number has just been found to be taken, and one of before that proves nothing.
 */
export function sweepSinceMs(pursuit: Pursuit, moment: SweepMoment): number | null {
  if (pursuit.lastSweepElapsedMs === null) return null;
  const apartMs = pursuit.lastSweepElapsedMs + WITNESS_SPACING_MS;
  return isEndNew(pursuit, moment) ? Math.max(apartMs, moment.nowMs - moment.pastEndMs) : apartMs;
}

function isEndNew({ isEndSwept }: Pursuit, { pastEndMs }: SweepMoment): boolean {
  return pastEndMs > 0 && !isEndSwept;
}

/**
 * One for which our own weight had no room asked nothing, and is tried again at the next step. One that another asked for long
 * before this was due brings the seldom ones no nearer.
 */
export function countSweep(pursuit: Pursuit, swept: Sweep | Unread, moment: SweepMoment): void {
  if (swept === "no_room") return;
  const { sweeps, lastSweepElapsedMs } = pursuit;
  const isSoon = lastSweepElapsedMs !== null && moment.nowMs - lastSweepElapsedMs < sweepDelayMs(sweeps) / 2;
  pursuit.sweeps = isEndNew(pursuit, moment) ? 1 : sweeps + (isSoon ? 0 : 1);
  pursuit.isEndSwept ||= moment.pastEndMs > 0;
  pursuit.lastSweepElapsedMs = moment.nowMs;
}

/** The newest sweep of an account where one is due or costs nothing, counted; null where none is due. */
export async function sweepWhenDue(
  { world, sweeps }: Pick<Tools, "world" | "sweeps">,
  { attempt, user, options }: { attempt: Attempt; user: string; options: InfoOptions },
  pursuit: Pursuit,
): Promise<Sweep | Unread | null> {
  const pastEndMs = world.exchange.nowMs() - overByMs(attempt, pursuit.takenByMs);
  const moment = { nowMs: world.clock.elapsedMs(), pastEndMs };
  if (!isSweepDue(pursuit, moment, sweeps.newestMs(user))) return null;
  const swept = await sweeps.read({ user, accountId: attempt.accountId }, options, sweepSinceMs(pursuit, moment));
  countSweep(pursuit, swept, moment);
  return swept;
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
  grounds: Grounds;
  misses: CancelMisses;
  /** The leg that an attempt placed (or, for a cancel, acts on) and whose it is. Reads the database. */
  soughtOf(attempt: Attempt): Sought;
  /** The trading address of the account that an attempt is for. */
  userOf(attempt: Attempt): string;
};
