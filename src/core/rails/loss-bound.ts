import { type Decimal, decimal, divide, multiply } from "../decimal.ts";
import type { Rails } from "./rails.ts";

const HUNDRED = decimal("100");
const CENTS = 2;

/** What whoever steals a key with these rails can lose its owner in a day, in words; what is not bounded is said. */
export function lossBoundWords(rails: Rails): string {
  const { maxLossPerDay } = rails;
  const stopped =
    maxLossPerDay === null
      ? ""
      : ` Once it has lost ${maxLossPerDay} USD in a day it increases nothing until the next; that is best effort, closes nothing and bounds no loss.`;
  return boundOf(rails) + stopped;
}

function boundOf({ maxTurnoverPerDay, maxDistance, maxExposure, maxPosition }: Rails): string {
  if (maxTurnoverPerDay === null || maxDistance === null)
    return `Nothing bounds what a thief of this key can lose you in a day: ${unbounded({ maxTurnoverPerDay, maxDistance })}.`;
  const byPrice = percentOf(maxTurnoverPerDay, maxDistance);
  const held = maxExposure ?? maxPosition;
  const where = maxExposure === null ? "in each market" : "over all markets";
  const byMarket =
    held === null
      ? "whatever the market moves against all that it may buy for that"
      : `${percentOf(held, decimal("1"))} USD for each percent that the market moves against a position of ${held} USD ${where}`;
  return (
    `A thief of this key can lose you, in a day, at most ${byPrice} USD by bad prices ` +
    `(${maxDistance} % of ${maxTurnoverPerDay} USD), the fees of that turnover, and ${byMarket}.`
  );
}

function unbounded({ maxTurnoverPerDay, maxDistance }: Pick<Rails, "maxTurnoverPerDay" | "maxDistance">): string {
  const names = [
    ...(maxTurnoverPerDay === null ? ["max_turnover_per_day"] : []),
    ...(maxDistance === null ? ["max_distance"] : []),
  ];
  return `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} any`;
}

function percentOf(amount: Decimal, percent: Decimal): Decimal {
  return divide(multiply(amount, percent), HUNDRED, CENTS);
}
