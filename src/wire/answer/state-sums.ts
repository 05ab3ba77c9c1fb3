/** Whether a state of an account agrees with itself. */
import { absolute, compare, decimal, subtract, sum } from "../../core/decimal.ts";
import type { ClearinghouseState } from "./account.ts";

/** USD. The exchange cuts each figure to its sixth decimal, and no account has positions in ten thousand markets. */
const ROUNDING = decimal("0.01");

/** The exchange tells beside the positions what they are worth together: an answer that lacks one of them adds up to something else. */
export function isWhole({
  marginSummary,
  positions,
}: Pick<ClearinghouseState, "marginSummary" | "positions">): boolean {
  const worth = sum(positions.map(({ positionValue }) => absolute(positionValue)));
  return compare(absolute(subtract(marginSummary.totalNotional, worth)), ROUNDING) <= 0;
}
