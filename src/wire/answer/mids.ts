import type { Decimal } from "../../core/decimal.ts";
import { moneyOf, orNull } from "./read.ts";

/** Answer of `allMids`: the middle of each market's book by its name; null when unreadable. */
export function parseMids(json: unknown): Map<string, Decimal> | null {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return null;
  return orNull(() => new Map(Object.entries(json).map(([market, mid]) => [market, moneyOf(mid)])));
}
