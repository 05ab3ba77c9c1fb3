import type { HttpAnswer } from "./answers.ts";
import type { PlannedFills } from "./by-others.ts";
import type { ExactJson } from "./exchange/json-text.ts";
import type { PaperNetwork } from "./exchange/signer.ts";
import { type FaultFile, type Faults, startFaults } from "./faults.ts";
import { type Moves, startMoves, wrongMove } from "./market-moves.ts";
import { openPast, type Past } from "./past.ts";
import { nowMs, type Runtime } from "./runtime.ts";
import type { Weights } from "./weights.ts";
import type { PaperWorld } from "./world.ts";

/** What answering a request takes. */
export type Desk = {
  readonly runtime: Runtime;
  readonly network: PaperNetwork;
  readonly sleep: (ms: number) => Promise<void>;
  faults: Faults;
  readonly weights: Weights;
  /** The past in which the fault `stuck_node` answers, and how many reads have met that fault. */
  frozen: { readonly world: PaperWorld; readonly nowMs: number } | null;
  stuckReads: number;
  /** What was, for the faults `behind` and `balancer`, and how many reads have been shared out. */
  past: Past;
  balancedReads: number;
  /** Of orders that rest, by others. */
  readonly fills: PlannedFills;
  /** What becomes of the list of markets. */
  moves: Moves;
  /** Answers POST /control; null when there is no such route. */
  readonly control: ((json: ExactJson) => HttpAnswer) | null;
};

type InForce = Pick<Desk, "faults" | "frozen" | "stuckReads" | "past" | "balancedReads" | "moves">;

/** Rules that come into force now, with all that goes with them anew. Throws where they name a market that there is not. */
export function faultsInForce(runtime: Runtime, file: FaultFile): InForce {
  const { world } = runtime;
  const wrong = wrongMove(file, world.venue);
  if (wrong !== null) throw new Error(wrong);
  const atMs = nowMs(runtime);
  return {
    faults: startFaults(file, runtime.observer.struck),
    frozen: null,
    stuckReads: 0,
    past: openPast(file, world, atMs),
    balancedReads: 0,
    moves: startMoves(file, atMs),
  };
}
