import type { Answer } from "./answers.ts";
import type { Json } from "./exchange/json-text.ts";
import type { PaperNetwork } from "./exchange/signer.ts";
import type { Faults } from "./faults.ts";
import type { Runtime } from "./runtime.ts";
import type { Weights } from "./weights.ts";
import type { World } from "./world.ts";

/** What answering a request takes. */
export type Desk = {
  readonly runtime: Runtime;
  readonly network: PaperNetwork;
  readonly sleep: (ms: number) => Promise<void>;
  faults: Faults;
  readonly weights: Weights;
  /** The past in which the fault `stuck_node` answers, and how many reads have met that fault. */
  frozen: { readonly world: World; readonly nowMs: number } | null;
  stuckReads: number;
  /** Answers POST /control; null when there is no such route. */
  readonly control: ((json: Json) => Answer) | null;
};
