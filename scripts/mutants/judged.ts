import { type Mutant, one } from "./mutant.ts";

const EXPOSURE = "src/core/rails/exposure.ts";
const JUDGE = "src/core/rails/judge.ts";
const MOVED = "src/core/rails/moved.ts";
const REDUCTIONS = "src/core/rails/reductions.ts";
const DISTANCE = "src/core/rails/distance.ts";
const SETTINGS = "src/core/rails/settings.ts";
const LOSS = "src/core/rails/loss.ts";
const TRIP = "src/core/rails/trip.ts";
const OWN_BOOKS = "src/core/rails/own-books.ts";
const TWAP_END = "src/core/rails/twap-end.ts";
const BOTS = "src/store/bots.ts";
const BOT_TWAP_ROWS = "src/store/bot-twap-rows.ts";
const BOT_TWAPS = "src/store/bot-twaps.ts";

/** Bugs of one line in how a bot is judged, and in what is booked of it. */
export const JUDGED: readonly Mutant[] = [
  one(
    "what can never rest has a place on the book to lose",
    REDUCTIONS,
    "mayRest && bot !== rails.bot",
    "(mayRest || bot !== null || !mayRest) && bot !== rails.bot",
  ),
  one(
    "what rests has no place on the book to lose",
    "src/store/open-leg-book.ts",
    'mayRest: leg.timeInForce !== "ioc" ||',
    'mayRest: leg.timeInForce === "alo" ||',
  ),
  one(
    "what takes the size away before those that rest is not counted with them",
    REDUCTIONS,
    "const alike = [...reducing.filter(({ cloid, side }) =>",
    "const alike = [...reducing.filter(({ cloid, side, mayRest }) => mayRest &&",
  ),
  one(
    "another's sale that is on its way is not held",
    JUDGE,
    "compare(subtract(account, moved), net.low) < 0",
    "compare(account, net.low) < 0",
  ),
  one(
    "another's purchase that is on its way is not held",
    JUDGE,
    "compare(add(account, moved), net.high) > 0",
    "compare(account, net.high) > 0",
  ),
  one(
    "another's order whose answer was lost was not filled",
    JUDGE,
    "return each.isUnheard || (each.isInFlight",
    "return (each.isInFlight",
  ),
  one(
    "what another was just filled on the same side is held against a purchase",
    JUDGE,
    'side === "buy" ? justSold : justBought',
    'side === "buy" ? justBought : justSold',
  ),
  one(
    "a position of before what was filled refuses for certain",
    JUDGE,
    "  if (moved?.facts.some((now)",
    "  if (moved?.facts.every((now)",
  ),
  one(
    "of a position of before only what was bought since may be in question",
    MOVED,
    "const mayBe = [low, high,",
    "const mayBe = [high,",
  ),
  one(
    "of a position of before only what was sold since may be in question",
    MOVED,
    "const mayBe = [low, high,",
    "const mayBe = [low,",
  ),
  one(
    "a position of before may not show as much as is the bot's own",
    MOVED,
    "...(isWithin(own, low, high) ? [own] : [])",
    "...(isWithin(own, low, low) ? [own] : [])",
  ),
  one(
    "what was just filled, which the position may show, is another's for certain",
    JUDGE,
    "  if (!isOpposed(increase, onTheirWay)) return",
    "  if (increase === null) return",
  ),
  one(
    "a position that may be of before a fill is read again as others were told it",
    "src/write/rails-facts.ts",
    "const isTaken = await askForPosition(deps, of);",
    "const isTaken = (await readPosition(deps, of), true);",
  ),
  one(
    "a position that is of before a fill is not read again",
    "src/write/run.ts",
    "return error.isToRead;",
    "return false;",
  ),
  one(
    "where nobody knows what the account holds a bot's net is in no doubt",
    EXPOSURE,
    "if (account === null) return { low: smaller(low, ZERO), high: larger(high, ZERO) };",
    "if (account === null) return { low, high };",
  ),
  one(
    "a stop of a short is measured by the nearer end of what it may hold",
    REDUCTIONS,
    'side === "sell" ? high : low, sumsOf',
    "high, sumsOf",
  ),
  one(
    "a sale without a price is worth its limit",
    EXPOSURE,
    'price === null || side === "sell" ? null',
    "price === null ? null",
  ),
  one(
    "a bot that may be long is judged as if it were short",
    JUDGE,
    "add(net.high, buys) : negate(subtract(net.low, sells))",
    "add(net.low, buys) : negate(subtract(net.high, sells))",
  ),
  one(
    "what is out elsewhere is worth the lower of two prices",
    JUDGE,
    "facts.referenceOf(each)?.high ?? null",
    "facts.referenceOf(each)?.low ?? null",
  ),
  one(
    "what is out elsewhere without a price counts nothing",
    JUDGE,
    "if (high === null) return priceless(each);",
    "if (high === null) continue;",
  ),
  one(
    "a market without a price has no turnover",
    JUDGE,
    "if (reference === null || highest === null) return false;",
    "if (reference === null || highest === null) continue;",
  ),
  one(
    "a day has one action more than it was granted",
    JUDGE,
    "facts.actions > maxActionsPerDay)",
    "facts.actions > maxActionsPerDay + 1)",
  ),
  one("one open order more than was granted", JUDGE, "if (open > maxOpenOrders)", "if (open > maxOpenOrders + 1)"),
  one(
    "a stop is measured by what was booked alone",
    REDUCTIONS,
    'side === "sell" ? high : low, sumsOf',
    "facts.ownOf(market), sumsOf",
  ),
  one(
    "a bot sells on spot what may be another's",
    REDUCTIONS,
    "larger(facts.ownOf(market), ZERO)",
    "larger(subtract(facts.ownOf(market), negate(facts.unprovenOf(market)?.buys ?? ZERO)), ZERO)",
  ),
  one(
    "a reduction is refused where nobody knows what the account holds",
    REDUCTIONS,
    " || account === null) return null;\n  const alike",
    ") return null;\n  const alike",
  ),
  one(
    "a sale at the very price of another's reduction does not meet it",
    REDUCTIONS,
    ": !isAbove(leg.price, other.price);",
    ": isAbove(other.price, leg.price);",
  ),
  one(
    "a distance is measured from the nearer price",
    DISTANCE,
    'leg.side === "buy" ? reference.low : reference.high',
    'leg.side === "buy" ? reference.high : reference.low',
  ),
  one("a take-profit that may have fired is measured by its own trigger", DISTANCE, ' && kind === "stop_loss";', ";"),
  one(
    "a TWAP is refused where just what its slices need is allowed",
    DISTANCE,
    "if (!isAbove(SLICE_SLIPPAGE_PERCENT, maxDistance)) return null;",
    "if (isAbove(maxDistance, SLICE_SLIPPAGE_PERCENT)) return null;",
  ),
  one(
    "a bot that is halted raises its leverage",
    SETTINGS,
    "?? (facts.halt === null ? null : refusal(facts.halt.rail, facts.halt))",
    "?? null",
  ),
  one(
    "what another has closed of a bot's position is the bot's own to raise",
    SETTINGS,
    "if (compare(facts.ownOf(market), account) === 0) return null;",
    "if (compare(facts.ownOf(market), account) >= 0) return null;",
  ),
  one("funding of what is held no more is forgotten", LOSS, "return subtract(cash, funding);", "return cash;"),
  one(
    "what a restore has counted takes a loss back when it is ended",
    TRIP,
    'cause === "loss" && clearedAtMs !== null',
    "clearedAtMs !== null",
  ),
  one(
    "a sale that waits for more than it asks counts by its limit",
    OWN_BOOKS,
    "larger(price, triggerPrice ?? price)",
    "price",
  ),
  one(
    "a TWAP makes no turnover by its slices",
    OWN_BOOKS,
    "if (price === null || highest === null) highest = null;",
    "if (price === null || highest === null) continue;",
  ),
  one(
    "a TWAP is over by a row of its own time",
    TWAP_END,
    "timeS * 1_000 > lastMs",
    "timeS * 1_000 > twap.createdAtMs",
  ),
  one(
    "a fill is of the day on which it was asked for",
    BOTS,
    "const atMs = seenAtMs ?? createdAtMs;",
    "const atMs = createdAtMs;",
  ),
  one(
    "a TWAP in another market is out beside a purchase",
    BOT_TWAP_ROWS,
    "twap.bot === bot && twap.market === market &&",
    "twap.bot === bot &&",
  ),
  one(
    "a TWAP that increases is out as one that reduces",
    BOT_TWAP_ROWS,
    "twap.market === market && twap.reduceOnly",
    "twap.market === market",
  ),
  one("what is traded forgets the fees of the day", BOTS, "fees: before.fees };", "fees: ZERO };"),
  one(
    "a slice of a TWAP frees nothing",
    BOT_TWAPS,
    "[legOf(operationId, terms, subtract(size, filledSize))]",
    "[legOf(operationId, terms, size)]",
  ),
  one(
    "a TWAP that loses its name has filled what it had not",
    BOT_TWAPS,
    "twapId: exchangeId, filledSize: ZERO }",
    "twapId: exchangeId }",
  ),
  one(
    "a bot's resting order that no look has shown has bought nothing",
    "src/actions/close-position.ts",
    "(price === null || unshown.has(orderId))",
    "price === null",
  ),
  one(
    "a look that has not shown an order has shown it",
    "src/write/rails-facts.ts",
    'if (looked === "open" || looked === "closed") unshown.delete(orderId);',
    "if (looked !== null) unshown.delete(orderId);",
  ),
  one(
    "resting orders beyond those that are looked at have bought nothing",
    "src/write/rails-facts.ts",
    "const unshown = new Set(resting.map(",
    "const unshown = new Set(resting.slice(-MAX_LOOKED_AT).map(",
  ),
  one(
    "what the known fills explain a bot's order may have bought all the same",
    "src/actions/close-position.ts",
    "(!isExplained && (price",
    "(!unshown.has(market.name) && (price",
  ),
  one(
    "positions of after what somebody did by hand are waited for until the next round of fills",
    "src/settle/evidence/positions-before.ts",
    '  if (moment !== "now") deps.fillIndex.readSoon(of.account);\n',
    "",
  ),
  one(
    "what positions had said of a size holds although one has stood elsewhere since",
    "src/core/evidence.ts",
    'same.slice(same.findLastIndex(({ position }) => position === "moved") + 1)',
    "same",
  ),
];
