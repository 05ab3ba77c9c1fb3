/** What is told of a trade in plain words: why what it holds is not protected, or has no take-profit. */
import { decimal, isZero, multiply } from "./decimal.ts";
import { MAX_GUARDS } from "./guard-tries.ts";
import { isTooLittle } from "./minimum-value.ts";
import type { Trade } from "./trade.ts";
import { heldAtMostOf, heldOf, isLess, protectedOf, standingOf, type TradeFacts } from "./trade-step.ts";

/** Why what is held has no take-profit although one was asked for, in plain words; null where it has, or is not its turn. */
export function profitRefused(trade: Trade, facts: TradeFacts): string | null {
  const { profits } = facts;
  const refusal = profits.at(-1)?.refusal ?? null;
  if (trade.takeProfit === null || refusal === null || isZero(heldOf(facts)) || !isZero(standingOf(profits)))
    return null;
  const isLast = profits.length >= MAX_GUARDS || isTooLittle(refusal);
  return `${PROFIT_REFUSED}${refusal}${isLast ? " It is not asked for again." : ""}`;
}

/** What the words of a refused take-profit begin with. */
export const PROFIT_REFUSED = "its take-profit was refused: ";

/** Why what is held is not known to be protected, in plain words; null where it is, or nothing is held. */
export function unprotectedBecause(trade: Trade, facts: TradeFacts): string | null {
  const held = heldAtMostOf(facts);
  if (isZero(held) || !isLess(protectedOf(facts), held)) return null;
  if (facts.isClosingUnclear)
    return "what its stop or take-profit has closed is not known yet: not all fills of its entry are";
  const newest = facts.stops.at(-1);
  if (newest === undefined || newest.refusal === null) return "its stop is not confirmed yet";
  if (!isTooLittle(newest.refusal)) return `its stop was refused: ${newest.refusal}`;
  const value = multiply(held, decimal(trade.stopLoss.price));
  return `the exchange takes no stop for so little: ${held} at ${trade.stopLoss.price} is ${value}, and it answers: ${newest.refusal}`;
}
