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
    "size: parent.size, timeInForce",
    "size: child.size, timeInForce",
  ),
  one(
    "a stop that somebody has canceled stands in",
    STAND_IN,
    'placed.status === "canceled" || placed.status === "rejected" ? "none"',
    'placed.status === "rejected" ? "none"',
  ),
  one("take-profits are stood in for as well", STAND_IN, '=== "stop_loss");', "!== undefined);"),
  one("stand-ins are canceled before the start has looked", STAND_IN, 'if (deps.state.phase !== "ready") return;', ""),
  one(
    "a cancel of an order of elsewhere waits for its fills, however long they take",
    "src/actions/outside-order.ts",
    'useOf(purpose) === "cancel"\n          ?',
    'useOf(purpose) === "settle"\n          ?',
  ),
];
