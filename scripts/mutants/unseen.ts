import { type Mutant, one } from "./mutant.ts";

const SEND = "src/settle/send/send.ts";
const SEAL = "src/settle/send/seal.ts";
const CANCELER = "src/settle/cancel-all/canceler.ts";

/** Bugs of one line that were planted by hand and that no row had seen. */
export const UNSEEN: readonly Mutant[] = [
  one(
    "a cancel-all is done before the orders of elsewhere were read",
    CANCELER,
    "row === null || isOutsideDue(row) ||",
    "row === null ||",
  ),
  one(
    "a cancel-all is done before what a lost machine had signed is known",
    CANCELER,
    " || awaitsTakeUp(store, account.id)) return false;",
    ") return false;",
  ),
  one(
    "an empty action is signed on a number that is known to be taken",
    SEAL,
    "if (now === null || now.seal !== null) return null;",
    "if (now === null) return null;",
  ),
  one(
    "empty actions take the actions that orders could have",
    SEAL,
    " || !hasActionsLeft(world, attempt)) return attempt;",
    ") return attempt;",
  ),
  one(
    "an empty action is weighed by the row of before it was counted",
    SEAL,
    "sealByNoop(now, answer",
    "sealByNoop(attempt, answer",
  ),
  one(
    "a number is free after a server's error",
    SEND,
    'result.reply.reason === "no_answer" || result.reply.reason === "server_error"',
    'result.reply.reason === "no_answer"',
  ),
  one(
    "an action leaves that can only arrive to be refused",
    SEND,
    ">= world.settings.timings.actionLifeMs / 2;",
    ">= 0;",
  ),
  one(
    "a TWAP whose first slice came after the take-up is somebody else's",
    "src/store/unproven-twaps.ts",
    "takeUp.takenUpAtMs + SHOWN_WITHIN_MS",
    "takeUp.takenUpAtMs",
  ),
  one(
    "a fill that began from nothing in another market ends the question",
    "src/store/unproven-twaps.ts",
    "eq(fills.accountId, accountId), eq(fills.market, market), gte",
    "eq(fills.accountId, accountId), gte",
  ),
  one(
    "our own TWAPs are nobody's after a restore",
    "src/store/unproven-twaps.ts",
    "ids.filter((id) => !ours.has(id))",
    "ids.filter(() => ours !== null)",
  ),
  one(
    "what a TWAP of nobody sold was bought",
    "src/store/unproven-twaps.ts",
    'sells: sizeOf(all, "sell"),',
    "sells: ZERO,",
  ),
  one(
    "of a bot's grants only the newest says whether it could ask for TWAPs",
    "src/store/unproven-twaps.ts",
    "listBotGrants(store, accountId, bot).some(",
    "listBotGrants(store, accountId, bot).slice(0, 1).some(",
  ),
  one(
    "of what a TWAP of nobody bought one slice counts",
    "src/store/unproven-twaps.ts",
    "return all.reduce((sum, fill) => (fill.side === side ? add(sum, fill.size) : sum), ZERO);",
    "return all.reduce((sum, fill) => (fill.side === side ? fill.size : sum), ZERO);",
  ),
  one(
    "the first slice is taken for the last",
    "src/store/unproven-twaps.ts",
    "lastAtMs: Math.max(",
    "lastAtMs: Math.min(",
  ),
  one(
    "a fill at the moment of the last slice that began from nothing is of after it",
    "src/store/unproven-twaps.ts",
    "gte(fills.timeMs, lastAtMs + 1)",
    "gte(fills.timeMs, lastAtMs)",
  ),
  one(
    "what a TWAP of nobody sold makes a bot longer",
    "src/core/rails/judge.ts",
    "low: subtract(own.low, unproven.sells), high: add(own.high, unproven.buys)",
    "low: subtract(own.low, unproven.buys), high: add(own.high, unproven.sells)",
  ),
  one(
    "what a TWAP of nobody sold may be no bot's",
    "src/core/rails/judge.ts",
    "low: subtract(own.low, unproven.sells), high",
    "low: own.low, high",
  ),
  one(
    "elsewhere a TWAP of nobody counts nothing",
    "src/core/rails/judge.ts",
    "const net = netRange(mostOf(facts, market), facts.accountOf(market));",
    "const net = netRange(facts.ownOf(market), facts.accountOf(market));",
  ),
  one(
    "refused actions of one account are another's",
    "src/store/refused-book.ts",
    "bookOf(store).get(accountId)",
    "[...bookOf(store).values()][0]",
  ),
  one(
    "slices of a TWAP meet nobody's protection",
    "src/core/rails/reductions.ts",
    "if (leg.price === null || other.price === null) return true;",
    "if (leg.price === null || other.price === null) return false;",
  ),
  one(
    "exposure of what is held elsewhere is left out where all that is out is here",
    "src/core/rails/judge.ts",
    "return isAllThere ? held :",
    "return isAllThere ? [] :",
  ),
  one(
    "a slower change of ours from before has replaced nothing",
    "src/settle/operation/leverage.ts",
    "otherEndsAtMs >= expiresAtMs - 2 * settings.timings.actionLifeMs",
    "otherEndsAtMs >= expiresAtMs",
  ),
  one(
    "another bot's orders keep an idle reduction",
    "src/core/rails/idle-reduction.ts",
    "leg.bot === bot && leg.market === market && leg.side !== side",
    "leg.market === market && leg.side !== side",
  ),
  one(
    "a bound of loss is told where a dex of markets is named",
    "src/core/rails/loss-bound.ts",
    ' || markets.some((name) => name.endsWith("*"))',
    "",
  ),
  one(
    "a narrowing loosens whose orders a key may touch",
    "src/core/rails/narrow.ts",
    'by.touches === "own" ? "own" : rails.touches',
    "by.touches ?? rails.touches",
  ),
  one(
    "more was filled than an order asked for, and fits it",
    "src/settle/fills/fill-fits.ts",
    "isFitting && compare(sumFills(ofOne).size, asked.leg.size) <= 0 ?",
    "isFitting ?",
  ),
  one(
    "a full page of fills is all of them",
    "src/settle/look/sweep.ts",
    "firstFills.length < world.settings.fillsPageRows",
    "firstFills.length <= world.settings.fillsPageRows",
  ),
  one(
    "fills of two orders under one number are one",
    "src/settle/fills/fill-pages.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it stands so in the file
    "`${fill.timeMs}-${fill.coin}-${fill.tid}-${fill.oid}`",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it stands so in the file
    "`${fill.timeMs}-${fill.tid}`",
  ),
  one(
    "what one reading showed first stands against what a later one shows",
    "src/settle/restore/own-orders.ts",
    "const swept = seen.at(-1);",
    "const swept = seen[0];",
  ),
  one(
    "what is over since the backup is not looked for in the history",
    "src/settle/restore/own-orders.ts",
    "[...open, ...history.map(({ order }) => order), ...fills]",
    "[...open, ...fills]",
  ),
  one(
    "an order found after a restore is as old as the world",
    "src/settle/restore/own-orders.ts",
    "createdAtMs: mintedAtMs(id),",
    "createdAtMs: 0,",
  ),
  one(
    "of two bots that share a mark the first has it",
    "src/settle/restore/whose.ts",
    "only === undefined || others.length > 0 ?",
    "only === undefined ?",
  ),
  one(
    "a mark of no bot is one that nobody knows",
    "src/settle/restore/whose.ts",
    'const all: Whose[] = [{ kind: "nobody" }, ...known];',
    "const all: Whose[] = [...known];",
  ),
  one(
    "who is granted a key after a restore is not given what was found",
    "src/settle/restore/whose.ts",
    'if (found.kind === "bot") giveOrder(',
    'if (found.kind === "nobody" as string && found.kind === "bot") giveOrder(',
  ),
  one(
    "what was given to a bot is not among what is out",
    "src/store/given-orders.ts",
    "  touchOpenLegs(store, id);\n",
    "",
  ),
  one(
    "what was given to a bot is not its reduction",
    "src/store/given-orders.ts",
    "  noteReducing(store, order);\n",
    "",
  ),
  one(
    "what was found after a restore is given in any order",
    "src/store/given-orders.ts",
    "    .orderBy(orders.id)\n",
    "",
  ),
  one(
    "of another account's finds a bot is given its own",
    "src/store/given-orders.ts",
    "and(isOfAccount, isNull(orders.keyHash))",
    "isNull(orders.keyHash)",
  ),
  one(
    "orders of other machines are taken for our own after a restore",
    "src/settle/restore/own-orders.ts",
    "return uuid !== null && carriesTag(uuid, instance.tag);",
    "return uuid !== null;",
  ),
  one(
    "orders found after a restore are booked from the last to the first",
    "src/settle/restore/own-orders.ts",
    "(a.cloid < b.cloid ? -1 : 1)",
    "(a.cloid < b.cloid ? 1 : -1)",
  ),
  one(
    "a beat keeps the grace of the last start",
    "src/settle/stop/heartbeats.ts",
    "graceAtMs: null,\n      missedAtMs",
    "graceAtMs: before?.graceAtMs ?? null,\n      missedAtMs",
  ),
  one(
    "silence that could not be written down is forgotten",
    "src/settle/stop/heartbeats.ts",
    "      const missed = missHeartbeat(world, heartbeat);\n      listened.delete(name);",
    "      listened.delete(name);\n      const missed = missHeartbeat(world, heartbeat);",
  ),
  one(
    "a missed heartbeat forgets its stop at the next beat",
    "src/settle/stop/heartbeats.ts",
    "stopId: before?.stopId ?? null",
    "stopId: null",
  ),
  one(
    "a flattening goes further than its bot's grant lets it",
    "src/settle/stop/close-markets.ts",
    "maxDistance: distanceOf(world, stop)",
    "maxDistance: null",
  ),
  one(
    "some markets that are left end a flattening of all",
    "src/settle/stop/flattener.ts",
    "const isAllLeft = isKnown && left.length === held.size;",
    "const isAllLeft = isKnown && left.length > 0;",
  ),
  one(
    "what a TWAP of nobody sold counts as bought",
    "src/core/flatten.ts",
    "isNegative(position) ? subtract(ownNet, sells) : add(ownNet, buys)",
    "isNegative(position) ? subtract(ownNet, buys) : add(ownNet, sells)",
  ),
  one(
    "what is unproven is told with what the books hold",
    "src/core/flatten.ts",
    "return subtract(closableOf(position, most), closableOf(position, ownNet));",
    "return closableOf(position, most);",
  ),
  one(
    "an increase is valued by an old mark",
    "src/write/rails-facts.ts",
    "if (known === null || known.ageMs > maxAgeMs) return null;\n  const { mark",
    "if (known === null) return null;\n  const { mark",
  ),
];
