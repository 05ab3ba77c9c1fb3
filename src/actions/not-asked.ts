import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";
import type { InfoRequest, Purpose } from "../exchange/exchange.ts";
import { useOf } from "../exchange/shares.ts";
import { OUT_OF_WEIGHT, SLOWED_BY } from "../settle/pre-trade/obstacles.ts";

/** Why there is no answer, as a read tells it. */
export type Unanswered = { isOurBudget: boolean; waitS?: number };

/** The refusal of a read for which the exchange was not asked, or did not answer: `what` says for which. */
export function couldNotAsk(
  world: With<"exchange">,
  what: string,
  failed: Unanswered,
  purpose: Purpose = "read",
): ApiError {
  return notAnswered(world, `The exchange could not be asked ${what}`, failed, purpose);
}

/** Why fills could not be read: where our weight has no room for them now, it had none. All is asked again then. */
export function fillsUnanswered(
  { exchange }: With<"exchange">,
  purpose: Purpose,
  askedBefore: readonly InfoRequest[],
): Unanswered {
  if (exchange.budgetWaitS(purpose, [FILLS]) === 0) return { isOurBudget: false };
  return { isOurBudget: true, waitS: exchange.budgetWaitS(purpose, [...askedBefore, FILLS]) };
}

/** A part that was not asked for, of an answer that asks for all of this: told to come back when there is room for it whole. */
export function withRest(
  { exchange }: With<"exchange">,
  failed: Unanswered,
  { purpose, requests }: { purpose: Purpose; requests: readonly InfoRequest[] },
): Unanswered {
  if (!failed.isOurBudget || requests.length === 0) return failed;
  return { ...failed, waitS: Math.max(failed.waitS ?? 0, exchange.budgetWaitS(purpose, requests)) };
}

export const FILLS: InfoRequest = { type: "userFillsByTime" };

/**
 * The refusal of a write for which the exchange has to be read first, and could not be: `plain` says what could not be
 * done.
 */
export function notBegun(
  world: With<"exchange">,
  plain: string,
  failed: Unanswered,
  purpose: Purpose = "order",
): ApiError {
  const { code, message, retryAfterS } = notAnswered(world, plain, failed, purpose);
  return new ApiError(code, `${message} Nothing was sent.`, retryAfterS ?? undefined);
}

/** Ours where we did not ask, or were told not to for a while; the exchange's where it did not answer. */
function notAnswered({ exchange }: With<"exchange">, plain: string, failed: Unanswered, purpose: Purpose): ApiError {
  if (!failed.isOurBudget && failed.waitS === undefined) return new ApiError("exchange_unreachable", `${plain}.`);
  const told = exchange.slowedDown(purpose);
  const ours = useOf(purpose) === "read" ? OUT_OF_READS : OUT_OF_WEIGHT;
  const why = told === null ? `this ${ours}` : `it ${SLOWED_BY[told]}`;
  const waitS = failed.waitS ?? exchange.budgetWaitS(purpose);
  return new ApiError("exchange_rate_limited", `${plain}: ${why}.`, Math.max(1, waitS));
}

const OUT_OF_READS =
  "gateway's own limit of reads (POSTERN_EXCHANGE_WEIGHT, shared fairly among those who read) is used up for the moment";
