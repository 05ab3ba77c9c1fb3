/** How much is at stake in positions, and how near the nearest end is. */
import type { ApiPosition } from "../api/resources.ts";
import { sumOf } from "./account-total.ts";
import { compare, divide, multiply, subtract } from "./decimal.ts";

/** Value of all positions, longs and shorts added up, USDC. */
export function exposureOf(positions: readonly ApiPosition[]): string {
  return sumOf(positions.map(({ position_value: value }) => value));
}

/** How far the mark may go, in percent of itself, until the position is liquidated. */
export function liquidationPercent(position: Pick<ApiPosition, "mark_price" | "liquidation_price">): string | null {
  const { mark_price: mark, liquidation_price: liquidation } = position;
  if (mark === null || liquidation === null) return null;
  const gap = subtract(mark, liquidation);
  const distance = gap.startsWith("-") ? subtract("0", gap) : gap;
  return divide(multiply(distance, "100"), mark, 1);
}

export type Nearest = { market: string; percent: string };

/** The position that is liquidated first; null where none can be. */
export function nearestLiquidation(positions: readonly ApiPosition[]): Nearest | null {
  let nearest: Nearest | null = null;
  for (const position of positions) {
    const percent = liquidationPercent(position);
    if (percent === null || (nearest !== null && compare(percent, nearest.percent) >= 0)) continue;
    nearest = { market: position.market, percent };
  }
  return nearest;
}

/** Percent of the mark price below which a liquidation is near enough to be marked. */
const NEAR_PERCENT = "10";

export function isNear(percent: string): boolean {
  return compare(percent, NEAR_PERCENT) < 0;
}
