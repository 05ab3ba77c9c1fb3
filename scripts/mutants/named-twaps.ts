import { type Mutant, one } from "./mutant.ts";

const NAMED = "src/settle/operation/named-twap.ts";
const SIGHTS = "src/settle/operation/twap-sights.ts";
const LIKELY = "src/settle/stop/likely-twaps.ts";
const CANCEL_TWAPS = "src/settle/stop/cancel-twaps.ts";
const WITHDRAW = "src/settle/stop/withdraw.ts";

/** Bugs in which of the exchange's TWAPs is told as ours, and in what a stop does before that is known. */
export const NAMED_TWAPS: readonly Mutant[] = [
  one(
    "a TWAP is what its answer has named, whatever is shown",
    NAMED,
    "const end = (await isSliced(tools, named, reading))",
    "const end = named.pursuit.looks > 0",
  ),
  one(
    "a history that is behind says which TWAP is ours",
    NAMED,
    "if (isLate(world, attempt.nonce)) return true;",
    "if (attempt.nonce > 0) return true;",
  ),
  one("of two equal TWAPs the first is ours", NAMED, "equal.length > 1 || ", ""),
  one(
    "a name that another TWAP has spoken against is believed when a server that is behind shows neither",
    NAMED,
    "if (pursuit.looks === 0 || nameDoubtOf(world, attempt) !== null) return false;",
    "if (pursuit.looks > 9) return true;",
  ),
  one(
    "what the feed tells of TWAPs says nothing of one that was named by another's number",
    NAMED,
    "return ids.has(only) && !ids.has(exchangeId);",
    "return ids.size < 0 && !ids.has(exchangeId);",
  ),
  one(
    "what the feed shows is ours whatever took our number",
    NAMED,
    '  if (attempt.seal !== "nonce_taken") return false;\n',
    "",
  ),
  one(
    "a TWAP that was named is ours though an empty action took its number",
    NAMED,
    '  if (attempt.seal === "noop") return isLate(world, attempt.nonce) ? neverExecuted(attempt) : null;\n',
    "",
  ),
  one(
    "a TWAP that was named and that nothing shows is never rejected",
    NAMED,
    "if (mayBeNone && isEffectWitnessedAbsent",
    "if (mayBeNone && newestAtMs === 0 && isEffectWitnessedAbsent",
  ),
  one(
    "a TWAP of other terms is the last word for a number",
    NAMED,
    "return isElsewhere || isLate(world, attempt.nonce) ? {",
    "return isElsewhere || attempt.nonce > 0 ? {",
  ),
  one(
    "the slices of any TWAP speak for the number of one",
    NAMED,
    "sliced?.length === 1 && sliced[0] === exchangeId &&",
    "sliced?.length === 1 &&",
  ),
  one(
    "a feed that shows a TWAP whose answer was lost is not heeded",
    SIGHTS,
    "...running];",
    "...running].slice(0, 0);",
  ),
  one(
    "a TWAP that traded before is taken for ours by its slices",
    SIGHTS,
    "firstMs >= attempt.nonce - LEAD_MS && firstMs",
    "firstMs",
  ),
  one("a stop heeds no slices of what nothing else shows", LIKELY, "(sliced ?? []).filter", "[].filter"),
  one(
    "a stop waits for two days for a TWAP that an answer has named by another's number",
    CANCEL_TWAPS,
    "if (isConfirmed(operation) || ",
    "if (operation.exchangeId !== null || ",
  ),
  one(
    "a number that is none is canceled every few seconds",
    WITHDRAW,
    "Math.min(CANCEL_EVERY_MS * 2 ** (last.times - 1), MAX_CANCEL_EVERY_MS)",
    "CANCEL_EVERY_MS",
  ),
  one(
    "a number that an answer alone has given keeps its market from orders",
    "src/settle/operation/twap-cancel.ts",
    'return isUnderWay({ store }, id) ? "named" : "nothing";',
    'return isUnderWay({ store }, id) ? "running" : "nothing";',
  ),
  one(
    "the cancel of a number that nothing shows goes on once nobody looks into it any more",
    "src/settle/operation/twap-cancel.ts",
    'return isUnderWay({ store }, id) ? "named" : "nothing";',
    'return "named";',
  ),
  one(
    "a bot's limits hold for two days what an answer has named by another's number",
    "src/write/unnamed-twaps.ts",
    "twap.twapId === null || !isShown(deps, twap)",
    "twap.twapId === null",
  ),
  one(
    "a TWAP is another's by the word of an answer, whatever that other asked for",
    "src/settle/operation/twap-terms.ts",
    "claimed.has(twapId) && !isMisclaimed(world, attempt, { twapId, state })",
    "claimed.has(twapId)",
  ),
  one(
    "of two equal TWAPs beside a number that is none nothing is ever given up",
    NAMED,
    'return isGivenUp(tools, attempt, pursuit) ? { status: "unknown", exchangeId, error: words } : null;',
    "return null;",
  ),
];
