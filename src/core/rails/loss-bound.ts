import { add, compare, type Decimal, decimal, divide, larger, multiply } from "../decimal.ts";
import type { Rails } from "./rails.ts";

const HUNDRED = decimal("100");
const ONE = decimal("1");
const HALF = decimal("0.5");
const CENTS = 2;
const CENT = decimal("0.01");

/** What whoever steals a key with these rails can lose its owner in a day, in words; what is not bounded is said. */
export function lossBoundWords(rails: Rails): string {
  const { maxLossPerDay } = rails;
  const stopped =
    maxLossPerDay === null
      ? ""
      : ` Once it has lost ${maxLossPerDay} USD in a day it increases nothing until the next; that is best effort, closes nothing and bounds no loss.`;
  return boundOf(rails) + stopped;
}

function boundOf(rails: Rails): string {
  const prices = boundByPrices(rails);
  if (prices === null) return `Nothing bounds what a thief of this key can lose you in a day: ${unbounded(rails)}.`;
  const { touches } = rails;
  const others =
    touches === "own"
      ? ""
      : ` It may close whatever else the account holds, at prices up to ${prices.closing} % worse.`;
  return `A thief of this key can lose you, in a day, at most ${prices.words}, and ${byMarket(rails)}.${others}`;
}

type PriceBound = {
  words: string;
  /** Percent by which what it closes may be worse than the market. */
  closing: Decimal;
};

/**
 * What it opens costs the distance at most, and what it closes may cost that of a stop: one that waits beside the market fires at once.
 * Both count as turnover, but when that is used up all that is held can still be closed.
 */
function boundByPrices({
  maxTurnoverPerDay: turnover,
  maxDistance: distance,
  maxStopDistance,
  ...rails
}: Rails): PriceBound | null {
  if (turnover === null || distance === null || maxStopDistance === null) return null;
  const closing = larger(distance, maxStopDistance);
  const held = heldAtMost(rails);
  const opens = `${distance} % of what it opens, ${closing} % of what it closes`;
  if (held === null) {
    const most = percentOf(turnover, add(distance, closing));
    const before = `${closing} % of what it held before that day`;
    return {
      words: `${most} USD by bad prices (${opens}, ${turnover} USD each) and ${before}, the fees of that`,
      closing,
    };
  }
  const traded = add(turnover, held);
  // Half of the turnover opens what the other half closes, and then all that is held is closed.
  const half = multiply(turnover, HALF);
  const most = inCents(add(multiply(half, distance), multiply(add(half, held), closing)));
  return { words: `${most} USD by bad prices (${opens}, ${traded} USD in all), the fees of that`, closing };
}

/** USD that it can hold at once; null where no rail says. */
function heldAtMost({ maxExposure, maxPosition, markets }: Pick<Rails, "maxExposure" | "maxPosition" | "markets">) {
  if (maxExposure !== null) return maxExposure;
  if (maxPosition === null || markets === null || markets.some((name) => name.endsWith("*"))) return null;
  return multiply(maxPosition, decimal(String(markets.length)));
}

function byMarket({ maxExposure, maxPosition }: Rails): string {
  const held = maxExposure ?? maxPosition;
  if (held === null) return "whatever the market moves against all that it may buy for that";
  const where = maxExposure === null ? "in each market" : "over all markets";
  return `${percentOf(held, ONE)} USD for each percent that the market moves against a position of ${held} USD ${where}`;
}

function unbounded({ maxTurnoverPerDay, maxDistance, maxStopDistance }: Rails): string {
  const names = [
    ...(maxTurnoverPerDay === null ? ["max_turnover_per_day"] : []),
    ...(maxDistance === null ? ["max_distance"] : []),
    ...(maxStopDistance === null ? ["max_stop_distance"] : []),
  ];
  const last = names.at(-1);
  const all = names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
  return `${all} ${names.length === 1 ? "is" : "are"} any`;
}

function percentOf(amount: Decimal, percent: Decimal): Decimal {
  return inCents(multiply(amount, percent));
}

/** No less than so many hundredths. */
function inCents(hundredths: Decimal): Decimal {
  const cut = divide(hundredths, HUNDRED, CENTS);
  return compare(multiply(cut, HUNDRED), hundredths) < 0 ? add(cut, CENT) : cut;
}
