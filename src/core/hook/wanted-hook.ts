import { isNetwork } from "../rails/networks.ts";
import { MAX_SLIPPAGE_BPS } from "../worst-price.ts";
import { isHookName, MOST_MAX_AGE_S, MOST_SAME_WITHIN_S, type WantedHook } from "./hook.ts";

/** What is wrong with the form of a hook that is to be made, in words; null where nothing is. */
export function faultOfHook({ name, market, maxAgeMs, sameWithinMs, maxSlippageBps, sources }: WantedHook) {
  if (!isHookName(name)) return "the name is 1 to 40 of a-z, 0-9 and -";
  if (market === "") return "name the market, or leave it out where each alert names one";
  if (!isWithinSeconds(maxAgeMs, 1, MOST_MAX_AGE_S)) return `the greatest age is 1 to ${MOST_MAX_AGE_S} s`;
  if (!isWithinSeconds(sameWithinMs, 1, MOST_SAME_WITHIN_S))
    return `the time in which alerts that say the same are one is 1 to ${MOST_SAME_WITHIN_S} s`;
  if (!Number.isInteger(maxSlippageBps) || maxSlippageBps < 1 || maxSlippageBps > MAX_SLIPPAGE_BPS)
    return `the slippage is a whole number of basis points, 1 to ${MAX_SLIPPAGE_BPS}`;
  if (sources !== null && !sources.split(",").every(isNetwork))
    return "the sources are networks such as 203.0.113.7/32, joined by commas";
  return null;
}

function isWithinSeconds(ms: number, least: number, most: number): boolean {
  return Number.isInteger(ms) && ms >= least * 1_000 && ms <= most * 1_000;
}
