import { type Break, inFile } from "./break.ts";

function inBooks(name: string, changes: Break["changes"]): Break {
  const seenBy = {
    test: "test/store/written-last.test.ts",
    title: "after any works, shown or taken back, books and rows",
  };
  return { row: "S54", name, changes, seenBy };
}

const BOOKS = "src/store/bot-books.ts";
const SOLD_TWICE = "test/http/sold-twice.test.ts";
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
    name: "what a trade has read of the account is not kept for its rails",
    changes: inFile(
      "src/actions/liquidation-facts.ts",
      'isOfNow: (read) => takeOrAskFills(deps, { account, dex }, read) === "now",',
      "isOfNow: (read) => read.value.timeMs >= 0,",
    ),
    seenBy: {
      test: "test/flows/flat-before.test.ts",
      title:
        "a trade is not begun by positions of before a told purchase, and its stop does not go ahead of its entry once they are shown",
    },
  },
  {
    row: "S54",
    name: "what only reduces is in no net of its bot",
    changes: inFile(
      "src/store/bots.ts",
      "  bookTrade(store, { accountId, bot, market }, { side, size, turnover, atMs });",
      "  if (!reduceOnly) bookTrade(store, { accountId, bot, market }, { side, size, turnover, atMs });",
    ),
    seenBy: {
      test: SOLD_TWICE,
      title: "what only reduces and was filled beyond flat is the bot's own short, and makes no room",
    },
  },
  {
    row: "S54",
    name: "a sale beside what reduces the same closes nothing of another's",
    changes: inFile(
      "src/core/rails/judge.ts",
      "const after = add(reducing, ",
      "const after = add(subtract(reducing, reducing), ",
    ),
    seenBy: {
      test: SOLD_TWICE,
      title: "a sale beside what rests and only reduces would leave that to close another's",
    },
  },
  {
    row: "S54",
    name: "what reduces beside a sale that is on its way closes nothing of another's",
    changes: inFile(
      "src/core/rails/reductions.ts",
      "[] : sellingBeside(facts, wish, own)",
      "[] : sellingBeside(facts, wish, [])",
    ),
    seenBy: {
      test: SOLD_TWICE,
      title:
        "%s: refused beside others, in one batch and while the first is on its way, and a sale of the two passed alone",
    },
  },
  {
    row: "S54",
    name: "what a bot that may close anything has out and only reduces comes to no position of its own",
    changes: inFile(
      "src/core/rails/worst.ts",
      "return larger(worst, worstReducing(",
      "return larger(worst, worst) === worst ? worst : larger(worst, worstReducing(",
    ),
    seenBy: { test: "test/core/rails/reductions.test.ts", title: "%s comes to %s" },
  },
];
