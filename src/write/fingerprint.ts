import { type Decimal, parseDecimal } from "../core/decimal.ts";
import { fingerprint } from "../wire/fingerprint.ts";

/** Content of a checked request body: defaults filled in, texts as sent. */
export type PrintedBody = { readonly [field: string]: string | number | boolean | null | PrintedBody };

/**
 * What makes two requests under one Idempotency-Key the same: route, path id and body, decimals by value (`1.0` is
 * `1`). Pure, and made before anything is looked up, so that a repeat is known even when the market is gone.
 */
export function printRequest(route: string, pathId: string | null, body: PrintedBody): string {
  return fingerprint({ route, pathId, body: normalised(body) });
}

/** Fields that hold a decimal, at any depth. */
const DECIMAL_FIELDS: ReadonlySet<string> = new Set(["size", "price", "amount"]);

function normalised(body: PrintedBody): PrintedBody {
  const entries = Object.entries(body).map(([field, value]): [string, PrintedBody[string]] => {
    if (typeof value === "object" && value !== null) return [field, normalised(value)];
    if (typeof value !== "string" || !DECIMAL_FIELDS.has(field)) return [field, value];
    const decimal: Decimal | null = parseDecimal(value);
    return [field, decimal ?? value];
  });
  return Object.fromEntries(entries);
}
