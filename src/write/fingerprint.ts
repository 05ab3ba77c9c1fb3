import { type CanonicalValue, canonicalJson } from "../core/canonical-json.ts";
import { type Decimal, parseDecimal } from "../core/decimal.ts";
import type { OrderTerms } from "../core/order.ts";
import { sha256Hex } from "../wire/sha256.ts";

/** Content of a checked request body by the names of the interface: defaults filled in, texts as sent. */
export type PrintedBody = { readonly [field: string]: string | number | boolean | null | PrintedBody };

/** What an order asks for, in the names of the specification: a print is stored, and must outlive a change of ours. */
export function printedTerms({ market, side, size, price, timeInForce, reduceOnly, trigger }: OrderTerms): PrintedBody {
  return { market, side, size, price, time_in_force: timeInForce, reduce_only: reduceOnly, trigger };
}

/**
 * What makes two requests under one Idempotency-Key the same: verb, path id and body, decimals by value (`1.0` is `1`). Pure, and made before anything is looked up, so that a repeat is known even when the market is gone.
 */
export function printRequest(verbName: string, pathId: string | null, body: PrintedBody): string {
  return fingerprint(verbName, pathId, normalised(body));
}

/** Fields that hold a decimal, at any depth. */
const DECIMAL_FIELDS: ReadonlySet<string> = new Set([
  "size",
  "price",
  "amount",
  "fraction",
  "trigger_price",
  "limit_price",
]);

function normalised(body: PrintedBody): PrintedBody {
  const entries = Object.entries(body).map(([field, value]): [string, PrintedBody[string]] => {
    if (typeof value === "object" && value !== null) return [field, normalised(value)];
    if (typeof value !== "string" || !DECIMAL_FIELDS.has(field)) return [field, value];
    const decimal: Decimal | null = parseDecimal(value);
    return [field, decimal ?? value];
  });
  return Object.fromEntries(entries);
}

/** Rules by which a print was made; a stored print is only compared with one made by the same rules. */
const VERSION = "v1";

/**
 * What makes two requests under one Idempotency-Key the same. A pure function of the request.
 *
 * @param verbName what is asked for, in one word: `place_order`. Not what the key's record calls its route, `POST /v1/orders`
 * @param pathId id in the path as the client sent it, or null
 * @param body the checked body: defaults filled in, decimals normalised, market as sent
 */
export function fingerprint(verbName: string, pathId: string | null, body: CanonicalValue): string {
  // Prints are stored: the word in the text stays as it was.
  const text = canonicalJson({ route: verbName, pathId: pathId === null ? null : pathId.toLowerCase(), body });
  return `${VERSION}:${sha256Hex(text)}`;
}
