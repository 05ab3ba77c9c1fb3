import { add, type Decimal, subtract } from "../../core/decimal.ts";
import type { PositionFill } from "../../store/position-fills.ts";

/** Where a fill leaves what is held, no fee counted. */
export function endOf({ side, size, startPosition }: PositionFill): Decimal {
  return side === "buy" ? add(startPosition, size) : subtract(startPosition, size);
}

/** Where fills of one moment leave what is held: at the one end from which none of them starts; null when that is not clear. */
export function lastEnd<Of extends PositionFill>(fills: readonly Of[], end: (fill: Of) => Decimal): Decimal | null {
  const starts = new Set(fills.map(({ startPosition }) => startPosition));
  const last = [...new Set(fills.map(end))].filter((each) => !starts.has(each));
  return last.length === 1 ? (last[0] ?? null) : null;
}
