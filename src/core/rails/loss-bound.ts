import { add, compare, type Decimal, decimal, divide, larger, multiply } from "../decimal.ts";
import { memberName } from "./member-name.ts";
import type { Rails } from "./rails.ts";

const HUNDRED = decimal("100");
const ONE = decimal("1");
const HALF = decimal("0.5");
const CENTS = 2;
const CENT = decimal("0.01");

/** What whoever steals a key with these rails can lose its owner in a day, in words; what is not bounded is said. */
export function lossBoundWords(rails: Rails): string {
  const { may, maxLossPerDay } = rails;
  if (mayOpen(rails)) return boundOf(rails) + tripWords(maxLossPerDay);
  if (may.includes("approve"))
    return "A thief of this key opens and closes nothing by itself: it says yes to whatever the account's agents ask for, each held to its own rails.";
  const asks = may.includes("propose");
  const itself = `${asks ? "By itself a" : "A"} thief of this key opens nothing, and ${closingWords(rails)}.`;
  return asks ? `${itself} ${approvedWords(rails)}${tripWords(maxLossPerDay)}` : itself;
}

/** A bot that may trade in no market any more opens nothing, whatever its verbs; it closes what it holds all the same. */
function mayOpen({ may, markets }: Rails): boolean {
  return may.includes("increase") && markets?.length !== 0;
}

function tripWords(maxLossPerDay: Rails["maxLossPerDay"]): string {
  return maxLossPerDay === null
    ? ""
    : ` Once it has lost ${maxLossPerDay} USD in a day it increases nothing until the next; that is best effort, closes nothing and bounds no loss.`;
}

/** Of a key that opens nothing: what it can lose with what is held already. */
function closingWords(rails: Rails): string {
  const { may, touches, maxDistance, maxStopDistance } = rails;
  const unguarded = may.includes("cancel") ? "; it may cancel what protects that" : "";
  if (!may.includes("reduce")) return `closes nothing${unguarded}`;
  const whose = touches === "own" ? "what the bot holds" : "whatever the account holds";
  if (maxDistance === null || maxStopDistance === null)
    return `nothing bounds how badly it closes ${whose}: ${listed(["maxDistance", "maxStopDistance"], rails)}${unguarded}`;
  const closing = larger(maxDistance, maxStopDistance);
  const held = touches === "own" ? heldAtMost(rails) : null;
  const most = held === null ? "" : `, at most ${percentOf(held, closing)} USD of ${held} USD`;
  return `closes ${whose} at prices up to ${closing} % worse${most}, and the fees of that${unguarded}`;
}

/** Of a key that may propose, and whose orders somebody has to approve. */
function approvedWords(rails: Rails): string {
  return `What it asks for beyond that waits until somebody approves it, and is then held to these rails. If everything that it asks for were approved: ${boundOf(rails)}`;
}

function boundOf(rails: Rails): string {
  const prices = boundByPrices(rails);
  if (prices === null)
    return `Nothing bounds what a thief of this key can lose you in a day: ${listed(["maxTurnoverPerDay", "maxDistance", "maxStopDistance"], rails)}.`;
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

/** Those of these that are not limited. */
function listed(names: readonly ("maxTurnoverPerDay" | "maxDistance" | "maxStopDistance")[], rails: Rails): string {
  const unlimited = names.filter((name) => rails[name] === null).map(memberName);
  const last = unlimited.at(-1);
  const all = unlimited.length < 2 ? last : `${unlimited.slice(0, -1).join(", ")} and ${last}`;
  return `${all} ${unlimited.length === 1 ? "is" : "are"} any`;
}

function percentOf(amount: Decimal, percent: Decimal): Decimal {
  return inCents(multiply(amount, percent));
}

/** No less than so many hundredths. */
function inCents(hundredths: Decimal): Decimal {
  const cut = divide(hundredths, HUNDRED, CENTS);
  return compare(multiply(cut, HUNDRED), hundredths) < 0 ? add(cut, CENT) : cut;
}
