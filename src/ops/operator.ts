import type { Network } from "../core/account.ts";
import type { With } from "../deps.ts";

/** What an operator's verb may touch. A running gateway has it, and so has a command that opens the directory itself. */
export type Operator = With<"clock" | "randomBytes" | "store"> & { network: Network };

/** The operator asked for something that cannot be done; the message says why and what to do. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
  readonly why: RefusalReason;

  constructor(message: string, why: RefusalReason = { kind: "rule" }) {
    super(message);
    this.why = why;
  }
}

/** For those who answer in more than words: a rule of ours, a word that has to be said first, a bad signature, the exchange's no, or no word of it. */
export type RefusalReason =
  | { kind: "rule" | "misused" | "signature" | "unknown" }
  /** `waitS`, whole seconds, where our own weight had no room. */
  | { kind: "unreachable"; waitS?: number }
  /** `text`: the exchange's own. */
  | { kind: "refused"; text: string };
