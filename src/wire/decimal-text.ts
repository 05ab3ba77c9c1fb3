import { type Decimal, decimalPlaces, parseDecimal } from "../core/decimal.ts";

/** Decimals that a price or size may have on the wire; a ninth, unless it is zero, is refused with HTTP 422. */
const MAX_WIRE_DECIMALS = 8;

/**
 * A price or size as it is signed: plain notation, no trailing zeros, at most 8 decimals. Null for a ninth decimal
 * that is not zero, for negatives and for text that is not plain: the exchange hashes its own normalised form, so
 * any other spelling would recover another signer.
 */
export function normaliseDecimal(text: string): Decimal | null {
  const value = parseDecimal(text);
  if (value === null || value.startsWith("-") || decimalPlaces(value) > MAX_WIRE_DECIMALS) return null;
  return value;
}
