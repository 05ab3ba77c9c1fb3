import { type Static, Type } from "@sinclair/typebox";
import type { Side } from "../../core/order.ts";
import { AssetId, Count, closed, NativeId, normaliseDecimal, WireDecimal } from "./fields.ts";

/** Properties stand in signing order. */
export const TwapOrderAction = Type.Object(
  {
    type: Type.Literal("twapOrder"),
    twap: Type.Object(
      {
        a: AssetId,
        b: Type.Boolean(),
        s: WireDecimal,
        r: Type.Boolean(),
        /** Minutes. */
        m: Count,
        /** Randomise. */
        t: Type.Boolean(),
      },
      closed,
    ),
  },
  closed,
);
export type TwapOrderAction = Static<typeof TwapOrderAction>;

/** Properties stand in signing order; `t` is the native id of the TWAP. */
export const TwapCancelAction = Type.Object({ type: Type.Literal("twapCancel"), a: AssetId, t: NativeId }, closed);
export type TwapCancelAction = Static<typeof TwapCancelAction>;

export type TwapInput = {
  assetId: number;
  side: Side;
  size: string;
  reduceOnly: boolean;
  durationMinutes: number;
  randomize: boolean;
};

/** Throws `bug:` on a size that the market rules should have refused. */
export function twapOrderAction(input: TwapInput): TwapOrderAction {
  const size = normaliseDecimal(input.size);
  if (size === null) throw new Error("bug: size that cannot go on the wire");
  const twap = {
    a: input.assetId,
    b: input.side === "buy",
    s: size,
    r: input.reduceOnly,
    m: input.durationMinutes,
    t: input.randomize,
  };
  return { type: "twapOrder", twap };
}

export function twapCancelAction(assetId: number, twapId: number | string): TwapCancelAction {
  return { type: "twapCancel", a: assetId, t: BigInt(twapId) };
}
