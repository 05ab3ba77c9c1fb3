import { type Static, Type } from "@sinclair/typebox";
import { type Decimal, decimalPlaces, toUnits } from "../../core/decimal.ts";
import { AssetId, closed } from "./fields.ts";

/** Decimals of an amount of USDC: `ntli` counts millionths. */
const USDC_DECIMALS = 6;

/** Adds isolated margin (`ntli` above zero) or takes it out. Properties stand in signing order. */
export const MarginAction = Type.Object(
  {
    type: Type.Literal("updateIsolatedMargin"),
    asset: AssetId,
    /** Without effect at the exchange today; always true. */
    isBuy: Type.Boolean(),
    /** Millionths of USDC, signed, 64 bits. */
    ntli: Type.BigInt({ minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n }),
  },
  closed,
);
export type MarginAction = Static<typeof MarginAction>;

/** `amount` in USDC with at most 6 decimals, negative to take margin out. */
export function marginAction(assetId: number, amount: Decimal): MarginAction {
  if (decimalPlaces(amount) > USDC_DECIMALS) throw new Error("bug: margin amount with more than 6 decimals");
  return { type: "updateIsolatedMargin", asset: assetId, isBuy: true, ntli: toUnits(amount, USDC_DECIMALS) };
}
