import { type Mutant, one } from "./mutant.ts";

const BALANCES_BEFORE = "src/settle/evidence/balances-before.ts";
const TOLD_POSITION = "src/core/told-position.ts";
const POSITIONS_BEFORE = "src/settle/evidence/positions-before.ts";
const OWN_WRITES = "src/actions/own-writes.ts";
const CURRENT = "src/actions/current.ts";
const TOLD_BALANCES = "src/core/told-balances.ts";
const BALANCE_MOVES = "src/settle/evidence/balance-moves.ts";
const HELD_BACK = "src/settle/evidence/held-back.ts";
const BEFORE_WRITES = "src/settle/evidence/balances-before-writes.ts";
const FILL_PAGES = "src/settle/fills/fill-pages.ts";

/** Bugs in what balances and pages of fills are taken for. */
export const READ_TRUE: readonly Mutant[] = [
  one(
    "a state that lacks a position which its sum has is read",
    "src/wire/answer/account.ts",
    "    if (!isWhole(state)) throw",
    "    if (state === null) throw",
  ),
  {
    name: "balances of before a fill that was told are shown",
    changes: [
      { file: CURRENT, find: " || wanted.isBefore?.(known.value, known) === true", put: "" },
      {
        file: CURRENT,
        find: "return isBefore?.(value, { timeMs, askedAtMs, heard: null }) === true;",
        put: "return false;",
      },
    ],
  },
  one(
    "balances from which a round trip began are taken for those of before it",
    BALANCES_BEFORE,
    "if (end === null || compare(total, end) === 0) return false;",
    "if (end === null) return false;",
  ),
  one(
    "a balance that pays in another market is held against the fills of its own",
    BALANCES_BEFORE,
    "token === undefined || paying.has(token) ? []",
    "token === undefined ? []",
  ),
  one(
    "an exchange's time that is set right by more than five seconds leaves what happened where it was",
    OWN_WRITES,
    "(mendMs <= CLOCK_MEND_MS || isBorneOut)",
    "mendMs <= CLOCK_MEND_MS",
  ),
  one(
    "what happened before a machine slept is of after it",
    OWN_WRITES,
    "const isBorneOut = Math.abs(aheadMs - mendMs) < CLOCK_STEP_MS;",
    "const isBorneOut = true;",
  ),
  one(
    "positions of before a fill that was told are of now by their own time",
    TOLD_POSITION,
    'if (former.some(isJust(size))) return "before";',
    "",
  ),
  one(
    "positions from which a round trip began are taken for those of before it",
    TOLD_POSITION,
    "if (atTheEnd !== null) return atTheEnd;",
    "",
  ),
  one(
    "an order of which fills lack is taken to have come after every fill that is kept",
    TOLD_POSITION,
    "return { at: end.size, moves: since.map(notKeptOf), unclear: unclear.map(notKeptOf) };",
    "return { at: end.size, moves: since.concat(unclear).map(notKeptOf), unclear: [] };",
  ),
  one(
    "where it is not clear which of two came first nothing is of before both",
    TOLD_POSITION,
    "if (unclear.length > MAX_UNCLEAR) return null;",
    "if (unclear.length > 0) return null;",
  ),
  one(
    "what was read while an order was under way is taken to lack it",
    TOLD_POSITION,
    "const isClear = orders.every((order) => since.includes(order) || isHeld(order));",
    "const isClear = isHeld !== undefined;",
  ),
  one(
    "an order that was found later is taken to have been sent later",
    TOLD_POSITION,
    "sentAtMs !== null && sentAtMs >= shown.askedAtMs;",
    "sentAtMs !== shown.askedAtMs;",
  ),
  one(
    "what was read before a newer fill tells where the position stands",
    TOLD_POSITION,
    "if (earlier.timeMs <= endMs || earlier.keptToMs < endMs) break;",
    "",
  ),
  one(
    "a position is of before orders that no server is behind",
    TOLD_POSITION,
    "return toldAtMs >= sinceMs && toldAtMs <= untilMs;",
    "return toldAtMs <= untilMs;",
  ),
  one(
    "a position is of before what was told after the time that it bears",
    TOLD_POSITION,
    "return toldAtMs >= sinceMs && toldAtMs <= untilMs;",
    "return toldAtMs >= sinceMs && toldAtMs <= untilMs + 60_000;",
  ),
  one(
    "what a reading has to hold of the next one is forgotten",
    POSITIONS_BEFORE,
    "  noteRead(deps, of, value, askedAtMs);\n",
    "",
  ),
  one(
    "what a client has read is forgotten by the next reading",
    CURRENT,
    "  onTaken?.(value, askedAtMs);\n",
    "  if (value === null) onTaken?.(value, askedAtMs);\n",
  ),
  one(
    "an order of ours is of the moment that our wall clock said, which was set since",
    "src/store/new-orders.ts",
    "momentsOf(store, cloidOf(id)).sentElapsedMs ?? elapsedMs",
    "elapsedMs",
  ),
  one(
    "only what our wall clock calls new is looked at",
    "src/store/new-orders.ts",
    "or(isSentSince, isOfBefore)",
    "isOfBefore",
  ),
  one(
    "a flattening ends by positions of before a fill that was told",
    "src/actions/worker-parts.ts",
    'holdsTold: moment === "now" && isAfter,',
    "holdsTold: isAfter,",
  ),
  one(
    "a trade is begun, and its stop judged, by positions of before a fill that was told",
    "src/actions/liquidation-facts.ts",
    'isOfNow: (read) => takeOrAskFills(deps, { account, dex }, read) === "now",',
    'isOfNow: (read) => takeOrAskFills(deps, { account, dex }, read) === "now" || dex === "",',
  ),
  one(
    "when an order was sent is told by a clock that was set since",
    POSITIONS_BEFORE,
    "sentElapsedMs === null ? byWall : times.ofMonotonic(sentElapsedMs)",
    "sentElapsedMs === null || byWall !== null ? byWall : times.ofMonotonic(sentElapsedMs)",
  ),
  one(
    "when a fill was told is told by a clock that was set since",
    POSITIONS_BEFORE,
    "filledElapsedMs === null\n",
    "filledElapsedMs === null || seenAtMs !== null\n",
  ),
  one(
    "what was told between two steps of our clock is dated by the second",
    OWN_WRITES,
    "Math.max(offsetMs, toldOffsets.get(id) ?? offsetMs)",
    "Math.min(offsetMs, 0)",
  ),
  one(
    "what was just filled is dated by a clock that may be set",
    "src/store/bots.ts",
    "elapsedMs === null ? {",
    "elapsedMs === null || wallMs > 0 ? {",
  ),
  one(
    "a bot is judged by a position of before a fill that was told",
    POSITIONS_BEFORE,
    'if (moment !== "now") return moment;',
    'if (moment !== "now") deps.exchange.nowMs();',
  ),
  one(
    "a position that was moved back waits for the next reading of the fills",
    CURRENT,
    "if (taken === null) wanted.onBefore?.();",
    "",
  ),
  one(
    "fills are read with each question while positions are doubted",
    "src/settle/fills/read-soon.ts",
    "if (last !== undefined && sinceMs < (isNews ? Math.min(last.gapMs, NEWS_GAP_MS) : last.gapMs)) return;",
    "",
  ),
  one("a balance is of before fills that no server is behind", BALANCES_BEFORE, "exchange.nowMs() - BEHIND_MS", "0"),
  one(
    "a full page of fills is taken for the oldest of what was asked for",
    FILL_PAGES,
    "if (firstMs <= startTime) break;",
    "if (firstMs >= startTime) break;",
  ),
  one(
    "a full page of one millisecond is asked for a second time from the same end",
    FILL_PAGES,
    "? firstMs - 1 : firstMs;",
    "? firstMs : firstMs;",
  ),
  one(
    "of the last page of fills nothing may be asked that lies before it",
    FILL_PAGES,
    "asked.maxPages - page + 1;",
    "asked.maxPages - page;",
  ),
  one(
    "fills of more pages than one question reads are all that there are",
    FILL_PAGES,
    'read === "failed" || !read.isToEnd ?',
    'read === "failed" ?',
  ),
  one(
    "a newest page that begins within the others is none of them",
    FILL_PAGES,
    "const isWhole = isEnd || isJoined(wholeToMs, newest);",
    "const isWhole = isEnd;",
  ),
  one(
    "pages of fills that end before a close are a quiet account",
    "src/settle/evidence/closed-size.ts",
    'isShort && word === "unknown" ?',
    'isShort && word === "behind" ?',
  ),
  one(
    "of a millisecond with more fills than can be read none are missing",
    "src/store/short-of-fills.ts",
    "return Math.min(wholeAtMost(store, accountId), sentSinceMs(store, listShort(store, accountId)));",
    "return sentSinceMs(store, listShort(store, accountId));",
  ),
  one(
    "two ends of a millisecond that do not meet are all of it",
    FILL_PAGES,
    "return both.length > 0 && !isFirstAgain;",
    "return !isFirstAgain;",
  ),
  one(
    "the first page of a millisecond, given again for its other end, is all of it",
    FILL_PAGES,
    "return both.length > 0 && !isFirstAgain;",
    "return both.length > 0;",
  ),
  one(
    "a backup that has changed since it was written is restored",
    "src/ops/restore.ts",
    "if (!isChangedAllowed) requireUnchanged",
    "if (isChangedAllowed) requireUnchanged",
  ),
  one(
    "the digest of a backup does not look at its rows",
    "src/store/snapshot-digests.ts",
    "for (const row of rows.iterate()) hash",
    "for (const row of [...rows.iterate()].slice(0, 0)) hash",
  ),
  one(
    "a millisecond of which some fills may lack is told of the account alone",
    "src/store/fill-holes.ts",
    "for (const resourceId of [accountId, ...orderIds])",
    "for (const resourceId of timeMs < 0 ? orderIds : [accountId])",
  ),
  one(
    "what lies before a full page of fills is read on as if it were new",
    FILL_PAGES,
    "if (before.length === 0) break;",
    "if (before.length < 0) break;",
  ),
  one(
    "what the connection said of an action is told as the exchange's words",
    "src/wire/answer/reply.ts",
    'return reply.reason === "no_answer" ? null : reply.text;',
    "return reply.text;",
  ),
  one(
    "balances of before an order of ours are shown",
    BEFORE_WRITES,
    "if (universe === null) return null;\n  const among",
    "if (universe === null || shown.timeMs > 0) return null;\n  const among",
  ),
  one(
    "balances that nothing explains are taken for those of now",
    BEFORE_WRITES,
    'return word === "unclear" && !isBlind() ? { kind: "moved" } : null;',
    "return null;",
  ),
  one(
    "what was told to be filled, and is not listed, has moved nothing",
    BEFORE_WRITES,
    'if (isRead && isUnlisted) return { kind: "fills" };',
    "",
  ),
  one(
    "what a feed tells has to be explained",
    BEFORE_WRITES,
    "if (!isRead) return null;",
    "if (!isRead && isUnlisted) return null;",
  ),
  one(
    "nobody asks what else has moved balances",
    CURRENT,
    'if (doubt.kind === "moved") ledgerIndex.readSoon(account);',
    "",
  ),
  one(
    "nobody asks what has become of an order whose money is not held back",
    CURRENT,
    'if (doubt.kind === "held") for',
    'if (doubt.kind === "held" && account.id === "") for',
  ),
  one(
    "of two readings that fit, one that lacks something is not heeded",
    TOLD_BALANCES,
    "found.every((place) => place < needed)",
    "found.length === 0 && needed === 0",
  ),
  one(
    "balances that may be of before or of now are of now",
    TOLD_BALANCES,
    "found.every((place) => place >= needed)",
    "found.some((place) => place >= needed)",
  ),
  one("the exchange rounds nothing", TOLD_BALANCES, "const ROUNDED = 200n;", "const ROUNDED = 0n;"),
  one(
    "what a perpetual pays comes out of balances that nothing shares",
    BALANCE_MOVES,
    "return isShared ? [moved(feeToken, subtract(realizedPnl, fee))] : [];",
    "return [moved(feeToken, subtract(realizedPnl, fee))];",
  ),
  one(
    "a fill that pays nothing moves what it would pay in",
    BALANCE_MOVES,
    "if (sum !== null && isZero(sum)) sums.delete(token);",
    "if (sum === null) sums.set(token, sum);",
  ),
  one("what an order holds back is not missed", HELD_BACK, ", least) < 0;", ", least) < -1;"),
  one(
    "less is held back than an order did, and it has been traded since",
    HELD_BACK,
    "return isRead || stoodBefore(",
    'return isRead || account.id !== "" || stoodBefore(',
  ),
  one(
    "the margin of positions stands for what orders hold back",
    HELD_BACK,
    'const margin = isRead && shown.mode === "unified" ? marginIn(world, account, token) : ZERO;',
    "const margin = ZERO;",
  ),
  one(
    "of an order without fills what it trades has not moved",
    BEFORE_WRITES,
    "const tokens = isSpot(market) ? tokensOf(universe, market) : native;",
    "const tokens = native;",
  ),
  one(
    "what is shown again is taken to be shown since then",
    "src/store/shown-balances.ts",
    "same === undefined ? shown : { ...same,",
    "same === undefined ? shown : { ...shown,",
  ),
  one(
    "a balance at which a fill ended that is not the last is of after the last",
    BALANCES_BEFORE,
    "newest.startPosition !== total && !others.some(isThere)",
    "newest.startPosition !== total && others.length >= 0",
  ),
  one(
    "a bot is judged by a position of before what was told to be filled by hand",
    "src/settle/fills/index-fills.ts",
    "    noteElsewhere(world, added);\n",
    "",
  ),
  one(
    "what an order of ours was filled moves a position twice",
    "src/settle/fills/index-fills.ts",
    "if (!isNew || findLegByOid(store, accountId, oid) !== null || ",
    "if (!isNew || ",
  ),
  one(
    "a sample is kept of which one part is of before a fill and another of after it",
    "src/actions/sample-equity.ts",
    "return newFills(deps, account) === knownBefore;",
    "return knownBefore.length > 0;",
  ),
  one(
    "a sample beside a transfer makes a profit",
    "src/actions/list-equity.ts",
    "    if (isBeside(open) || isBeside(close)) return null;\n",
    "",
  ),
];
