import { type Mutant, one } from "./mutant.ts";

const BOT_MARKS = "src/settle/restore/bot-marks.ts";
const OWN_ORDERS = "src/settle/restore/own-orders.ts";
const UNPROVEN = "src/store/unproven-twaps.ts";
const GIVEN = "src/store/given-orders.ts";

/** Bugs in which a bot does not get what it traded between a backup and its restore, or is told to hold nothing before that is read. */
export const RESTORES: readonly Mutant[] = [
  one(
    "what is found after a restore is nobody's",
    OWN_ORDERS,
    'if (whose.kind === "bot") giveOrder(store, orderId, whose.keyHash);',
    "",
  ),
  one(
    "of what is found after a restore the mark is not looked at",
    BOT_MARKS,
    "return only === undefined || others",
    "if (known[0] !== undefined) return known[0];\n    return only === undefined || others",
  ),
  one(
    "a bot that is granted again does not get what it had placed",
    "src/actions/register-limited-key.ts",
    "giveToBots(deps, grant.accountId);",
    "",
  ),
  one(
    "of an order that is given to its bot what it has filled already is not booked",
    GIVEN,
    "bookFills(store, order, { filledSize: null, averagePrice: null });",
    "",
  ),
  one("who has read an order before it was given writes over it", GIVEN, " + 1` };", "` };"),
  one(
    "an order does not tell whose it is",
    "src/settle/place/new-order.ts",
    "bot: botOf(store, keyHash),",
    "bot: null,",
  ),
  one(
    "a modify does not tell whose order it changes",
    "src/actions/modify-order.ts",
    "const bot = botOf(store, target.keyHash);",
    "const bot = null;",
  ),
  one(
    "a flattening tells flat by books that a restore has cut",
    "src/settle/stop/flattener.ts",
    "if (awaitsTakeUp(store, account.id)) return waitFor(",
    "if (store === null) return waitFor(",
  ),
  one(
    "a close tells that nothing is held by books that a restore has cut",
    "src/actions/close-position.ts",
    'if (awaitsTakeUp(deps.store, caller.account.id)) throw new ApiError("not_ready", NOT_TAKEN_UP);',
    "",
  ),
  one(
    "an alert is told to be done by books that a restore has cut",
    "src/actions/hooks/carry-out.ts",
    "if (awaitsTakeUp(deps.store, accountId)) {",
    "if (deps.store === null) {",
  ),
  one(
    "a close that a backup has takes triggers away by books that a restore has cut",
    "src/settle/close/closer.ts",
    "if (awaitsTakeUp(store, close.accountId)) return false;",
    "",
  ),
  one(
    "what a TWAP of nobody bought is no bot's after a restore",
    "src/core/rails/exposure.ts",
    "if (unproven === null) return {",
    "if (unproven === null || own !== null) return {",
  ),
  one(
    "a flattening ends as flat where a TWAP of nobody may have been the bot's",
    "src/settle/stop/flattener.ts",
    'leftOf(listUnproven(world.store, stop, positions), "unproven")',
    "[]",
  ),
  one(
    "a close tells that nothing is held where a TWAP of nobody may have been the bot's",
    "src/actions/close-position.ts",
    "requireProven(deps, caller, { wanted, market, position });",
    "",
  ),
  one(
    "an alert buys again what a TWAP of nobody may have bought",
    "src/actions/hooks/carry-out.ts",
    "if (step?.reduceOnly !== true && listUnprovenTwaps",
    "if (step === null && listUnprovenTwaps",
  ),
  one(
    "what a TWAP of nobody bought stays in question after all was sold",
    UNPROVEN,
    ".limit(1).get() !== undefined;",
    ".limit(0).get() !== undefined;",
  ),
  one(
    "a key that may ask for no TWAP has some to answer for",
    UNPROVEN,
    'rails.may.includes("twap")',
    'rails.may.includes("increase")',
  ),
  one(
    "a TWAP that began after all had been read is in question",
    UNPROVEN,
    "takeUp.between.toMs + SHOWN_WITHIN_MS",
    "takeUp.between.toMs + 1_000 * SHOWN_WITHIN_MS",
  ),
  one(
    "an account that holds nothing may hold something of a bot's",
    "src/write/rails-facts.ts",
    " || positionOf(deps, account, market) === ZERO ? null : unproven",
    " ? null : unproven",
  ),
  one(
    "what was taken up is looked at after the gateway was stopped",
    "src/settle/restore/after-restore.ts",
    "if (isStopped()) return;",
    "if (isStopped() && pauseMs < 0) return;",
  ),
];
