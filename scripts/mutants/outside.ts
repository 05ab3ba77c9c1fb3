import { type Mutant, one } from "./mutant.ts";

const TOLD_OUTSIDE = "src/actions/told-outside.ts";
const STAND_IN = "src/actions/stand-in.ts";

/** Bugs of one line in what is known of orders of elsewhere, and in the stops that stand in for theirs. */
export const OUTSIDE: readonly Mutant[] = [
  one(
    "a trigger that its feed told over is shown fired",
    TOLD_OUTSIDE,
    '(meaning !== "open" && meaning !== "triggered")',
    'meaning !== "open"',
  ),
  one(
    "what was left when it ended is as the older record has it",
    TOLD_OUTSIDE,
    "{ ...record.order, size: end.order.size }",
    "record.order",
  ),
  one(
    "a list of long ago shows that an order is open",
    TOLD_OUTSIDE,
    "lists.filter(({ toldToMs }) => toldToMs >= fromMs).flatMap",
    "lists.flatMap",
  ),
  one(
    "an order is whole that has filled as much as it has left",
    TOLD_OUTSIDE,
    "compare(filled.size, originalSize ?? size) >= 0",
    "compare(filled.size, size) >= 0",
  ),
  one(
    "lists of other dexes show no order of elsewhere",
    TOLD_OUTSIDE,
    '["", ...settings.dexes].flatMap((dex) => picture',
    '[""].flatMap((dex) => picture',
  ),
  one(
    "what was told hours ago outweighs a server for ever",
    TOLD_OUTSIDE,
    "if (told !== null && told.timeMs >= fromMs) return true;",
    "if (told !== null) return true;",
  ),
  one(
    "what a feed has told open is shown by no list",
    TOLD_OUTSIDE,
    "const order = [...told, ...listed].find",
    "const order = [...listed].find",
  ),
  one(
    "a stop that stands in is of the size of a child that has none yet",
    STAND_IN,
    "{ ...guardTerms(termsOf(child)), size: parent.size }",
    "{ ...guardTerms(termsOf(child)), size: child.size }",
  ),
  one(
    "a stop that somebody has canceled stands in",
    STAND_IN,
    'return last.status === "canceled" ? "none" : "stands";',
    'return "stands";',
  ),
  one(
    "a stop that stands in and is refused once is not tried again",
    STAND_IN,
    "isRefused && mayPlace(deps, before) === true",
    "isRefused && before.length === 0",
  ),
  one("a stop that stands in is tried for good", STAND_IN, "refused >= MAX_REFUSED || ", ""),
  one("a stop that stands in is tried again at each look", STAND_IN, "const RETRY_MS = 10_000;", "const RETRY_MS = 0;"),
  one("a stop that stands in stays as large as its order was", STAND_IN, "    return giveWay(deps, standing);\n", ""),
  one(
    "a stop that stands in goes before one of what was filled stands",
    STAND_IN,
    'isFitting(each) && each.status === "waiting_for_trigger"',
    "isFitting(each)",
  ),
  one("take-profits are stood in for as well", STAND_IN, '=== "stop_loss");', "!== undefined);"),
  one("stand-ins are canceled before the start has looked", STAND_IN, 'if (deps.state.phase !== "ready") return;', ""),
  one(
    "a cancel of an order of elsewhere waits for its fills, however long they take",
    "src/actions/outside-order.ts",
    'useOf(purpose) === "cancel"\n      ?',
    'useOf(purpose) === "settle"\n      ?',
  ),
  one(
    "a stop that stands in is taken back by a list of before its order was canceled",
    "src/actions/cancel-outside.ts",
    "if (mayHaveGone(deps, account, order)) return",
    "if (mayHaveGone(deps, account, order) && order.oid === null) return",
  ),
  one(
    "a cancel that was refused tells that its order stands in a list of before it",
    "src/actions/cancel-outside.ts",
    "attempt.hasLanded || exchange.nowMs() < endsAtMs(attempt) + BEHIND_MS",
    "attempt.hasLanded",
  ),
];
