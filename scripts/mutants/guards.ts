import { type Mutant, one } from "./mutant.ts";

const ORDER = "src/core/order.ts";
const ADVANCE_LEG = "src/core/advance-leg.ts";
const MODIFY_EVIDENCE = "src/core/modify-evidence.ts";
const STOP = "src/core/stop.ts";
const TRADE = "src/core/trade.ts";
const TRADE_STEP = "src/core/trade-step.ts";
const OUTVOTED_CLOCK = "src/exchange/outvoted-clock.ts";
const CLOCK = "src/exchange/clock.ts";

/** Bugs of one line in what stops refuse, in the guards of trades, and in what is known of legs and modifies. */
export const GUARDS: readonly Mutant[] = [
  one(
    "a reading that is not proven tells whether the last change of margin is in",
    "src/core/margin-evidence.ts",
    "if (!isDone || before?.isProven !== true || ",
    "if (!isDone || before === null || ",
  ),
  one(
    "an order that was canceled was filled whole",
    ORDER,
    'return state === "filled" && compare(filledSize, size) >= 0;',
    "return compare(filledSize, size) >= 0;",
  ),
  one(
    "an alarm of an order that is over is lost when fills are missing",
    ADVANCE_LEG,
    "event.areFillsMissing === true && leg.reason === CLOSING ?",
    "event.areFillsMissing === true ?",
  ),
  one(
    "a record of what was refused at the placing carries no time",
    MODIFY_EVIDENCE,
    "if (placedAtMs !== null) return isOfAnotherBlock",
    "if (placedAtMs !== null && facts.isTaken) return isOfAnotherBlock",
  ),
  one(
    "a key that is blocked takes its bot's orders along",
    STOP,
    'return cause === "key_blocked" || cause === "key_revoked";',
    'return cause === "key_revoked";',
  ),
  one("purchases on spot pass a stop", STOP, 'side === "sell" && pairName?.endsWith', "pairName?.endsWith"),
  one(
    "a missed heartbeat refuses what comes after it",
    STOP,
    'return cause === "asked" && resumedAtMs === null;',
    "return resumedAtMs === null;",
  ),
  one(
    "a sale for another token passes a stop",
    STOP,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it stands so in the file
    "pairName?.endsWith(`/${CASH}`) === true",
    "pairName !== null",
  ),
  one(
    "a guard's worst price is rounded to the worse",
    TRADE,
    'side === "sell" ? "up" : "down"',
    'side === "sell" ? "down" : "up"',
  ),
  one(
    "an entry goes on until no guard is left for it",
    TRADE_STEP,
    "if (trade.isEntryUnwanted || stops.length > MAX_WISHED_GUARDS) return true;",
    "if (trade.isEntryUnwanted) return true;",
  ),
  one(
    "a guard that is refused again and again is tried every ten seconds until none is left",
    "src/core/guard-tries.ts",
    "return PAUSES.find(({ upTo }) => refused <= upTo)?.ms ?? 0;",
    "return PAUSES.find(({ upTo }) => refused >= 0 && upTo > 0)?.ms ?? 0;",
  ),
  one(
    "a stop is told as moved that is not placed any more",
    "src/actions/change-trade.ts",
    "if (usedUp.length === 0) return;",
    "if (usedUp.length >= 0) return;",
  ),
  one(
    "a stop that is on its way out protects",
    TRADE_STEP,
    "return sum(parts.filter((part) => isStanding(part) && !part.isLeaving)",
    "return sum(parts.filter((part) => isStanding(part))",
  ),
  one(
    "a stop that a lost machine may have replaced is gone",
    TRADE_STEP,
    'state === "over" && wasTaken && !isLeaving && !mayBeReplaced;',
    'state === "over" && wasTaken && !isLeaving;',
  ),
  one(
    "what a stop withdrew was closed by others",
    TRADE_STEP,
    "isLess(closedBy(facts), filled) && !isWithdrawn;",
    "isLess(closedBy(facts), filled);",
  ),
  one(
    "what is overdue is closed beside a close that nobody knows of",
    TRADE_STEP,
    "if (isTried || isAwaited(parts, held) || parts.length >= MAX_GUARDS) return [];",
    "if (isTried || parts.length >= MAX_GUARDS) return [];",
  ),
  one(
    "what is overdue is closed beside what closes it",
    TRADE_STEP,
    "const open = subtract(held, standingOf(parts));",
    "const open = held;",
  ),
  one(
    "an entry goes on although other hands have closed what it filled",
    TRADE_STEP,
    "if (position !== null && isZero(position) && entry !== null && !isZero(entry.filled)) return true;",
    "",
  ),
  one(
    "a stop goes while its entry may still fill",
    TRADE_STEP,
    "if (isClosed && facts.position !== null && !isZero(entry?.filled ?? ZERO))",
    "if (isClosed && !isZero(entry?.filled ?? ZERO))",
  ),
  one(
    "a number that was left unused is left so at the end of a trade",
    TRADE_STEP,
    "part?.isNumberUnused === true ? [{",
    "part?.isNumberUnused === true && part.wasTaken ? [{",
  ),
  one(
    "a trade ends although a stop of it lives",
    TRADE_STEP,
    "if (refusal !== null && !stops.some(isLive)) return [end(",
    "if (refusal !== null) return [end(",
  ),
  one(
    "our own clock outweighs readings that are ahead of it",
    OUTVOTED_CLOCK,
    "const isPossible = aheadMs > 0 && aheadMs <= MOST_BEHIND_MS;",
    "const isPossible = aheadMs <= MOST_BEHIND_MS;",
  ),
  one(
    "a reading that bears our clock out leaves the doubt",
    OUTVOTED_CLOCK,
    "if (isNearOwn || isRefuted) word = null;",
    "if (isRefuted) word = null;",
  ),
  one("a slow answer agrees as closely as a fast one", OUTVOTED_CLOCK, "<= halfMs + CLOSELY_MS;", "<= CLOSELY_MS;"),
  one(
    "what was proven against a clock outlives it",
    CLOCK,
    "    doubted = [];\n    provenOffsetMs = null;",
    "    doubted = [];",
  ),
];
