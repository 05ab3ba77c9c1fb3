import { printable } from "../../wire/answer/refusal.ts";
import { OperatorError } from "../operator.ts";

/** What became of one step of the set-up; `setup` is added where it is answered. */
export type StepOutcome = {
  status: "succeeded" | "rejected" | "unknown";
  /** Plain words, or null. */
  error: string | null;
  /** The one thing to do about it, or null. */
  whatToDo: string | null;
};

export const SUCCEEDED: StepOutcome = { status: "succeeded", error: null, whatToDo: null };

export function rejected(error: string, whatToDo: string): StepOutcome {
  return { status: "rejected", error, whatToDo };
}

const ADVICE: readonly [RegExp, string, string][] = [
  [
    /Must deposit|does not exist/,
    "The exchange does not know this wallet: nothing was ever deposited from it.",
    "Deposit USDC on the exchange with this wallet, then sign again.",
  ],
  [
    /Too many extra agents/,
    "Every place for a named agent of this wallet is taken.",
    "Remove one on the exchange's own page (API), then sign again.",
  ],
  [
    /agent already used/,
    "The exchange has seen this agent key before, and takes each only once.",
    'Run "postern agent new" on the machine, then reload this page.',
  ],
  [/valid_until/, "The exchange does not take this end.", "Choose 1 to 180 days, then sign again."],
  [/pending agent removal/, "An agent of this wallet is just being removed.", "Wait a minute, then sign again."],
  [
    /Builder has insufficient balance/,
    "The builder's own account is too small to take fees.",
    "Skip this step: orders go without the fee.",
  ],
  [/nonce|too old|in the future/i, "The signature is too old, or this machine's clock is wrong.", "Sign again."],
];

/** A refusal of the exchange, in words for the owner, with its own text behind them. */
export function refusedBy(text: string): StepOutcome {
  const quoted = `The exchange says: "${printable(text)}"`;
  const found = ADVICE.find(([pattern]) => pattern.test(text));
  if (found === undefined)
    return rejected(`The exchange refused. ${quoted}`, "Sign again; if it refuses again, look at its text.");
  return rejected(`${found[1]} ${quoted}`, found[2]);
}

/** What a verb of the operator refused; anything else is a fault of ours and goes on. */
export function refusedByUs(error: unknown, whatToDo: string): StepOutcome {
  if (error instanceof OperatorError) return rejected(`${error.message}.`, whatToDo);
  throw error;
}
