import { type Mutant, one } from "./mutant.ts";

const LIQUIDATION = "src/paper/engine/liquidation.ts";
const TWAP = "src/paper/engine/twap.ts";
const TWAP_SLICES = "src/paper/engine/twap-slices.ts";

/** Bugs of one line in the paper exchange: in who is liquidated, and in what a TWAP does. */
export const PAPER_ENGINE: readonly Mutant[] = [
  one(
    "an account that just meets its maintenance is liquidated",
    LIQUIDATION,
    "if (danger.equity >= danger.maintenance) return;\n  const isTooLate",
    "if (danger.equity > danger.maintenance) return;\n  const isTooLate",
  ),
  one(
    "a liquidation closes more than it takes",
    LIQUIDATION,
    "    const danger = dangerOf(turn, account, held);\n    if (danger.equity >= danger.maintenance) return;\n    closeAtMarket",
    "    closeAtMarket",
  ),
  one(
    "a liquidation begins with the smallest position",
    LIQUIDATION,
    "(positionValue(a, x) > positionValue(b, y) ? -1 : 1)",
    "(positionValue(a, x) > positionValue(b, y) ? 1 : -1)",
  ),
  one(
    "isolated positions stand and fall with the cross ones",
    LIQUIDATION,
    ".filter(([, other]) => other.isCross)",
    "",
  ),
  one("a TWAP that only reduces is taken beside the position", TWAP, "|| position > 0n === twap.b)) {", ")) {"),
  one(
    "a TWAP of just the least value is refused",
    TWAP,
    "  if (value < dollars(least)) {",
    "  if (value <= dollars(least)) {",
  ),
  one(
    "a TWAP begins in a market that is closed",
    TWAP,
    'if (market.kind === "perp" && market.isDelisted) return "Trading is halted.";',
    "",
  ),
  one(
    "the last slice of a TWAP is drawn as well",
    TWAP_SLICES,
    "if (twap.randomize && !isLast)",
    "if (twap.randomize)",
  ),
  one(
    "a slice that met nobody is filled",
    TWAP_SLICES,
    'recordStatus(turn, order, matched.size > 0n ? "filled" : "iocCancelRejected");',
    'recordStatus(turn, order, "filled");',
  ),
];
