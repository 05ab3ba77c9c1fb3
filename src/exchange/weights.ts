import { MAX_LIMIT } from "../core/page.ts";
import type { InfoRequest } from "./exchange.ts";

/** What a read costs of the weight per minute: `base`, and 1 for each started `rowsPerWeight` rows of the answer. */
export type Weight = { base: number; maxRows: number; rowsPerWeight: number };

/** An action that is no batch. */
export const ACTION_WEIGHT = 1;

const ROWS_PER_WEIGHT = 20;
const CANDLES_PER_WEIGHT = 60;
const DEFAULT_WEIGHT = 20;

/** Weights of the exchange's rate limit page, read 2026-11-21. Everything that is not here costs 20. */
const BASE: ReadonlyMap<string, number> = new Map([
  ["allMids", 2],
  ["clearinghouseState", 2],
  ["exchangeStatus", 2],
  ["l2Book", 2],
  ["orderStatus", 2],
  ["spotClearinghouseState", 2],
  ["userRole", 60],
]);

/** Reads that cost more the more they return, with the exchange's own cap on rows. */
const MAX_ROWS: ReadonlyMap<string, number> = new Map([
  ["fundingHistory", 500],
  ["historicalOrders", 2_000],
  // Never seen to be more than ten.
  ["recentTrades", 100],
  ["twapHistory", 2_000],
  ["userFills", 2_000],
  ["userFillsByTime", 2_000],
  ["userFunding", 500],
  ["userNonFundingLedgerUpdates", 500],
  ["userTwapSliceFills", 2_000],
  ["userTwapSliceFillsByTime", 2_000],
]);

export function weightOf(request: InfoRequest): Weight {
  const base = BASE.get(request.type) ?? DEFAULT_WEIGHT;
  if (request.type === "candleSnapshot") {
    // What we ask for is a page of a list of ours, so it never is more.
    return { base, maxRows: MAX_LIMIT, rowsPerWeight: CANDLES_PER_WEIGHT };
  }
  return { base, maxRows: MAX_ROWS.get(request.type) ?? 0, rowsPerWeight: ROWS_PER_WEIGHT };
}

/** What is set aside before asking. */
export function largestWeight({ base, maxRows, rowsPerWeight }: Weight): number {
  return base + Math.ceil(maxRows / rowsPerWeight);
}

/** What it came to, once the answer is there. */
export function weightOfAnswer({ base, maxRows, rowsPerWeight }: Weight, json: unknown): number {
  if (maxRows === 0 || !Array.isArray(json)) return base;
  return base + Math.ceil(Math.min(json.length, maxRows) / rowsPerWeight);
}
