import { type Mutant, one } from "./mutant.ts";

const MISSES = "src/settle/cancel/misses.ts";
const UNFOUND = "src/settle/evidence/unfound.ts";
const PURSUE_CANCEL = "src/settle/cancel/pursue-cancel.ts";

/** Bugs in what cancels that find nothing prove of an order, or a TWAP's minutes of a TWAP, of which no answer ever came. */
export const UNFOUND_BUGS: readonly Mutant[] = [
  one(
    "a lost order is over by cancels of before it could newly come no more",
    "src/core/evidence.ts",
    "return !canCome && isGoneByCancels",
    "return isGoneByCancels",
  ),
  one(
    "a lost order that no cancel finds had no fills, whatever the position says",
    UNFOUND,
    "unfound.unmoved >= WITNESSES_NEEDED ||",
    "unfound.unmoved >= 0 ||",
  ),
  one(
    "a lost order that no cancel finds had no fills, whosever those are that nobody has",
    UNFOUND,
    "  if (mayHaveFills(world, soughtOf(attempt), [])) return false;\n",
    "",
  ),
  one(
    "a lost order is not found under a number that is not its own",
    MISSES,
    "isSigned && listed === order.assetId && listed === known.assetId",
    "known.times > 0",
  ),
  one(
    "a lost order is not found in a market that is doubted",
    MISSES,
    " && !world.markets.isSuspected(order.market);",
    ";",
  ),
  one("what nothing shows is asked for without end", MISSES, "return !isUnfound(asked.word, facts);", "return true;"),
  one("a lost trigger is asked for without end", MISSES, "asked === null || leg.trigger !== null", "asked === null"),
  one("what nothing shows is asked for at each step", PURSUE_CANCEL, ": ASK_BY_NAME_AFTER_MS", ": 1"),
  one(
    "a TWAP that no answer named has ended before its minutes are over",
    "src/settle/stop/cancel-twaps.ts",
    "MINUTE_MS + BEHIND_MS;",
    "MINUTE_MS - 5 * BEHIND_MS;",
  ),
];
