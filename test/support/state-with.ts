/** States of accounts as a server tells them that knows other positions: what they are worth together is of those. */
import { absolute, decimal, sum } from "../../src/core/decimal.ts";

type Row = { position: { positionValue?: string } };

/** The state with these rows of `assetPositions`. */
export function stateWith(state: unknown, assetPositions: readonly object[]): object {
  // Shapes of the paper exchange's own readers.
  const told = state as { marginSummary: object };
  const worth = (assetPositions as Row[]).map(({ position }) => absolute(decimal(position.positionValue ?? "0")));
  return { ...told, marginSummary: { ...told.marginSummary, totalNtlPos: sum(worth) }, assetPositions };
}
