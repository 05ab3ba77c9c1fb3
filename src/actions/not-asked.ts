import { ApiError } from "../core/errors.ts";
import type { Deps } from "../deps.ts";

/**
 * The refusal of a read for which the exchange was not asked, or did not answer: `what` says for which, and what it said or
 * what we ran out of is added where that is why.
 */
export function couldNotAsk({ exchange }: Deps, what: string, failed: { isOurBudget: boolean }): ApiError {
  const plain = `The exchange could not be asked ${what}`;
  const told = exchange.slowedDown("read");
  const why = told === null ? (failed.isOurBudget ? OUR_WEIGHT : null) : TOLD[told];
  if (why === null) return new ApiError("exchange_unreachable", `${plain}.`);
  return new ApiError("exchange_unreachable", `${plain}: ${why}.`, Math.max(1, exchange.budgetWaitS("read")));
}

const OUR_WEIGHT = "this gateway's own limit of requests for reads is used up for the moment";
const TOLD = {
  too_fast: "it has told this gateway to slow down (HTTP 429)",
  out_of_actions:
    "it has refused an action because its account had used up its actions, and this gateway pauses after that",
} as const;
