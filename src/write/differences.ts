import { canonicalJson } from "../core/canonical-json.ts";
import { parseDecimal } from "../core/decimal.ts";
import type { KeyRecord } from "../core/idempotency.ts";
import { listLegs } from "../store/legs.ts";
import type { Store } from "../store/open.ts";
import { findOperation } from "../store/operations.ts";
import { findOrder } from "../store/orders.ts";

/** What a request asks for, by the names of its body. */
export type Asked = Readonly<Record<string, unknown>>;

/**
 * Names of the members in which a request differs from the one that used its key first, as far as the row of that
 * one tells; empty where it does not.
 */
export function differences(store: Store, record: KeyRecord, asked: Asked): string[] {
  return record.resource.kind === "order"
    ? differencesFrom(store, record.resource.id, asked)
    : differing(firstParameters(store, record), asked);
}

/** The same against an order as it was placed. */
export function differencesFrom(store: Store, orderId: string, asked: Asked): string[] {
  return differing(firstTerms(store, orderId), asked);
}

function differing(first: Asked | null, asked: Asked): string[] {
  if (first === null) return [];
  return Object.keys(asked).filter((name) => name in first && plain(asked[name]) !== plain(first[name]));
}

/** As it was placed: a later modify changes the order's row, not its first leg. */
function firstTerms(store: Store, orderId: string): Asked | null {
  const order = findOrder(store, orderId);
  if (order === null) return null;
  const { size, price, timeInForce, trigger } = listLegs(store, orderId)[0] ?? order;
  const { market, side, reduceOnly } = order;
  return { market, side, size, price, time_in_force: timeInForce, reduce_only: reduceOnly, trigger };
}

function firstParameters(store: Store, record: KeyRecord): Asked | null {
  if (record.resource.kind === "trade") return null;
  const operation = findOperation(store, record.resource.id);
  if (operation === null) return null;
  // The column holds only what `operate` wrote.
  return { market: operation.market, ...(JSON.parse(operation.parameters) as Asked) };
}

/** Comparable text: `1.0` and `1` are the same decimal. */
function plain(value: unknown): string {
  if (typeof value === "string") return parseDecimal(value) ?? value;
  if (typeof value !== "object" || value === null) return String(value);
  return canonicalJson(Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)])));
}
