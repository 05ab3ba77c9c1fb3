import { type Mutant, one } from "./mutant.ts";

const CURRENT = "src/actions/current.ts";
const TOLD_BALANCES = "src/core/told-balances.ts";
const ISOLATED_COLLATERAL = "src/settle/evidence/isolated-collateral.ts";
const BALANCE_MOVES = "src/settle/evidence/balance-moves.ts";
const BEFORE_WRITES = "src/settle/evidence/balances-before-writes.ts";

const MARGIN_EVIDENCE = "src/core/margin-evidence.ts";
const HELD_BACK = "src/settle/evidence/held-back.ts";
const TOLD_HOLDS = "src/store/told-holds.ts";
const HELD_CHANGES = "src/store/held-changes.ts";

/** Bugs in what is taken out of a balance, or held back of it, and is not there any more: for isolated positions, and for open orders on spot. */
export const ISOLATED: readonly Mutant[] = [
  one(
    "what isolated positions hold was never taken out of the balance",
    BEFORE_WRITES,
    "const isIsolated = told.isShared &&",
    'const isIsolated = accountId === "" &&',
  ),
  one(
    "what an isolated position has won is a part of what was taken out of the balance",
    ISOLATED_COLLATERAL,
    "subtract(marginUsed, unrealizedPnl)",
    "marginUsed",
  ),
  one(
    "the margin of a dex that is not read is known",
    BEFORE_WRITES,
    "!isSpot(market) && !read.includes(dexOf(market))",
    "!isSpot(market) && read.length === 0",
  ),
  one("what was added up is exact", TOLD_BALANCES, "parts: shown.parts + reading.parts", "parts: 0"),
  one(
    "positions are not read again beside a balance that nothing explains",
    CURRENT,
    "const readAlso = isByPositions ?",
    'const readAlso = isByPositions && user === "" ?',
  ),
  one(
    "positions are not read again beside a balance that holds back too little",
    CURRENT,
    'doubt.kind !== "fills";',
    'doubt.kind !== "fills" && doubt.kind !== "held";',
  ),
  one(
    "margin that we have given moves no balance",
    BALANCE_MOVES,
    "return given.flatMap(({ dex,",
    "return given.slice(given.length).flatMap(({ dex,",
  ),
  one(
    "margin that we have given was held by the position by itself",
    ISOLATED_COLLATERAL,
    "filter(({ toMs }) => toMs < held.timeMs)",
    "filter(({ toMs }) => toMs < 0)",
  ),
  one(
    "margin of which nobody knows whether it was given moves a balance",
    "src/store/new-margins.ts",
    '        eq(operations.status, "succeeded"),\n',
    "",
  ),
  one(
    "positions of while margin was given are of before it",
    ISOLATED_COLLATERAL,
    "held.timeMs >= fromMs && held.timeMs <= toMs",
    "held.timeMs >= fromMs && held.timeMs < 0",
  ),
  one(
    "what orders of other hands hold back makes up for one of ours that is missing",
    HELD_BACK,
    "return isRead && isOfBeforeChange(",
    'return isRead && token === "" && isOfBeforeChange(',
  ),
  one(
    "of what was told to be held back only the last is remembered",
    TOLD_HOLDS,
    "[told, ...others].slice(0, MAX_KEPT)",
    "[told, ...others].slice(0, 1)",
  ),
  one(
    "of an order that is over nothing of before is held back",
    HELD_BACK,
    "if (lacking.length === 0) return null;",
    "if (all.every(({ token }) => !lacking.includes(token))) return null;",
  ),
  one(
    "what others hold as they did is taken for what was held before",
    HELD_BACK,
    "if (now === undefined || fits(own, now)) return false;",
    "if (now === undefined) return false;",
  ),
  one(
    "of changes of what is held back only the last is known",
    HELD_CHANGES,
    "...book.changes].slice(0, MAX_KEPT)",
    "...book.changes].slice(0, 1)",
  ),
  one(
    "a change of what is held back counts for ever",
    HELD_BACK,
    "change.atElapsedMs < sinceElapsedMs) return false;",
    "change.atElapsedMs < Math.min(sinceElapsedMs, 0)) return false;",
  ),
  one(
    "what an order has been filled was held until that was known",
    HELD_BACK,
    "each.atElapsedMs > fromMs)",
    "each.atElapsedMs > Math.min(fromMs, 0))",
  ),
  one(
    "what is filled of an order is a change of ours",
    HELD_CHANGES,
    "const isByFill = isSame && ",
    "const isByFill = !isSame && ",
  ),
  one(
    "what another hand has canceled is a change of ours",
    HELD_BACK,
    'listAttemptsOf(store, orderId).some(({ kind }) => kind === "cancel")',
    "listAttemptsOf(store, orderId).length > 0",
  ),
  one(
    "an order of another hand holds more once it is given a row",
    "src/store/orders.ts",
    "  noteTakenOver(store, order);\n",
    "",
  ),
  one(
    "what is ours by now was held by others all along",
    HELD_BACK,
    "subtract(subtract(each.hold, each.own), takenOverSince(ofToken, each))",
    "subtract(each.hold, each.own)",
  ),
  one(
    "what an earlier process has left open changes nothing when it ends",
    "src/settle/start-up.ts",
    "rememberHeld(world.store, listOpenOrders(world.store, id));",
    "rememberHeld(world.store, listOpenOrders(world.store, id).slice(0, 0));",
  ),
  one("an order that is given a row has held nothing before", HELD_BACK, "    if (change.isTakenOver) continue;\n", ""),
  one(
    "a stop is judged by a balance of before what was told",
    "src/actions/liquidation-facts.ts",
    'return doubt !== "before" && doubt !== "fills";',
    'return doubt !== "before" || account.id !== "";',
  ),
  one(
    "what is held while an order is on its way is of others",
    HELD_BACK,
    "missing === null && !isAnythingUnsettled(store, account.id))",
    "missing === null)",
  ),
  one(
    "a position of before a change of margin is of after it by its own time",
    MARGIN_EVIDENCE,
    "mayBe && !mayBeMoved && hasSettled(change, after)",
    "mayBe && !mayBeMoved && after.timeMs > change.endsAtMs",
  ),
  one(
    "a reading has every change of margin that is over by its own time",
    MARGIN_EVIDENCE,
    "last === null || hasSettled(last, read) ||",
    "last === null || read.timeMs > last.endsAtMs ||",
  ),
  one(
    "cash that another change of margin may have moved is this one's",
    MARGIN_EVIDENCE,
    'if (mayBeMoved && !mayBe) return "moved";',
    'if (mayBeMoved) return "moved";',
  ),
  one(
    "margin that another change may have moved did not move by this one",
    MARGIN_EVIDENCE,
    "mayBe && !mayBeMoved && hasSettled",
    "mayBe && hasSettled",
  ),
  one(
    "a change of margin that may not have run has run",
    MARGIN_EVIDENCE,
    "return isDone ? moves : [ZERO, ...moves];",
    "return moves;",
  ),
  one(
    "a reading that is not proven has all that was signed before it",
    MARGIN_EVIDENCE,
    '(before.isProven && signed === "before the reading")',
    'signed === "before the reading"',
  ),
  one(
    "what was traded since the last change of margin is waited for",
    MARGIN_EVIDENCE,
    "last.isDone ? cashBetween(last.before.reading, read.reading) !== null :",
    "last.isDone ? true :",
  ),
  one(
    "a reading is waited for that no answer can prove",
    MARGIN_EVIDENCE,
    "if (last === null || last.before?.isProven !== true) return false;",
    "if (last === null || last.before === null) return false;",
  ),
  one(
    "of more changes of margin than can be gone through some are taken for settled",
    MARGIN_EVIDENCE,
    "if (ways.size > MAX_WAYS) return null;",
    "if (ways.size > MAX_WAYS) break;",
  ),
  one(
    "a list of fills is whole that lacks one which was told",
    "src/store/short-of-fills.ts",
    "Math.min(wholeToMs, sentSinceMs(store, listUnkept(store, accountId)))",
    "wholeToMs",
  ),
  one(
    "fills that were read bear out a size although they lack one that was told",
    "src/settle/evidence/closed-size.ts",
    "sentSinceMs(world.store, listUnread(world.store, { accountId, read: fills })) > statusTimestampMs",
    "sentSinceMs(world.store, listUnread(world.store, { accountId, read: fills })) > 0 * statusTimestampMs - 1e15",
  ),
  one(
    "what was sent after an end speaks against the fills of before it",
    "src/settle/evidence/closed-size.ts",
    "listUnread(world.store, { accountId, read: fills })) > statusTimestampMs",
    "listUnread(world.store, { accountId, read: fills })) === Number.POSITIVE_INFINITY",
  ),
  one(
    "a stop that is left over is looked at by a clock that ran ahead",
    "src/actions/closed-by-others.ts",
    "      look.sinceMs = keptMoment(look.sinceMs, byNowMs);\n",
    "",
  ),
  one(
    "an order of elsewhere was there for as long as a clock ran ahead",
    "src/settle/evidence/vanished.ts",
    "if (known !== undefined) return asOfNow(world, known);",
    "if (known !== undefined) return known;",
  ),
];
