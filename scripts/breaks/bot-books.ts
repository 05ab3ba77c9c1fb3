import { type Break, inFile } from "./break.ts";

function inBooks(name: string, changes: Break["changes"]): Break {
  const seenBy = {
    test: "test/store/written-last.test.ts",
    title: "after any works, shown or taken back, books and rows",
  };
  return { row: "S54", name, changes, seenBy };
}

const BOOKS = "src/store/bot-books.ts";
const DOUBTS = "test/http/bot-doubts.test.ts";
const SET_APART = "what a modify has placed beside an order that was over counts with what is filled of it";

/** Ways to lose what a bot has done between two works and the end of their transaction. */
export const BOT_BOOKS_BREAKS: readonly Break[] = [
  inBooks(
    "what a commit has to write last is not written",
    inFile(
      "src/store/commit.ts",
      "    writeLast(store);\n    sealChanges(store);",
      "    void writeLast;\n    sealChanges(store);",
    ),
  ),
  inBooks(
    "what was taken back is booked with the next",
    inFile(
      "src/store/commit-queue.ts",
      "    dropLast(store);\n    forgetTakenBack(store);",
      "    void dropLast;\n    forgetTakenBack(store);",
    ),
  ),
  inBooks(
    "what others of a batch have booked is taken back with one",
    inFile(
      "src/store/commit-queue.ts",
      '  writeLast(store);\n  client.run("SAVEPOINT',
      '  void writeLast;\n  client.run("SAVEPOINT',
    ),
  ),
  inBooks(
    "what is not written yet is not read",
    inFile(
      BOOKS,
      "  writeLast(store);\n  const row = newestOf(store)",
      "  void writeLast;\n  const row = newestOf(store)",
    ),
  ),
  inBooks(
    "a new day begins with nothing held",
    inFile(BOOKS, "  if (day > book.newest.day) book.newest.day = day;", "  void book.newest;"),
  ),
  inBooks(
    "what is held is written to whichever day was changed last",
    inFile(BOOKS, "  if (day > book.newest.day) book.newest.day = day;", "  book.newest.day = day;"),
  ),
  {
    row: "S54",
    name: "what is filled beside an order that was over is in no books",
    changes: inFile(
      "src/store/open-legs.ts",
      "  if (isTargetClosed || isZero(leg.filledSize)) return leg.filledSize;\n",
      "  if (isTargetClosed || isZero(leg.filledSize)) return ZERO;\n",
    ),
    seenBy: { test: "test/store/open-legs.test.ts", title: SET_APART },
  },
  {
    row: "S54",
    name: "what is filled of a replacement is in no books until its modify is settled",
    changes: inFile(
      "src/store/open-legs.ts",
      "  return smaller(leg.filledSize, larger(subtract(filled, booked), ZERO));\n",
      "  return subtract(smaller(filled, booked), smaller(filled, booked));\n",
    ),
    seenBy: {
      test: "test/store/open-legs.test.ts",
      title: "what a modify's replacement is filled counts until it stands in books: %s",
    },
  },
  {
    row: "S54",
    name: "what increases against what is held has not begun the other side",
    changes: inFile("src/core/rails/bot-net.ts", "smaller(longSold, reducing.sells)", "smaller(ZERO, reducing.sells)"),
    seenBy: {
      test: "test/http/bot-doubts.test.ts",
      title: "while what was to close it may have come before a sale, the sale may have made it short",
    },
  },
  {
    row: "S54",
    name: "every sale against what is held is in doubt",
    changes: inFile(
      "src/store/bot-doubt-rows.ts",
      "isZero(shortBought)) && reductionsOut(booked.side).length > 0",
      "isZero(shortBought))",
    ),
    seenBy: {
      test: "test/http/bot-doubts.test.ts",
      title: "a sale against what is held is in no doubt where nothing that reduces is out on its side",
    },
  },
  {
    row: "S54",
    name: "a sale is in doubt no more while what was to close it before is out",
    changes: inFile("src/store/bot-doubts.ts", "isInDoubt(doubt, leg)", "!leg.canOnlyReduce"),
    seenBy: {
      test: "test/http/bot-doubts.test.ts",
      title: "while what was to close it may have come before a sale, the sale may have made it short",
    },
  },
  {
    row: "S54",
    name: "what reduced an entry that is told later counts as another's for good",
    changes: inFile("src/write/rails-facts.ts", "doubts.get(market) ?? null,", "null,"),
    seenBy: {
      test: DOUBTS,
      title: "a sale is judged as if what was reduced had been the bot's own, until that is known",
    },
  },
  {
    row: "S54",
    name: "which of two fills came first goes by which was told first",
    changes: inFile("src/core/rails/bot-net.ts", "a.timeMs - b.timeMs ||", "0 * (a.timeMs - b.timeMs) ||"),
    seenBy: { test: DOUBTS, title: "by the exchange's times, where %s" },
  },
  {
    row: "S54",
    name: "it is settled while an outcome is not known",
    changes: inFile("src/store/bot-doubts.ts", "  if (open.some((leg) => isUnknown(store, leg))) return;\n", ""),
    seenBy: { test: DOUBTS, title: "while the entry is not known, or the fills are not all there, both stay possible" },
  },
  {
    row: "S54",
    name: "it is settled by the fills that happen to be indexed",
    changes: inFile("src/store/bot-doubts.ts", "order.filledSize ?? ZERO) === 0;", "order.filledSize ?? ZERO) <= 0;"),
    seenBy: { test: DOUBTS, title: "while the entry is not known, or the fills are not all there, both stay possible" },
  },
  {
    row: "S54",
    name: "what was filled before it was told is not looked at",
    changes: inFile("src/store/bot-doubts.ts", "doubt.sinceMs - TOLD_WITHIN_MS", "doubt.sinceMs + TOLD_WITHIN_MS"),
    seenBy: { test: DOUBTS, title: "a sale that was told first is booked by the exchange's times, where %s" },
  },
  {
    row: "S54",
    name: "what closed another's is a bot's own before anything on the other side was filled",
    changes: inFile(
      "src/core/rails/bot-net.ts",
      "smaller(doubt.boughtBeyond, add(doubt.soldSince, shortBought))",
      "larger(doubt.boughtBeyond, add(doubt.soldSince, shortBought))",
    ),
    seenBy: { test: "test/core/rails/net-in-doubt.test.ts", title: "where %s" },
  },
  {
    row: "S54",
    name: "what is bought after that is not counted",
    changes: inFile(
      "src/store/bot-doubt-rows.ts",
      "boughtSince: isPurchase ? larger(add(boughtSince, size), ZERO) : boughtSince,",
      "boughtSince: isPurchase ? larger(boughtSince, ZERO) : boughtSince,",
    ),
    seenBy: {
      test: DOUBTS,
      title: "a sale is judged as if what was reduced had been the bot's own, until that is known",
    },
  },
  {
    row: "S54",
    name: "what a trade has read of the account is not kept for its rails",
    changes: inFile(
      "src/actions/liquidation-facts.ts",
      "dex: market.dex, value }, { timeMs: value.timeMs",
      "dex: market.dex, value }, { timeMs: 0 * value.timeMs",
    ),
    seenBy: { test: "test/rails-seeds/rails-seeds.test.ts", title: "a run in which %s keeps to its rails" },
  },
  {
    row: "S54",
    name: "what was out while something was bought has closed it",
    changes: inFile(
      "src/core/rails/bot-net.ts",
      "smaller(doubt.openedLong, doubt.closedLong)",
      "smaller(ZERO, doubt.closedLong)",
    ),
    seenBy: { test: DOUBTS, title: "what reduces may have closed another's before the bot bought anything" },
  },
  {
    row: "S54",
    name: "what only reduces is out on the side of what increases alone",
    changes: inFile(
      "src/store/bot-doubt-rows.ts",
      "reductionsOut(otherSide(booked.side))",
      "reductionsOut(booked.side)",
    ),
    seenBy: { test: DOUBTS, title: "where %s, is told by the exchange's times" },
  },
  {
    row: "S54",
    name: "a TWAP that only reduces is not out when something is bought",
    changes: inFile(
      "src/store/bots.ts",
      "return [...own, ...twaps.filter(({ side }) => side === of.side).map(({ operationId }) => operationId)];",
      "return twaps.length < 0 ? [] : own;",
    ),
    seenBy: {
      test: "test/http/rails-twap.test.ts",
      title: "a slice may have closed another's before the bot bought anything, though it is told later",
    },
  },
  {
    row: "S54",
    name: "what was asked for after a purchase may have been filled before it",
    changes: inFile(
      "src/store/bot-doubt-rows.ts",
      "beside.includes(source.id)",
      "beside.length > 0 && source.id !== null",
    ),
    seenBy: {
      test: DOUBTS,
      title: "what was asked for after the purchase has closed the bot's own, whatever else was out",
    },
  },
];
