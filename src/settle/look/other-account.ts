import type { With } from "../../deps.ts";
import type { InfoRequest } from "../../exchange/exchange.ts";
import { findAccount } from "../../store/accounts.ts";
import { findLegByCloid } from "../../store/legs.ts";
import { findOrder } from "../../store/orders.ts";

/** Answers whose rows are orders, or fills of orders: none of them names the account. */
const OF_ORDERS: ReadonlySet<string> = new Set([
  "frontendOpenOrders",
  "historicalOrders",
  "userFills",
  "userFillsByTime",
]);

/** Rows that are looked at from either end of an answer. */
const LOOKED_AT = 4;

/**
 * True for an answer in which orders of ours stand, and all of them are another account's: it was given to somebody else. One of its own
 * beside them says that the answer is its own, because a client order id is known to others as well.
 */
export function isOfOtherAccount({ store }: With<"store">, { type, user }: InfoRequest, json: unknown): boolean {
  if (!OF_ORDERS.has(type) || typeof user !== "string" || !Array.isArray(json)) return false;
  const rows: unknown[] =
    json.length <= 2 * LOOKED_AT ? json : [...json.slice(0, LOOKED_AT), ...json.slice(-LOOKED_AT)];
  const holders = rows.flatMap((row) => holderOf(store, cloidOf(row)) ?? []);
  return holders.length > 0 && !holders.includes(user.toLowerCase());
}

/** Trading address of the account that has it; null for what no order of ours has. */
function holderOf(store: With<"store">["store"], cloid: string | null): string | null {
  const leg = cloid === null ? null : findLegByCloid(store, cloid);
  const order = leg === null ? null : findOrder(store, leg.orderId);
  return order === null ? null : (findAccount(store, order.accountId)?.tradingAddress ?? null);
}

type Row = { cloid?: unknown; order?: { cloid?: unknown } | null } | null;

function cloidOf(row: unknown): string | null {
  // Anything may stand there: whatever has no such member has no name.
  const from = row as Row;
  const cloid = from?.cloid ?? from?.order?.cloid;
  return typeof cloid === "string" ? cloid.toLowerCase() : null;
}
