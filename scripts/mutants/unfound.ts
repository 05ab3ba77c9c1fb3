import { type Mutant, one } from "./mutant.ts";

const MISSES = "src/settle/cancel/misses.ts";
const BALANCE = "src/settle/evidence/balance-check.ts";
const UNNAMED = "src/settle/look/unnamed.ts";
const FILL_HOLES = "src/store/fill-holes.ts";
const UNFOUND = "src/settle/evidence/unfound.ts";
const PURSUE_CANCEL = "src/settle/cancel/pursue-cancel.ts";

/** Bugs in what cancels that find nothing prove of an order, or a TWAP's minutes of a TWAP, of which no answer ever came. */
export const UNFOUND_BUGS: readonly Mutant[] = [
  one(
    "fills are whole over a millisecond of which the exchange does not give all",
    FILL_HOLES,
    "return readToMs === null ? null : Math.min(readToMs, wholeAtMost(store, accountId, fromMs));",
    "return readToMs === null ? null : Math.max(readToMs, fromMs - fromMs);",
  ),
  one(
    "an order had fills, maybe, of a millisecond of before it was",
    FILL_HOLES,
    "filter((timeMs) => timeMs >= fromMs)",
    "filter((timeMs) => timeMs >= fromMs - fromMs)",
  ),
  one(
    "a reading of fills witnesses what comes after a millisecond of which some may lack",
    "src/settle/fills/fill-pages.ts",
    "Math.min(joinedToMs, holeMs)",
    "joinedToMs",
  ),
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
  one(
    "what nothing shows is asked for without end",
    MISSES,
    "return asked !== null && !isUnfound(asked.word, { canCome: false, unseenForMs: Number.POSITIVE_INFINITY });",
    "return asked !== null;",
  ),
  one(
    "a lost trigger is over though an order stands there that it may have placed",
    "src/settle/evidence/absence.ts",
    " && missed.isPerhapsFired !== true;",
    ";",
  ),
  one(
    "whatever is over and nobody's may have come of a trigger",
    UNNAMED,
    "isOfElsewhere(order, false)",
    "isOfElsewhere(order, true)",
  ),
  one(
    "what stands on the other side may have come of a trigger",
    UNNAMED,
    "coin === market && on === letter && timestampMs",
    "coin === market && timestampMs",
  ),
  one(
    "a balance is as the last fill has left it, whatever it is",
    BALANCE,
    "compare(shown.total, expected) !== 0",
    "false",
  ),
  one(
    "nothing was bought, whatever was paid for what is held",
    BALANCE,
    " && compare(shown.entryNotional, ZERO) === 0;",
    ";",
  ),
  one(
    "what nothing was paid for tells of sales as well",
    BALANCE,
    'side === "buy" && expected === ZERO',
    "expected === ZERO",
  ),
  one("a fee that was paid in kind is still held", BALANCE, "isPaidInKind({ market, ...fill })", "false"),
  one("a token is traded in one market alone", BALANCE, "  if (isElsewhere) return null;\n", ""),
  one(
    "a balance says of fills what it says of fills that were never read",
    BALANCE,
    "findFillCursor(store, accountId) === null ? null : ZERO",
    "ZERO",
  ),
  one(
    "a balance counts whatever server it is from",
    "src/settle/evidence/position-check.ts",
    'world.exchange.nowMs() < about.sinceMs + BEHIND_MS ? "behind" : ',
    "",
  ),
  one("what nothing shows is asked for at each step", PURSUE_CANCEL, ": ASK_BY_NAME_AFTER_MS", ": 1"),
  one(
    "a stop that stands is asked for its time by a trade",
    "src/settle/trade/trade-facts.ts",
    "  if (findStopOf(store, accountId, keyHash) !== null) return true;\n",
    "",
  ),
  one(
    "a TWAP that no answer named has ended before its minutes are over",
    "src/core/rails/twap-end.ts",
    "MINUTE_MS + BEHIND_MS;",
    "MINUTE_MS - 5 * BEHIND_MS;",
  ),
  one(
    "a market is settled by one look that shows nothing held there",
    "src/settle/evidence/vanished.ts",
    "nowMs - settledSinceMs >= SETTLED_AFTER_MS",
    "nowMs >= settledSinceMs",
  ),
  one(
    "a market that is listed counts as settled",
    "src/settle/evidence/position-check.ts",
    "findMarket(universe, market)?.isDelisted !== true",
    "findMarket(universe, market) === null",
  ),
  one(
    "a market in which something is held counts as settled",
    "src/settle/evidence/position-check.ts",
    "coin !== market || isZero(signedSize)",
    "coin !== market || !isZero(signedSize)",
  ),
  one(
    "what a modify has placed without a name is named by no list",
    UNNAMED,
    "[...listUnnamedOrders(store, accountId, MAX_ORDERS), ...modified]",
    "listUnnamedOrders(store, accountId, MAX_ORDERS + modified.length)",
  ),
  one(
    "what cancels have found is dated by a clock that is contradicted since",
    UNFOUND,
    "  unfound.byMs = keptMoment(unfound.byMs, byNowMs);\n",
    "",
  ),
  one(
    "an order that is over is looked for by its record alone while the answer to its placing is",
    "src/settle/place/look-for-placed.ts",
    'const isClosing = sought.leg.state === "closing";',
    'const isClosing = sought.leg.state === "closing" && pursuit.looks < 0;',
  ),
  one(
    "what a modify has placed is looked for by its record alone",
    "src/settle/modify/pursue-modify.ts",
    "lookAtClosing(tools, pursuit, sought,",
    "lookAtClosing(tools, { ...pursuit, looks: 0 }, sought,",
  ),
];
