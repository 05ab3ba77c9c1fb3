import { type Static, Type } from "@sinclair/typebox";
import { AssetId, closed } from "./fields.ts";

/** Properties stand in signing order. */
export const LeverageAction = Type.Object(
  {
    type: Type.Literal("updateLeverage"),
    asset: AssetId,
    isCross: Type.Boolean(),
    leverage: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  },
  closed,
);
export type LeverageAction = Static<typeof LeverageAction>;

export function leverageAction(assetId: number, isCross: boolean, leverage: number): LeverageAction {
  return { type: "updateLeverage", asset: assetId, isCross, leverage };
}
