import type { Network } from "../core/account.ts";
import type { World } from "../deps.ts";

/** What an operator's verb may touch. A running gateway has it, and so has a command that opens the directory itself. */
export type Operator = Pick<World, "store" | "clock" | "randomBytes"> & { network: Network };

/** The operator asked for something that cannot be done; the message says why and what to do. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
