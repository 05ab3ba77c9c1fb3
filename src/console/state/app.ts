import type { State } from "./state.ts";

/** The page's outside world and its state, handed to everything that does something. */
export type App = {
  readonly state: State;
  readonly sessionStorage: Storage;
  readonly localStorage: Storage;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Draws the page again, once a frame at most. */
  readonly changed: () => void;
};
