import { canonicalJson } from "../core/canonical-json.ts";
import { parseDecimal } from "../core/decimal.ts";
import type { KeyRecord } from "../core/idempotency.ts";
import { listLegs } from "../store/legs.ts";
import type { Store } from "../store/open.ts";
import { findOperation } from "../store/operations.ts";
import { findOrder } from "../store/orders.ts";
import { type PrintedBody, printedTerms } from "./fingerprint.ts";

/**
 * Names of the members in which a request differs from the one that used its key first, as far as the row of that
 * one tells; empty where it does not.
 */
export function differences(store: Store, record: KeyRecord, asked: PrintedBody): string[] {
  return record.resource.kind === "order"
    ? differencesFrom(store, record.resource.id, asked)
    : differing(firstParameters(store, record), asked);
}

/** Names of the members in which a request differs from an order as it was placed. */
export function differencesFrom(store: Store, orderId: string, asked: PrintedBody): string[] {
  return differing(firstTerms(store, orderId), asked);
}

function differing(first: PrintedBody | null, asked: PrintedBody): string[] {
  if (first === null) return [];
  return Object.keys(asked).filter((name) => name in first && plain(asked[name]) !== plain(first[name]));
}

/**
 * The terms with which an order was placed, from its first leg: a later modify changes the order's row, not that leg.
 */
function firstTerms(store: Store, orderId: string): PrintedBody | null {
  const order = findOrder(store, orderId);
  if (order === null) return null;
  const { size, price, timeInForce, trigger } = listLegs(store, orderId)[0] ?? order;
  return printedTerms({ ...order, size, price, timeInForce, trigger });
}

function firstParameters(store: Store, record: KeyRecord): PrintedBody | null {
  if (record.resource.kind === "trade") return null;
  const operation = findOperation(store, record.resource.id);
  if (operation === null) return null;
  // `operate` alone writes this column.
  return { market: operation.market, ...(JSON.parse(operation.parameters) as PrintedBody) };
}

/** Comparable text: `1.0` and `1` are the same decimal. */
function plain(value: unknown): string {
  if (typeof value === "string") return parseDecimal(value) ?? value;
  if (typeof value !== "object" || value === null) return String(value);
  return canonicalJson(Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)])));
}
