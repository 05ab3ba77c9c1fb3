import { type Static, Type } from "@sinclair/typebox";
import { Cloid, closed, NativeId, OnlyTrue } from "./fields.ts";
import { WireOrder } from "./order.ts";

/**
 * Cancel and replace. Only the batch form answers with the new native id, so it is the only one we sign.
 * Properties stand in signing order: `a` (always place) comes last, at the top level, and is `true` or absent.
 */
export const BatchModifyAction = Type.Object(
  {
    type: Type.Literal("batchModify"),
    modifies: Type.Array(Type.Object({ oid: Type.Union([NativeId, Cloid]), order: WireOrder }, closed), {
      minItems: 1,
      maxItems: 200,
    }),
    a: Type.Optional(OnlyTrue),
  },
  closed,
);
export type BatchModifyAction = Static<typeof BatchModifyAction>;

/** Replaces the order with this native id (decimal digits). */
export function modifyAction(oid: string, order: WireOrder, alwaysPlace: boolean): BatchModifyAction {
  const action: BatchModifyAction = { type: "batchModify", modifies: [{ oid: BigInt(oid), order }] };
  return alwaysPlace ? { ...action, a: true } : action;
}
