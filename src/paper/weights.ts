/** Request weight of one client address, as the exchange counts it. */

import { memberOf } from "./exchange/decode.ts";
import type { ExactJson } from "./exchange/json-text.ts";
import { infoTypeOf } from "./info/types.ts";

const LIGHT_INFO = new Set([
  "l2Book",
  "allMids",
  "clearinghouseState",
  "orderStatus",
  "spotClearinghouseState",
  "exchangeStatus",
]);
const ITEMS_PER_WEIGHT = 40;
const MINUTE_MS = 60_000;
/** Addresses remembered at once; the oldest is forgotten first. */
const MAX_ADDRESSES = 10_000;

/** Without what the exchange adds for every 20 rows of a long answer. */
export function infoWeight(request: ExactJson): number {
  const type = infoTypeOf(request) ?? "";
  if (type === "userRole") return 60;
  return LIGHT_INFO.has(type) ? 2 : 20;
}

/** 1, and one more for every 40 orders or cancels of the batch. */
export function exchangeWeight(request: ExactJson): number {
  const action = memberOf(request, "action") ?? null;
  const lists = ["orders", "cancels", "modifies"].map((name) => memberOf(action, name));
  const items = lists.find(Array.isArray)?.length ?? 0;
  return 1 + Math.floor(items / ITEMS_PER_WEIGHT);
}

export type Weights = Map<string, { minute: number; used: number }>;

/** False when the address has used up its minute; then nothing is added. */
export function spendWeight(
  weights: Weights,
  spend: { address: string; weight: number; limit: number; nowMs: number },
) {
  const minute = Math.floor(spend.nowMs / MINUTE_MS);
  const known = weights.get(spend.address);
  const used = known?.minute === minute ? known.used : 0;
  if (used + spend.weight > spend.limit) return false;
  weights.delete(spend.address);
  weights.set(spend.address, { minute, used: used + spend.weight });
  const oldest = weights.keys().next();
  if (weights.size > MAX_ADDRESSES && oldest.done !== true) weights.delete(oldest.value);
  return true;
}
