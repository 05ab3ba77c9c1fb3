import { type Static, Type } from "@sinclair/typebox";
import { AssetId, Cloid, closed, NativeId, OnlyTrue } from "./fields.ts";

/** Most cancels in one action; the exchange refuses batches of more than 200. */
const MAX_CANCELS = 200;

/** Cancels by native id. Properties stand in signing order. */
export const CancelAction = Type.Object(
  {
    type: Type.Literal("cancel"),
    cancels: Type.Array(Type.Object({ a: AssetId, o: NativeId }, closed), { minItems: 1, maxItems: MAX_CANCELS }),
    f: Type.Optional(OnlyTrue),
  },
  closed,
);
export type CancelAction = Static<typeof CancelAction>;

/** Cancels by client order id. Properties stand in signing order. */
export const CancelByCloidAction = Type.Object(
  {
    type: Type.Literal("cancelByCloid"),
    cancels: Type.Array(Type.Object({ asset: AssetId, cloid: Cloid }, closed), { minItems: 1, maxItems: MAX_CANCELS }),
    f: Type.Optional(OnlyTrue),
  },
  closed,
);
export type CancelByCloidAction = Static<typeof CancelByCloidAction>;

/**
 * Cancels one order by its native id, decimal digits.
 *
 * @param isFast asks for the exchange's fast lane, which takes no trigger orders; measured about 300 ms faster in June 2026
 */
export function cancelAction(assetId: number, oid: string, isFast: boolean): CancelAction {
  return { type: "cancel", cancels: [{ a: assetId, o: BigInt(oid) }], ...fast(isFast) };
}

export function cancelByCloidAction(assetId: number, cloid: string, isFast: boolean): CancelByCloidAction {
  return { type: "cancelByCloid", cancels: [{ asset: assetId, cloid }], ...fast(isFast) };
}

function fast(isFast: boolean): { f?: true } {
  return isFast ? { f: true } : {};
}
