import { type Mutant, one } from "./mutant.ts";

const TWAP_END = "src/core/rails/twap-end.ts";

/** Bugs in what a stop, and a flattening, conclude in an account that does nothing else: too soon, too late, or never. */
export const QUIET_BUGS: readonly Mutant[] = [
  quiet(
    "a TWAP that no answer has named keeps a flattening for good",
    "src/write/twap-ends.ts",
    "await listUnnamedOver(deps, account)",
    "(await listUnnamedOver(deps, account)).slice(0, 0)",
  ),
  one(
    "equal TWAPs that no answer has named keep a flattening for good",
    "src/write/twap-ends.ts",
    "  bookEqualTwaps(deps, account, rows);\n",
    "",
  ),
  one(
    "equal TWAPs of two bots stand in the books of one",
    "src/core/rails/equal-twaps.ts",
    "rivals.every((other) => other.bot === bot && other.isTaken)",
    "rivals.every((other) => other.isTaken)",
  ),
  one(
    "a TWAP of somebody else's stands in a bot's books beside its equal ones",
    "src/core/rails/equal-twaps.ts",
    "rivals.length === ids.length && ",
    "",
  ),
  one("slices that are nobody's are none of a TWAP that no answer has named", TWAP_END, " && !mayHaveSlices", ""),
  one(
    "a TWAP that no answer has named has left nothing, wherever the position stands",
    TWAP_END,
    ' && holding === "unmoved"',
    ' && holding !== "behind"',
  ),
  quiet(
    "a TWAP that no answer has named keeps a stop for good",
    "src/settle/stop/cancel-twaps.ts",
    "return exchange.nowMs() > unnamedTwapEndsAtMs(",
    "return exchange.nowMs() < -unnamedTwapEndsAtMs(",
  ),
  quiet(
    "a balance says of an order on spot what it is after hours alone",
    "src/settle/evidence/position-check.ts",
    'about.sinceMs + BEHIND_MS ? "behind"',
    'about.sinceMs + 100 * BEHIND_MS ? "behind"',
  ),
  // By what is told of a TWAP at each look: orders are named by their records first.
  quiet(
    "a number that something else has taken is taken by the empty action",
    "src/core/attempt.ts",
    'return { seal: "nonce_taken", hasLanded: isOwn };',
    'return { seal: "noop", hasLanded: isOwn && false };',
  ),
];

/** One that seeds of quiet accounts look for. */
function quiet(name: string, file: string, find: string, put: string): Mutant {
  return { ...one(name, file, find, put), world: "quiet" };
}
