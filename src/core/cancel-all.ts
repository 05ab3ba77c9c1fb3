import type { Side } from "./order.ts";

/** Whose orders or position: what the caller's own key or bot has, or all of the account. */
export const TOUCHES = ["own", "all"] as const;
export type Touches = (typeof TOUCHES)[number];

/** `asked`: by a client. `closed`: triggers that a close has left behind, or what rested in its way. */
export type CancelAllCause = "asked" | "closed";

/** Orders that are canceled together, each once: the row comes first, then the work. */
export type CancelAll = {
  id: string;
  accountId: string;
  /** Hash of the API key that asked. */
  keyHash: string;
  cause: CancelAllCause;
  /** Null for every market, and for both sides. */
  market: string | null;
  side: Side | null;
  touches: Touches;
  /** What can only make a position smaller stays. */
  keepsProtection: boolean;
  createdAtMs: number;
  /** When all that was placed elsewhere had been told to go; null before, and where none of it is touched. */
  outsideAtMs: number | null;
  /** When it was first known that nothing of it can fill any more. */
  doneAtMs: number | null;
  /** The client's name for it; null for what a close left behind. */
  idempotencyKey: string | null;
};
