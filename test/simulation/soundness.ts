/** How far what a run's exchange shows may be relied upon. */
import type { Weather } from "./weather.ts";
import { areReadsWhole } from "./worlds/odd.ts";
import type { Worlds } from "./worlds/worlds.ts";

export function areSound({ readFaultRate, blindRate, outages, freezes, lags }: Weather): boolean {
  const isPrompt = Object.keys(lags).length === 0;
  return isPrompt && readFaultRate === 0 && blindRate === 0 && outages.length === 0 && freezes.length === 0;
}

/** What a client may be told by them. */
export function readsOf(weather: Weather, { odd, falseEnds, newTimes }: Worlds) {
  return {
    areReadsSound: areSound(weather) && newTimes === null,
    areReadsWhole: areReadsWhole(odd),
    areEndsTrue: falseEnds === null,
    positionsBehindMs: Math.max(positionsBehindMs(weather), newTimes?.behindMs ?? 0),
  };
}

/** By how much the positions that are shown, and the fills that make them, may be behind, milliseconds. */
function positionsBehindMs({ lags, freezes }: Weather): number {
  const frozenMs = freezes.map(({ fromMs, toMs }) => toMs - fromMs);
  return Math.max(lags["positions"]?.mostMs ?? 0, lags["fills"]?.mostMs ?? 0, ...frozenMs);
}

export function hasPlainRecords({ rests, words, forgetting }: Worlds): boolean {
  return rests === null && words === null && forgetting === null;
}

/** One wrong answer is never signed with; what is wrong for a while, or as our own clock is, may be believed. */
export function isWrongForLong({ clocks }: Worlds): boolean {
  return clocks !== null && clocks.stretch !== null;
}

/**
 * What the exchange's records do not tell is known within this time, milliseconds: what is newer has to come first. Of what
 * is forgotten every list has to be read twice, for which there may be no room in our weight for minutes.
 */
export const WITNESSED_WITHIN_MS = { kept: 150_000, forgotten: 300_000 } as const;

export function witnessedWithinMs({ forgetting }: Worlds): number {
  return forgetting === null ? WITNESSED_WITHIN_MS.kept : WITNESSED_WITHIN_MS.forgotten;
}
