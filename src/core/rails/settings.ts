/** Leverage and margin: what brings a liquidation nearer counts as an increase, what moves it away passes with its verb. */
import { compare } from "../decimal.ts";
import { isSpot } from "../market.ts";
import { marketFault, verbFault } from "./may.ts";
import type { Rails } from "./rails.ts";
import { type RailRefusal, refusal } from "./verdict.ts";
import type { Facts, LeverageSetting, Wish } from "./wish.ts";

export function leverageFault(
  rails: Rails,
  facts: Facts,
  { market, setting }: Extract<Wish, { kind: "leverage" }>,
): RailRefusal | null {
  const set = facts.settingsOf(market);
  const isIncrease = set === null || !isLowering(setting, set);
  return (
    verbFault(rails, "leverage") ??
    marketFault(rails, market) ??
    (isIncrease ? (raiseFault(rails, facts, market) ?? leverageAbove(rails, [setting])) : null)
  );
}

export function marginFault(
  rails: Rails,
  facts: Facts,
  { market, isRemoval }: Extract<Wish, { kind: "margin" }>,
): RailRefusal | null {
  return (
    verbFault(rails, "margin") ??
    marketFault(rails, market) ??
    (isRemoval ? (raiseFault(rails, facts, market) ?? settingFault(rails, facts, market)) : null)
  );
}

/** Of what increases: the leverage under which it would stand. */
export function settingFault(rails: Rails, facts: Facts, market: string): RailRefusal | null {
  if (rails.maxLeverage === null || isSpot(market)) return null;
  const set = facts.settingsOf(market);
  if (set === null) return { kind: "unproven", missing: `the leverage that is set in ${market}, ${CALL}` };
  return leverageAbove(rails, set);
}

/** Whoever cannot be shown what is set can set it. */
const CALL = "which POST /v1/leverage sets";

/** Lower than, or as, whatever may be in force. */
function isLowering(wanted: LeverageSetting, set: readonly LeverageSetting[]): boolean {
  return set.every(({ leverage, isCross }) => isCross === wanted.isCross && wanted.leverage <= leverage);
}

/** A position in which others have a part is theirs as well. */
function raiseFault(rails: Rails, facts: Facts, market: string): RailRefusal | null {
  const fault = verbFault(rails, "increase") ?? (facts.halt === null ? null : refusal(facts.halt.rail, facts.halt));
  if (fault !== null || rails.touches === "all") return fault;
  const account = facts.accountOf(market);
  if (account === null) return { kind: "unproven", missing: `the account's position in ${market}` };
  if (compare(facts.ownOf(market), account) === 0) return null;
  return refusal("touches", { limit: rails.touches, use: `the position of others in ${market}` });
}

function leverageAbove({ maxLeverage }: Rails, set: readonly LeverageSetting[]): RailRefusal | null {
  const most = Math.max(...set.map(({ leverage }) => leverage));
  if (maxLeverage === null || most <= maxLeverage) return null;
  return refusal("maxLeverage", { limit: `${maxLeverage}x`, use: `${most}x, ${CALL}` });
}
