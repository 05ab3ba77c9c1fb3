import { type Mutant, one } from "./mutant.ts";

const BALANCES_BEFORE = "src/settle/evidence/balances-before.ts";
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
  one(
    "balances of before a fill that was told are shown",
    "src/actions/current.ts",
    " || wanted.isBefore?.(known.value) === true",
    "",
  ),
  one(
    "balances from which a round trip began are taken for those of before it",
    BALANCES_BEFORE,
    "if (end === null || compare(total, end) === 0) return false;",
    "if (end === null) return false;",
  ),
  one(
    "a balance that pays in another market is held against the fills of its own",
    BALANCES_BEFORE,
    "if (token === undefined || paying.has(token)) return false;",
    "if (token === undefined) return false;",
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
    "isToEnd ||= isJoined(wholeToMs, newest);",
    "isToEnd ||= newest.length < 0;",
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
    "return Math.min(wholeAtMost(store, accountId), shortSinceMs(store, accountId));",
    "return shortSinceMs(store, accountId);",
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
    "the number in an answer is believed against a history of TWAPs that is some seconds behind",
    "src/settle/operation/twap.ts",
    "(mayBeBehind || pursuit.looks",
    "(pursuit.looks",
  ),
  one(
    "balances of before an order of ours are shown",
    "src/actions/current.ts",
    "areBeforeFills(deps, account.id, balances) || areBeforeWrites(deps, account, { mode, balances })",
    "areBeforeFills(deps, account.id, balances)",
  ),
  one(
    "what a perpetual pays comes out of balances that nothing shares",
    BEFORE_WRITES,
    "isShared && compare",
    "compare",
  ),
  one(
    "a fill that pays nothing moves what it would pay in",
    BEFORE_WRITES,
    "isShared && compare(realizedPnl, fee) !== 0 ?",
    "isShared ?",
  ),
  one(
    "what an order holds back is not missed",
    BEFORE_WRITES,
    "compare(hold, least) < 0 && isOfBefore",
    "compare(hold, least) > 1 && isOfBefore",
  ),
  one(
    "less is held back than an order did, and it has been traded since",
    BEFORE_WRITES,
    "compare(hold, least) < 0 && isOfBefore({ token, atMs })",
    "compare(hold, least) < 0",
  ),
  one(
    "of an order without fills what it trades has not moved",
    BEFORE_WRITES,
    "return [isIndexed || isSoldOut ? undefined : base, quote];",
    "return [quote];",
  ),
  one(
    "a total is taken to be shown since it was shown last",
    "src/exchange/shown-totals.ts",
    "if (!firstMs.has(name)) firstMs.set(name, atMs);",
    "firstMs.set(name, atMs);",
  ),
  one(
    "a sample beside a transfer makes a profit",
    "src/actions/list-equity.ts",
    "    if (isBeside(open) || isBeside(close)) return null;\n",
    "",
  ),
];
