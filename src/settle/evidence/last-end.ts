import { add, type Decimal, subtract, ZERO } from "../../core/decimal.ts";
import { findFillCursor } from "../../store/fills.ts";
import type { Store } from "../../store/open.ts";
import { listNewestFillsIn, type PositionFill } from "../../store/position-fills.ts";

/** Where a fill leaves what is held, no fee counted. */
export function endOf({ side, size, startPosition }: PositionFill): Decimal {
  return side === "buy" ? add(startPosition, size) : subtract(startPosition, size);
}

/**
 * Where fills of one moment, each once, leave what is held: at the one end from which none of them starts, or to which one more of them leads than
 * starts there. What comes back to where it began has ended there, which `before` may tell. Null when that is not clear.
 */
export function lastEnd<Of extends PositionFill>(
  fills: readonly Of[],
  end: (fill: Of) => Decimal,
  before: () => Decimal | null = notKnown,
): Decimal | null {
  const starts = new Set(fills.map(({ startPosition }) => startPosition));
  const last = [...new Set(fills.map(end))].filter((each) => !starts.has(each));
  if (last.length > 0) return last.length === 1 ? (last[0] ?? null) : null;
  const surplus = surplusAt(fills, end);
  const unpaired = [...surplus].filter(([, count]) => count !== 0);
  const [ends, begins] = [unpaired.filter(([, count]) => count === 1), unpaired.filter(([, count]) => count === -1)];
  if (unpaired.length === 2 && ends.length === 1 && begins.length === 1) return ends[0]?.[0] ?? null;
  const began = unpaired.length === 0 ? before() : null;
  return began !== null && surplus.has(began) ? began : null;
}

function notKnown(): null {
  return null;
}

/** At each size how many more of them end than start. */
function surplusAt<Of extends PositionFill>(fills: readonly Of[], end: (fill: Of) => Decimal): Map<Decimal, number> {
  const surplus = new Map<Decimal, number>();
  const count = (size: Decimal, by: 1 | -1) => surplus.set(size, (surplus.get(size) ?? 0) + by);
  for (const fill of fills) {
    count(end(fill), 1);
    count(fill.startPosition, -1);
  }
  return surplus;
}

type AccountMarket = { accountId: string; market: string };

/** Where these, the newest that are known of a perpetual and of one moment, leave its position, signed; flat where there are none. */
export function positionAfter(store: Store, of: AccountMarket, fills: readonly PositionFill[]): Decimal | null {
  const [first] = fills;
  return first === undefined ? ZERO : lastEnd(fills, endOf, () => positionBefore(store, of, first.timeMs));
}

/** Where it stood before a moment, by the fills that are kept. */
function positionBefore(store: Store, of: AccountMarket, timeMs: number): Decimal | null {
  const older = listNewestFillsIn(store, of.accountId, of.market, timeMs);
  if (older === null || (older.length === 0 && findFillCursor(store, of.accountId) === null)) return null;
  return positionAfter(store, of, older);
}
