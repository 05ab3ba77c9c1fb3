import { type Mutant, one } from "./mutant.ts";

const CORE = "src/core/rails/idle-reduction.ts";
const WATCH = "src/write/cancel-idle-reductions.ts";
const LEFT = "src/write/left-to-trade.ts";
const HELD = "src/settle/trade/held-now.ts";

/** Bugs in which what only reduces, of a bot, goes or stays wrongly where it would close what another holds. */
export const IDLE_REDUCTIONS: readonly Mutant[] = [
  one("a bot's protection goes while it holds", CORE, "!isComing && isZero(", "!isComing || isZero("),
  one("a purchase protects no short", CORE, 'side === "sell" ? own : negate(own)', "own"),
  one("what may still be bought needs no protection", CORE, "return !isComing && isZero", "return isZero"),
  one("what closes nothing of another's goes as well", CORE, "isZero(account) || !protectsNothing", "!protectsNothing"),
  one("the other side of a position is taken for it", CORE, 'isNegative(account) === (leg.side === "buy")', "true"),
  one(
    "a trigger that protects nothing stays",
    WATCH,
    "nowMs - (sinceMs.get(leg.orderId) ?? nowMs) >= idleForMs(leg)",
    "nowMs < 0",
  ),
  one(
    "a trigger goes at the first look",
    WATCH,
    "nowMs - (sinceMs.get(leg.orderId) ?? nowMs) >= idleForMs(leg)",
    "true",
  ),
  one(
    "a trigger goes as soon as what rests",
    CORE,
    "const TRIGGER_IDLE_FOR_MS = 30_000;",
    "const TRIGGER_IDLE_FOR_MS = 10_000;",
  ),
  one(
    "what rests stays as long as a trigger",
    CORE,
    "const FILLING_IDLE_FOR_MS = 10_000;",
    "const FILLING_IDLE_FOR_MS = 30_000;",
  ),
  one(
    "what rests or runs goes at the first look",
    CORE,
    "const FILLING_IDLE_FOR_MS = 10_000;",
    "const FILLING_IDLE_FOR_MS = 0;",
  ),
  one("a reduction that rests stays", WATCH, 'order.status === "open" || ', ""),
  one("a TWAP that only reduces runs on", WATCH, 'operation?.status === "succeeded"', "operation === undefined"),
  one(
    "a TWAP goes under a stop that keeps what protects",
    WATCH,
    'operation?.status === "succeeded" && !isLeftAlone(store, operation)',
    'operation?.status === "succeeded"',
  ),
  one(
    "what increases is canceled as well",
    WATCH,
    "if (!leg.canOnlyReduce || isSpot(leg.market)) return false;",
    "if (isSpot(leg.market)) return false;",
  ),
  one("who may touch all is looked after as well", WATCH, '.filter(({ rails }) => rails.touches === "own")', ""),
  one("a trigger goes under a stop that keeps what protects", WATCH, "isOut && !isLeftAlone(store, order);", "isOut;"),
  one("guards of a trade are taken away", WATCH, "!guards.has(leg.orderId) && isIdleReduction", "isIdleReduction"),
  one(
    "one reading of the position, of before the sale, is enough",
    WATCH,
    'await rereadPosition(world, { account, market, purpose: "settle" });\n  // Asked',
    "// Asked",
  ),
  one(
    "a trade goes on when its bot has sold what it entered",
    HELD,
    "isZero(sold) ? shownNow : smaller(shownNow, left)",
    "shownNow",
  ),
  one(
    "a trade is over while its bot holds",
    LEFT,
    "larger(subtract(onSide(trade, net), heldByNewer(deps.store, trade, bot)), ZERO)",
    "ZERO",
  ),
  one(
    "what its bot has sold is taken off each of its trades",
    LEFT,
    "subtract(onSide(trade, net), heldByNewer(deps.store, trade, bot))",
    "onSide(trade, net)",
  ),
  one(
    "what its bot has sold is of the newest trade first",
    LEFT,
    "isNewerTrade(each, trade)",
    "isNewerTrade(trade, each)",
  ),
  one("a trade is over while its bot may still buy", LEFT, "return isOut ? null : left;", "return left;"),
  one(
    "a trade that a lost machine has entered is over",
    LEFT,
    "if (isFromBeforeTakeUp(deps.store, accountId, createdAtMs)) return null;",
    "",
  ),
  one(
    "what protects goes after a restore, because its bot's books lack what was bought",
    WATCH,
    " || isFromBeforeTakeUp(store, accountId, signedAtMs)",
    "",
  ),
  one(
    "what protects goes although something was bought while its cancel waited",
    "src/settle/stop/cancel-covered.ts",
    "if (canceling.isStillSo?.() === false) return null;",
    "",
  ),
  one(
    "a TWAP goes although something was bought while its cancel waited",
    "src/settle/stop/cancel-twaps.ts",
    "if (isStillSo?.() === false) return null;",
    "",
  ),
  one("what was sold comes back because a guard fills", HELD, "isZero(sold) ? null", "!isZero(sold) ? null"),
  one(
    "what the account lacks because a guard has filled is taken off twice",
    HELD,
    "memory.sold = smaller(memory.shownSold, sold);",
    "memory.sold = larger(subtract(own, memory.position), ZERO);",
  ),
  one(
    "one reading takes protection away",
    HELD,
    "memory.position = larger(memory.shown, held);",
    "memory.position = held;",
  ),
  one("a start ends a trade by books alone", HELD, "left === null || isZero(left) ? ZERO", "left === null ? ZERO"),
  one(
    "nobody is told why",
    "src/settle/record/record.ts",
    "isOfIdle(each) && each.hasLanded",
    "isOfIdle(each) && !each.hasLanded",
  ),
  one(
    "what was bought since does not give its cancel up",
    "src/settle/cancel/pursue-cancel.ts",
    '  if ((await groundOf(tools, attempt)) === "lapsed") return giveUpCancel(world, attempt, pursuit);\n',
    "",
  ),
  one(
    "a cancel goes again although something was bought while it waited",
    "src/settle/cancel/pursue-cancel.ts",
    ' || grounds.judge(attempt) !== "stands"',
    "",
  ),
  one(
    "a cancel of a TWAP goes again although something was bought",
    "src/settle/operation/twap-cancel.ts",
    '(await groundOf(tools, attempt)) === "lapsed"',
    "false",
  ),
  one(
    "a cancel of a TWAP goes again although something was bought while it waited",
    "src/settle/operation/twap-cancel.ts",
    ' || grounds.judge(attempt) !== "stands"',
    "",
  ),
  one(
    "a copy of a cancel that was given up may come",
    "src/settle/cancel/grounds.ts",
    "await Promise.all(copiesOf(world, attempt).map((copy) => takeUnused(world, copy)));",
    "",
  ),
  one(
    "a trigger whose answer is on its way is canceled by a flattening at once",
    "src/settle/stop/flatten-step.ts",
    '(status === "unknown" || status === "processing")',
    'status === "unknown"',
  ),
  one(
    "a trigger that waits after all is canceled while its cancel waits its turn",
    "src/settle/stop/close-markets.ts",
    "orderId, isStillSo }",
    "orderId }",
  ),
  one(
    "a trigger that waits after all is canceled again",
    "src/settle/cancel/grounds.ts",
    "return grounds.map((each)",
    "return grounds.slice(0, 1).map((each)",
  ),
  one(
    "a stop that keeps no protection leaves a trigger that waits",
    "src/settle/stop/kept-triggers.ts",
    "stop !== null && keptOrders(world, stop).some(({ id }) => id === resource.id)",
    "stop !== null",
  ),
  one("a cancel goes again although a stop keeps what protects", WATCH, " || isLeftAlone(store, placed)", ""),
];
