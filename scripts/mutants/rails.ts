import { type Mutant, one } from "./mutant.ts";

const GATE = "src/write/gate.ts";
const OPEN_LEGS = "src/store/open-leg-book.ts";
const EXPOSURE = "src/core/rails/exposure.ts";

/** Bugs by which a bot comes to more at the exchange than its rails say. */
export const RAILS: readonly Mutant[] = [
  one("the gate is left out", "src/write/commit.ts", "      passGate(deps, caller, known, stored);\n", ""),
  one(
    "a modify passes the gate as a cancel",
    GATE,
    "      return orderWish(deps, { orderId, cloid, bot }, only(action.modifies).order, true);",
    '      return { kind: "cancel" };',
  ),
  one(
    "an order whose answer was lost counts as nothing",
    OPEN_LEGS,
    '["processing", "unknown", "open", "waiting_for_trigger"]',
    '["processing", "open", "waiting_for_trigger"]',
  ),
  one(
    "an order that is on its way counts as nothing",
    OPEN_LEGS,
    '["processing", "unknown", "open", "waiting_for_trigger"]',
    '["unknown", "open", "waiting_for_trigger"]',
  ),
  one(
    "what a bot has bought is not booked",
    "src/store/orders.ts",
    "  putOpenLeg(store, order, leg);\n  bookFills(store, order, before.order);\n",
    "  putOpenLeg(store, order, leg);\n",
  ),
  one(
    "buys and sells make up for one another",
    EXPOSURE,
    "const longest = addTo(larger(net.high, ZERO), buys);",
    "const longest = subtract(add(larger(net.high, ZERO), buys), sells);",
  ),
  one(
    "a key keeps its own rails when its bot has newer ones",
    "src/store/narrowings.ts",
    "  const [grant] = listBotGrants(store, accountId, bot);\n  if (grant === undefined) return null;",
    "  const grant = listBotGrants(store, accountId, bot).at(-1);\n  if (grant === undefined) return null;",
  ),
  one(
    "only the net counts, and nothing that is open",
    EXPOSURE,
    "  const shortest = subtract(smaller(net.low, ZERO), sells);\n  return larger(longest, negate(shortest));",
    "  const shortest = subtract(smaller(net.low, ZERO), sells);\n  return larger(longest, negate(shortest)) === ZERO ? ZERO : larger(net.high, negate(net.low));",
  ),
  one(
    "a TWAP that was refused here holds a bot's limits",
    "src/store/operations.ts",
    '  if (operation.status !== "rejected") expectBotTwap(store, operation);',
    "  expectBotTwap(store, operation);",
  ),
  one("a bot sells on spot what its fee took", "src/store/fills.ts", "    bookFeeOfFill(store, row);\n", ""),
  one(
    "the fee of a fill that is told before the answer to its order is never booked",
    "src/store/orders.ts",
    "  heedNativeId(store, order, { before: before.leg.oid, after: leg.oid });\n",
    "",
  ),
  one(
    "nor is it where the answer was lost",
    "src/store/legs.ts",
    "  heedLegId(store, leg.orderId, { before: before?.oid ?? null, after: leg.oid });\n",
    "",
  ),
  one(
    "a fee that was paid in cash is taken off what a bot holds on spot",
    "src/core/market.ts",
    " && fill.feeToken !== CASH",
    ' && fill.feeToken !== ""',
  ),
  one(
    "a trigger that increases may meet another's protection once it fires",
    "src/core/rails/reductions.ts",
    "(leg.canOnlyReduce && hasTrigger(leg))",
    "hasTrigger(leg)",
  ),
  one(
    "a stop is refused for what it may meet when it fires",
    "src/core/rails/reductions.ts",
    "(leg.canOnlyReduce && hasTrigger(leg))",
    'leg.market === ""',
  ),
  one(
    "the largest size that is told passes only the rail that refuses first",
    "src/core/rails/judge.ts",
    "    if (isZero(size)) return size;\n",
    "    return size;\n",
  ),
  one(
    "what is not judged by its size is not held to a rail",
    GATE,
    '  if (verdict.kind !== "allowed") {',
    '  if (verdict.kind === "unproven") {',
  ),
];
