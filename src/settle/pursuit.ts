import type { Attempt } from "../core/attempt.ts";
import type { World } from "../deps.ts";
import type { ChainTime } from "./chain-time.ts";
import type { FillEvidence } from "./fill-evidence.ts";
import type { Sought } from "./look.ts";
import type { Sweeps } from "./sweeps.ts";
import type { Vanished } from "./vanished.ts";

/** What a pursuit remembers between two steps. Losing it in a crash only makes the next one slower. */
export type Pursuit = {
  /** Changes when a cancel is issued again under a new nonce. */
  attemptId: number;
  looks: number;
  lastNegativeElapsedMs: number | null;
  lastNoopElapsedMs: number | null;
  /** Exchange time at which a noop was seen to have sealed it, unix milliseconds. */
  sealedAtMs: number | null;
  /** Elapsed time of the last cancel sent. */
  lastSentElapsedMs: number | null;
  /** Times that a cancel was issued again. */
  reissues: number;
  /** Looks at a closed leg whose fills could not be read to the end. */
  looksAtClosed: number;
  /** Exchange time by which what became of a modify's replacement was known, unix milliseconds. */
  replacementKnownAtMs: number | null;
  /** Times that the original of a modify was still seen open. */
  looksAtOpen: number;
  /** Readings after the seal that showed no effect of an operation. */
  finalReadings: number;
  /** Elapsed time of the first reading after the seal. */
  sealedElapsedMs: number | null;
};

export function startPursuit(attemptId: number): Pursuit {
  return {
    attemptId,
    looks: 0,
    lastNegativeElapsedMs: null,
    lastNoopElapsedMs: null,
    sealedAtMs: null,
    lastSentElapsedMs: null,
    reissues: 0,
    looksAtClosed: 0,
    replacementKnownAtMs: null,
    looksAtOpen: 0,
    finalReadings: 0,
    sealedElapsedMs: null,
  };
}

/** What every step works with. */
export type Tools = {
  world: World;
  chainTime: ChainTime;
  sweeps: Sweeps;
  vanished: Vanished;
  evidence: FillEvidence;
  /** The leg that an attempt placed (or, for a cancel, acts on) and whose it is. Reads the database. */
  soughtOf(attempt: Attempt): Sought;
  /** The trading address of the account that an attempt is for. */
  userOf(attempt: Attempt): string;
};
