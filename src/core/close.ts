import type { Touches } from "./cancel-all.ts";

/** A close of a position, until what it leaves behind has been seen to. */
export type Close = {
  /** The order that closes it. */
  orderId: string;
  accountId: string;
  market: string;
  /** Hash of the API key that asked. */
  keyHash: string;
  touches: Touches;
  keepsTriggers: boolean;
  /** Number of the newest action that was signed before it: a trigger of later is none of it. */
  upTo: number;
  endedAtMs: number | null;
};
