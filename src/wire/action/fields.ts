import { Type } from "@sinclair/typebox";

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
