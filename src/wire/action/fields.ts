import { Type } from "@sinclair/typebox";
import { type Decimal, decimalPlaces, parseDecimal } from "../../core/decimal.ts";

const MAX_UNSIGNED_32 = 0xffff_ffff;

/** Index of a market in the exchange's numbering. */
export const AssetId = Type.Integer({ minimum: 0, maximum: MAX_UNSIGNED_32 });

/** Price or size in the form that is hashed: no padding, at most 8 decimals. */
export const WireDecimal = Type.String({ pattern: "^(0|[1-9][0-9]*)(\\.[0-9]{0,7}[1-9])?$", maxLength: 40 });

/** Client order id, 128 bits. */
export const Cloid = Type.String({ pattern: "^0x[0-9a-f]{32}$" });

export const Address = Type.String({ pattern: "^0x[0-9a-f]{40}$" });

/** Native id: above 2^32 by now, and 64 bits wide. */
export const NativeId = Type.BigInt({ minimum: 0n, maximum: 2n ** 64n - 1n });

export const Count = Type.Integer({ minimum: 0, maximum: MAX_UNSIGNED_32 });

/** A flag that is signed as `true` or left out: the exchange drops `false` before it hashes. */
export const OnlyTrue = Type.Literal(true);

export const closed = { additionalProperties: false } as const;

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
