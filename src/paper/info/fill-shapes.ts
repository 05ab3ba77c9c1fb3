import type { VenueFill } from "../engine/state.ts";
import { numberText } from "./number-format.ts";
import { sideText } from "./order-shapes.ts";

/** `cloid`, `builderFee` and `liquidation` are absent when there is nothing to say. */
export function fillRow(fill: VenueFill): Record<string, unknown> {
  return {
    coin: fill.coin,
    px: numberText(fill.price),
    sz: numberText(fill.size),
    side: sideText(fill.isBuy),
    time: fill.timeMs,
    startPosition: numberText(fill.startPosition),
    dir: fill.dir,
    closedPnl: numberText(fill.closedPnl),
    hash: fill.hash,
    oid: fill.oid,
    crossed: fill.crossed,
    fee: numberText(fill.fee),
    tid: fill.tid,
    ...(fill.cloid === null ? {} : { cloid: fill.cloid }),
    ...(fill.liquidation === null ? {} : { liquidation: liquidationOf(fill.liquidation) }),
    feeToken: fill.feeToken,
    ...(fill.builderFee === null || fill.builderFee === 0n ? {} : { builderFee: numberText(fill.builderFee) }),
    twapId: fill.twapId,
  };
}

function liquidationOf(liquidation: NonNullable<VenueFill["liquidation"]>): unknown {
  return {
    liquidatedUser: liquidation.liquidatedUser,
    markPx: numberText(liquidation.markPrice),
    method: liquidation.method,
  };
}
