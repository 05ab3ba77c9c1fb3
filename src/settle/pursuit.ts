import type { Attempt } from "../core/attempt.ts";
import type { World } from "../deps.ts";
import type { ChainTime } from "./chain-time.ts";
import type { FillEvidence } from "./fill-evidence.ts";
import type { Sought } from "./look.ts";

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
};

export function startPursuit(attemptId: number): Pursuit {
  return {
    attemptId,
    looks: 0,
    lastNegativeElapsedMs: null,
    lastNoopElapsedMs: null,
    sealedAtMs: null,
    lastSentElapsedMs: null,
  };
}

/** What every step works with. */
export type Tools = {
  world: World;
  chainTime: ChainTime;
  evidence: FillEvidence;
  /** The leg that an attempt placed (or, for a cancel, acts on) and whose it is. Reads the database. */
  soughtOf(attempt: Attempt): Sought;
};
