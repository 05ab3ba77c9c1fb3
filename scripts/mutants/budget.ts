import { type Mutant, one } from "./mutant.ts";

const BUDGET = "src/exchange/shares.ts";
const EXPECTED = "src/exchange/expected-weight.ts";
const NOT_ASKED = "src/actions/not-asked.ts";
const WIRE = "src/exchange/http.ts";

/** Bugs in who may spend our weight at the exchange, and in what is told of it. */
export const BUDGET_BUGS: readonly Mutant[] = [
  one(
    "one reader may use up what all may read",
    BUDGET,
    "return reads === 0 || own + weight <= MOST_OF_FREE",
    "return reads === 0 || weight <= MOST_OF_FREE",
  ),
  one("a reader may have nearly all of the reads", BUDGET, "MOST_OF_FREE = 2;", "MOST_OF_FREE = 20;"),
  one("one question may be too heavy for ever", BUDGET, "return reads === 0 || own", "return own"),
  one(
    "all keys are one reader",
    BUDGET,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it stands so in the file
    "`read for ${purpose.reader}`",
    '"read for all"',
  ),
  one("reads may use what is kept for orders", BUDGET, "Math.min(free, readShare - spent.reads)", "free"),
  one("reductions have no weight of their own", BUDGET, "reduce: 0.3, order", "reduce: 0.35, order"),
  one("orders may use up settling's weight", BUDGET, "order: 0.35, read", "order: 0.05, read"),
  one(
    "the wait counts on what settling spends never coming again",
    "src/exchange/spent-weight.ts",
    "else if (!REPEATED.includes(name)) addRepeated",
    'else if (name === "nobody") addRepeated',
  ),
  one("settling uses up what is kept for orders", BUDGET, 'return free - kept("reduce");', "return free;"),
  one("orders may go on as far as reductions", BUDGET, "kept(use)", 'kept("reduce")'),
  one(
    "orders may use what settling leaves, however much that is",
    BUDGET,
    'Math.min(freeAbove("settle"), kept(use))',
    'freeAbove("settle")',
  ),
  one(
    "what was missed before a start is read twice",
    "src/gateway.ts",
    'await follower.resync("not_connected");',
    'await follower.resync("all");',
  ),
  one(
    "the list of markets is read twice in a minute",
    "src/gateway.ts",
    "MARKETS_INTERVAL_MS = 62_000",
    "MARKETS_INTERVAL_MS = 60_000",
  ),
  one(
    "two parts of an account are held against reads in a minute",
    "src/settle/account/check-picture.ts",
    "CHECK_PICTURE_MS = 62_000",
    "CHECK_PICTURE_MS = 60_000",
  ),
  one(
    "fills are held against the feed twice in a minute",
    "src/settle/feed/cross-check.ts",
    "CROSS_CHECK_MS = 15_500",
    "CROSS_CHECK_MS = 15_000",
  ),
  one("what is left is told too high", BUDGET, "(1 + MOST_OF_FREE);", "1;"),
  one(
    "the wait is for the part that was refused, and not for the whole request",
    WIRE,
    "const rest = link.budget.justTaken(purpose, link.clock.elapsedMs()) + action;",
    "const rest = action;",
  ),
  one(
    "the wait of an action leaves no room for what is read before it",
    WIRE,
    "ACTION_WEIGHT + BEFORE_ACTION_WEIGHT",
    "ACTION_WEIGHT",
  ),
  one(
    "an action without room says nothing of whose limit it was",
    WIRE,
    'return { kind: "not_sent", reason, waitS: Math.max(1, actionWaitS(link, purpose)) };',
    'return { kind: "not_sent", reason };',
  ),
  one(
    "a read that the exchange answered with 429 is told as an exchange that cannot be reached",
    WIRE,
    '{ httpStatus, waitS: Math.max(1, actionWaitS(link, "read")) }',
    "{ httpStatus }",
  ),
  one(
    "what one reader is refused for, another is refused too",
    "src/exchange/shared-info.ts",
    "if (!isRefused(shared)) return shared;",
    "return shared;",
  ),
  one(
    "our own budget is told as the exchange's silence",
    NOT_ASKED,
    "if (!failed.isOurBudget && failed.waitS === undefined)",
    "if (failed.waitS !== null)",
  ),
  one(
    "the exchange's silence is told as our own budget",
    NOT_ASKED,
    "if (!failed.isOurBudget && failed.waitS === undefined)",
    "if (failed.waitS === null)",
  ),
  one(
    "what the exchange has told us is told as our own limit",
    NOT_ASKED,
    "told === null ?",
    'told !== "out_of_actions" ?',
  ),
  one(
    "fills that were not asked for are told as not known",
    NOT_ASKED,
    "if (exchange.budgetWaitS(purpose, [FILLS]) === 0)",
    "if (exchange.budgetWaitS(purpose, [FILLS]) >= 0)",
  ),
  one(
    "an order that is not ours is shown without the fills that were not asked for",
    "src/actions/outside-order.ts",
    'if (failed.isOurBudget && useOf(purpose) === "read")',
    'if (failed.isOurBudget && purpose === "read")',
  ),
  one(
    "what is to be canceled is looked for with the weight of reads",
    "src/actions/cancel-order.ts",
    'requireOrder(deps, caller, id, "cancel")',
    "requireOrder(deps, caller, id)",
  ),
  one(
    "what is to be modified is looked for with the weight of reads",
    "src/actions/modify-order.ts",
    'requireOrder(deps, caller, wanted.id, "order")',
    "requireOrder(deps, caller, wanted.id)",
  ),
  one(
    "a leverage goes by a list whose places were not looked at",
    "src/actions/set-leverage.ts",
    'if (outcome.kind === "failed" && outcome.waitS !== undefined)',
    'if (outcome.kind === "failed" && outcome.waitS === -1)',
  ),
  one(
    "a position that was not asked for is told as one that cannot be had",
    "src/settle/operation/margin.ts",
    'if (outcome.kind === "failed" && count === 0) return outcome;',
    "",
  ),
  one(
    "an intent that our own weight had no room for is the exchange's fault",
    "src/write/give-back.ts",
    'return waitS === undefined ? "exchange_unreachable" : "exchange_rate_limited";',
    'return waitS === null ? "exchange_rate_limited" : "exchange_unreachable";',
  ),
  one(
    "an order that only reduces has no more weight than another",
    "src/actions/place-order.ts",
    'use: wanted.reduceOnly ? "reduce" : "order",',
    'use: "order",',
  ),
  one(
    "a TWAP that only reduces has no more weight than another",
    "src/actions/create-twap.ts",
    'reduceOnly ? "reduce" : "order"',
    'reduceOnly ? "order" : "order"',
  ),
  one(
    "a list of markets that was not asked for is told as the exchange's silence",
    "src/exchange/markets.ts",
    "isRefused ||= outcome",
    "isRefused &&= outcome",
  ),
  one(
    "the wait for a list of markets is for the first part of it",
    "src/exchange/markets.ts",
    'budgetWaitS(purposeNow(), requestsFor(["", ...dexes]))',
    "budgetWaitS(purposeNow(), [DEXES])",
  ),
  one(
    "the wait for a list of markets forgets that it is tried now and then only",
    "src/exchange/markets.ts",
    "Math.max(1, spacingS, budgetS)",
    "Math.max(1, budgetS)",
  ),
  one(
    "the page reads with the share of the bot that has its key",
    "src/http/visit.ts",
    '=== "same-origin"',
    '=== "same-site"',
  ),
  one(
    "an exchange that cannot be reached is asked again at once",
    "src/core/errors.ts",
    "  exchange_unreachable: 5,\n",
    "",
  ),
  one(
    "settling spends all of its minute at once",
    BUDGET,
    'if (purpose === "settle" && !isInPace(most + kept, at)) return false;',
    "",
  ),
  one(
    "a question that is larger than half a minute's is never asked",
    BUDGET,
    "lately === 0 || lately + weight",
    "lately + weight",
  ),
  one("a small limit is spread over time", BUDGET, "const LARGEST_SWEEP = 300;", "const LARGEST_SWEEP = 1;"),
  one(
    "what a read came to from a later time tells what it comes to from an earlier one",
    EXPECTED,
    " || sinceOf(request) < known.sinceMs",
    "",
  ),
  one("what a read came to up to a time tells of more", EXPECTED, ' || request["endTime"] !== undefined', ""),
  one("what one user's read came to tells of another's", EXPECTED, 'String(user ?? "")', "typeof user"),
  one(
    "what a read came to beyond what was set aside is not paid",
    "src/exchange/budget.ts",
    "shares.book(charged.second, charged.purpose, weight - charged.weight);",
    "if (weight < charged.weight) shares.book(charged.second, charged.purpose, weight - charged.weight);",
  ),
];
