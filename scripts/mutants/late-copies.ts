/** What was refused at one door and executed by a copy: how it could be told wrongly, or forgotten. */
import { type Mutant, one } from "./mutant.ts";

const COPIES = "src/settle/copies/late-copies.ts";
const UNUSED = "src/store/unused-numbers.ts";
const CONTRADICTED = "src/write/contradicted.ts";
const STEPS = "src/core/trade-step.ts";
const FACTS = "src/settle/trade/trade-facts.ts";

export const LATE_COPIES: readonly Mutant[] = [
  one(
    "copies are looked for once",
    COPIES,
    "const PAUSES_MS = [2_500, 2_500, 5_000, 15_000, 30_000, 60_000] as const;",
    "const PAUSES_MS: readonly number[] = [];",
  ),
  one(
    "copies that cannot be asked for are asked for first, again and again",
    COPIES,
    ".sort((a, b) => a.dueElapsedMs - b.dueElapsedMs)",
    ".toSorted(() => 0)",
  ),
  one(
    "copies are looked for for ever",
    COPIES,
    "if (pauseMs === undefined && !isLast) inTransaction",
    "if (pauseMs === -1) inTransaction",
  ),
  one(
    "what a copy placed is told and not followed",
    "src/settle/record/record.ts",
    'if (leg.state === "absent" && next.state !== "rejected") pursueAgain',
    'if (leg.state === "absent" && next.state === "rejected") pursueAgain',
  ),
  one(
    "a modify that was refused at the door is refused for good",
    "src/settle/modify/modify.ts",
    "const said = asFarAsNamed(readPlaceReply(replacement, reply), reply);",
    "const said = readPlaceReply(replacement, reply);",
  ),
  one(
    "an order stays as it was while what was to replace it is looked up",
    "src/core/order-of-legs.ts",
    'newest !== deciding && newest.state === "lost"',
    'newest !== deciding && newest.state === "sent"',
  ),
  one(
    "the words of a TWAP's refusal are not kept",
    "src/settle/operation/operation.ts",
    'return reply.kind === "refused" ? { answerText: text } : {};',
    "return {};",
  ),
  one(
    "what a bot trades by a TWAP of a copy is in no books",
    "src/settle/operation/operation.ts",
    "    expectBotTwap(world.store, operationOf(world, attempt));\n",
    "",
  ),
  one(
    "a key repeats what the exchange has contradicted",
    CONTRADICTED,
    "if (!hasNote(store, told.id, OVERRULED)) return null;",
    "if (told.id !== null) return null;",
  ),
  one(
    "a modify's key repeats that it was not carried out",
    CONTRADICTED,
    "if (overruled !== null) return shownOrder",
    "if (overruled !== null && overruled.ordinal === 0) return shownOrder",
  ),
  one(
    "a modify's key tells its original once that is shown after a refusal, whatever the modify placed beside it",
    CONTRADICTED,
    "if (!hasNote(store, told.id, OVERRULED)) return null;",
    "if (!hasNote(store, record.resource.id, OVERRULED)) return null;",
  ),
  one(
    "a modify's key tells its original once that is shown otherwise, whatever the modify placed beside it",
    CONTRADICTED,
    "if (isShownOtherwise(store, told.id)) return",
    "if (isShownOtherwise(store, record.resource.id)) return",
  ),
  one(
    "a TWAP's key repeats that it was refused",
    CONTRADICTED,
    "return hasNote(store, resource.id, OVERRULED) ? ofOperation",
    "return hasNote(store, resource.id, ELSEWHERE) ? ofOperation",
  ),
  one(
    "a bot's copies are in no limit",
    "src/write/rails-facts.ts",
    "[...open, ...reserved, ...unused]",
    "[...open, ...reserved]",
  ),
  one("a copy counts as one that may not execute", UNUSED, '{ ...leg, state: "lost" }', "leg"),
  one(
    "a cancel-all leaves copies to come",
    "src/settle/cancel-all/asked-orders.ts",
    "[...live, ...behind, ...refused]",
    "[...live, ...behind]",
  ),
  one(
    "a cancel-all is done while a copy may come",
    "src/settle/cancel-all/canceler.ts",
    "unused.has(id) || !isGone(world, id)",
    "!isGone(world, id)",
  ),
  one(
    "a trade ends while a copy of its entry may come",
    STEPS,
    "return isEnd && taking.length > 0 ? taking",
    "return isEnd && taking.length > MAX_GUARDS ? taking",
  ),
  one(
    "what was refused before a night is waited for for ever",
    "src/settle/trade/trader.ts",
    "return endUnused(world, step.orderId);",
    "return undefined;",
  ),
  one(
    "the stop of an entry goes while a copy of it may be filled",
    FACTS,
    'return part.isNumberUnused && part.state === "over"',
    'return part.isNumberUnused && part.state === "working"',
  ),
  one(
    "a stop that is refused at the door is tried at once again",
    "src/core/order.ts",
    'return state === "rejected" || (state === "absent" && isExchangesWord);',
    'return state === "rejected" && isExchangesWord;',
  ),
  one(
    "a refused cancel ends while nobody knows what its order is",
    "src/settle/cancel/cancel.ts",
    "const isKnown = isShown && ",
    "const isKnown = ",
  ),
  one(
    "a lost closing order of a bot is left to be told by somebody",
    "src/settle/stop/flattener.ts",
    "    await settleLost(world, parts, { stop, account, out });\n",
    "",
  ),
  one(
    "what a feed told beside a list is no order from elsewhere, to a stop or to a cancel-all",
    "src/actions/cancel-outside.ts",
    "orders: [...listed, ...orders], unread",
    "orders: listed, unread: unread.slice(unread.length)",
  ),
  one(
    "a cancel-all is done beside what was told and nothing shows yet",
    "src/actions/adopt-outside.ts",
    "isWhole: !isUnread && ",
    "isWhole: (!isUnread || isUnread) && ",
  ),
  one(
    "what was given a row since a cancel-all was asked for is none of it",
    "src/actions/adopt-outside.ts",
    'import { isOfElsewhere } from "./of-elsewhere.ts";',
    'import { isWithoutRow as isOfElsewhere } from "./of-elsewhere.ts";',
  ),
  one(
    "a bot is told flat while a slice of its TWAP is not known",
    "src/settle/stop/flattener.ts",
    "return areKnown ? []",
    "return areKnown || account.id !== '' ? []",
  ),
  one(
    "what was told and has got a row meanwhile is not asked for",
    "src/actions/told-beside.ts",
    'import { isOfElsewhere } from "./of-elsewhere.ts";',
    'import { isWithoutRow as isOfElsewhere } from "./of-elsewhere.ts";',
  ),
  one(
    "a close of a market that was settled without a fill never ends",
    "src/settle/close/closer.ts",
    "nowMs - memory.againstSinceMs >= SETTLED_AFTER_MS",
    "nowMs - memory.againstSinceMs < 0",
  ),
  one(
    "what a TWAP that was canceled has bought last is no matter of a close",
    "src/settle/close/closer.ts",
    "  if (await isAwaitingTwap(world, parts, { close, account, memory })) return false;\n",
    "",
  ),
  one(
    "a close is flat where a TWAP of which not all fills are known was waited for in vain",
    "src/settle/close/closer.ts",
    "return unbooked === undefined ? null :",
    "return unbooked === undefined || true ? null :",
  ),
  one(
    "books that a close waits for are closed by nobody",
    "src/settle/close/closer.ts",
    "if (isUnbooked()) await endTwaps(account);",
    "if (!isUnbooked()) await endTwaps(account);",
  ),
  one(
    "a close believes a store that shows nothing against the known fills",
    "src/settle/close/closer.ts",
    "nowMs - memory.againstSinceMs >= SETTLED_AFTER_MS",
    "nowMs >= memory.againstSinceMs",
  ),
  one(
    "a close ended by what was shown for ten minutes is told as flat by its fills",
    "src/settle/close/closer.ts",
    'held.left === null ? "flat" : flatAgainst(held.left)',
    'held.left === null || flatAgainst(held.left) !== "" ? "flat" : ""',
  ),
  one(
    "a leverage or margin that was refused at the door is believed to be refused before it is told",
    "src/settle/operation/refused.ts",
    'kind === "leverage" || kind === "isolated_margin" || (kind === "twap" && !mayLeaveNumber(text))',
    '(kind === "leverage" || kind === "isolated_margin" || kind === "twap") && !mayLeaveNumber(text)',
  ),
  one(
    "a leverage or margin that was refused at the door is held against nothing afterwards",
    "src/store/unused-numbers.ts",
    'and(isNull(attempts.seal), inArray(attempts.kind, ["leverage", "isolated_margin"])),',
    "",
  ),
  one(
    "a copy of a long life is looked for no longer than one of a short",
    "src/settle/operation/late-refusals.ts",
    "Math.max(pause, shownByMs)",
    "Math.min(pause, Math.abs(shownByMs) + pause)",
  ),
  one(
    "an empty action is told by the word of another's number",
    "src/wire/answer/reply.ts",
    "named !== undefined && named !== String(nonce)",
    "named !== undefined && named === ''",
  ),
  one(
    "an order that is shown with our name and terms is another's until its number is known",
    "src/actions/of-elsewhere.ts",
    "return record === null || legShown({ store }, account, record) === null;",
    "return record !== undefined || legShown({ store }, account, record) === null;",
  ),
  one(
    "a close whose position can never be read never ends",
    "src/settle/close/closer.ts",
    "nowMs - memory.unreadSinceMs >= UNREAD_MS",
    "nowMs - memory.unreadSinceMs < 0",
  ),
  one(
    "a close gives up on a position that was read within the day",
    "src/settle/close/closer.ts",
    "held === null ? (memory.unreadSinceMs ?? nowMs) : null",
    "memory.unreadSinceMs ?? nowMs",
  ),
  one(
    "an order that was shown in part before a copy was turned away is answered as it stands",
    "src/settle/place/place.ts",
    "    if (isOfAnotherCopy(event, order)) {\n",
    "    if (order === null) {\n",
  ),
];
