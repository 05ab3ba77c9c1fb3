import { type Mutant, one } from "./mutant.ts";

const CORE = "src/core/rails/idle-trigger.ts";
const WATCH = "src/write/cancel-idle-triggers.ts";

/** Bugs in which triggers of a bot go because they would close what another holds. */
export const IDLE_TRIGGERS: readonly Mutant[] = [
  one("a bot's protection goes while it holds", CORE, "!isComing && isZero(", "!isComing || isZero("),
  one(
    "one reading of what a bot holds is enough",
    CORE,
    'side === "sell" ? high : negate(low)',
    'side === "sell" ? low : negate(high)',
  ),
  one("what may still be bought needs no protection", CORE, "return !isComing && isZero", "return isZero"),
  one("what closes nothing of another's goes as well", CORE, "isZero(account) || !protectsNothing", "!protectsNothing"),
  one("the other side of a position is taken for it", CORE, 'isNegative(account) === (trigger.side === "buy")', "true"),
  one(
    "a trigger that protects nothing stays",
    WATCH,
    "nowMs - (sinceMs.get(orderId) ?? nowMs) >= IDLE_FOR_MS",
    "nowMs < 0",
  ),
  one("a trigger goes at the first look", WATCH, "nowMs - (sinceMs.get(orderId) ?? nowMs) >= IDLE_FOR_MS", "true"),
  one("who may touch all is looked after as well", WATCH, '.filter(({ rails }) => rails.touches === "own")', ""),
  one(
    "a trigger goes under a stop that keeps what protects",
    WATCH,
    "return findStopOf(store, order.accountId, order.keyHash) === null;",
    "return true;",
  ),
  one("guards of a trade are taken away", WATCH, "!guards.has(leg.orderId) && isIdleTrigger", "isIdleTrigger"),
  one(
    "nobody is told why",
    "src/settle/record/record.ts",
    "isOfIdle(each) && each.hasLanded",
    "isOfIdle(each) && !each.hasLanded",
  ),
];
