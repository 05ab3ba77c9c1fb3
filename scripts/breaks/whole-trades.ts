/** What is promised of orders at market and of closes: their price, their size, and that each is made once. */
import { type Break, inFile, type NamedTest } from "./break.ts";

const AT_MARKET = "test/http/market-orders.test.ts";
const PRICED: NamedTest = { test: AT_MARKET, title: "the worst price is %s" };
const REFUSED: NamedTest = { test: AT_MARKET, title: "%s: %j %j is %s" };

const CLOSE = "test/http/close.test.ts";
const CLOSES = "src/actions/close-position.ts";
const ALL = "test/http/cancel-all.test.ts";
const ASKED_ORDERS = "src/settle/cancel-all/asked-orders.ts";
const CLOSER = "src/settle/close/closer.ts";
const LEFT_OVER: NamedTest = { test: CLOSE, title: "of the triggers that are left over: %s" };
const IN_PROGRESS: NamedTest = { test: CLOSE, title: "while one may execute no other begins" };

const TRADES = "test/http/trades.test.ts";
const LIQUIDATION = "test/http/trade-liquidation.test.ts";
const MET_STOP = "test/http/trade-met-stop.test.ts";
const TRADES_RUN = "test/simulation/trade.test.ts";
const LATE: NamedTest = {
  test: LIQUIDATION,
  title: "a stop of a position %s is refused with the price of its liquidation",
};
const NOT_MOVED: NamedTest = { test: TRADES, title: "moved to %s it stays as it is" };
const RESERVED: NamedTest = {
  test: "test/http/rails-trades.test.ts",
  title: "before its entry is sent a trade has used up %s",
};
const SEALED = "src/store/sealed-trades.ts";
const SEALED_TEST = "test/ops/sealed-trades.test.ts";
const CHANGED: NamedTest = {
  test: SEALED_TEST,
  title: "a trade whose row was %s goes on as it was asked for, and is told",
};
const BACKING = "src/actions/liquidation-facts.ts";

export const WHOLE_TRADE_BREAKS: readonly Break[] = [
  {
    row: "P18",
    name: "the worst price of a purchase is rounded up, past its bound",
    changes: inFile("src/core/worst-price.ts", 'roundPrice(market, worst, "down")', 'roundPrice(market, worst, "up")'),
    seenBy: PRICED,
  },
  {
    row: "P18",
    name: "an order at market goes as far as it is asked to",
    changes: inFile("src/core/worst-price.ts", 'decimal("5")', 'decimal("50")'),
    seenBy: PRICED,
  },
  {
    row: "P18",
    name: "an order at market is priced by any book",
    changes: inFile("src/actions/prices-now.ts", "book.atMs > BOOK_MAX_AGE_MS)", "book.atMs > 4 * BOOK_MAX_AGE_MS)"),
    seenBy: REFUSED,
  },
  {
    row: "P18",
    name: "the best price of the other side prices an order",
    changes: inFile("src/actions/prices-now.ts", '(side === "sell" ? bids : asks)', '(side === "sell" ? asks : bids)'),
    seenBy: PRICED,
  },
  {
    row: "P18",
    name: "what is asked of an order at market leaves its slippage out",
    changes: inFile("src/http/orders.ts", "max_slippage_bps: maxSlippageBps };", "max_slippage_bps: 50 };"),
    seenBy: { test: AT_MARKET, title: "a repeat is the same order at its first price" },
  },
  {
    row: "S67",
    name: "a bot closes the account's position",
    changes: inFile(CLOSES, "return bot === null ? null : (list", 'return bot === null || bot !== "" ? null : (list'),
    seenBy: { test: CLOSE, title: "of a bot no more goes than its own fills hold" },
  },
  {
    row: "P19",
    name: "a part that is closed is rounded up",
    changes: inFile(
      "src/core/closing.ts",
      "truncate(isBelowMinimum ? all : multiply(all, fraction), market.sizeDecimals)",
      'isBelowMinimum || fraction !== decimal("1") ? all : truncate(multiply(all, fraction), market.sizeDecimals)',
    ),
    seenBy: { test: CLOSE, title: "it closes %s" },
  },
  {
    row: "P19",
    name: "a close begins while another is under way",
    changes: inFile(
      CLOSES,
      "mayStillExecute(deps, order, exchangeMs) ? [] : [order];",
      "mayStillExecute(deps, order, exchangeMs) ? [] : [];",
    ),
    seenBy: IN_PROGRESS,
  },
  {
    row: "P19",
    name: "the stop-loss goes while a part is held",
    changes: inFile(CLOSER, "if (held === null || !isZero(held.size)) return;", "if (held === null) return;"),
    seenBy: LEFT_OVER,
  },
  {
    row: "P19",
    name: "what another key has placed goes with a close",
    changes: inFile(CLOSER, 'return touches === "all" || covers', "return touches !== null || covers"),
    seenBy: LEFT_OVER,
  },
  {
    row: "P19",
    name: "a stop-loss of after the close goes with it",
    changes: inFile(CLOSER, "?.id ?? 0) <= upTo;", "?.id ?? 0) <= upTo + 9;"),
    seenBy: LEFT_OVER,
  },
  {
    row: "P19",
    name: "a start forgets what a close leaves behind",
    changes: inFile("src/actions/workers.ts", "of [flattener, closer, canceler, trader]", "of [flattener, trader]"),
    seenBy: { test: "test/simulation/close.test.ts", title: "a death before what it leaves behind %s changes nothing" },
  },
  {
    row: "P20",
    name: "what protects goes with a cancel-all",
    changes: inFile(ASKED_ORDERS, "return !row.keepsProtection || can", "return row.keepsProtection || can"),
    seenBy: { test: ALL, title: "it cancels %s" },
  },
  {
    row: "P20",
    name: "a cancel-all is done while something may fill",
    changes: inFile(
      "src/settle/cancel-all/canceler.ts",
      "if (remainingOf(world, row).length > 0) return false;",
      "if (remainingOf(world, row).length > 99) return false;",
    ),
    seenBy: { test: ALL, title: "what is not settled is burnt" },
  },
  {
    row: "S67",
    name: "a bot cancels what is another's",
    changes: inFile("src/actions/cancel-all.ts", 'rails.touches !== "all")', 'rails.touches === "all")'),
    seenBy: { test: ALL, title: "a bot cancels its own" },
  },
  {
    row: "P21",
    name: "an isolated position has all of the account behind it",
    changes: inFile(
      BACKING,
      "const backing = setting.isCross\n",
      "const backing = setting.isCross || !setting.isCross\n",
    ),
    seenBy: LATE,
  },
  {
    row: "P21",
    name: "a balance that is shared stands behind nothing",
    changes: inFile(BACKING, "shared === null ? state.cross", "shared === null || shared !== ZERO ? state.cross"),
    seenBy: LATE,
  },
  {
    row: "P21",
    name: "a stop comes in time up to the liquidation of a position without maintenance",
    changes: inFile("src/core/liquidation.ts", "subtract(multiply(twice, all), absolute(all))", "multiply(twice, all)"),
    seenBy: LATE,
  },
  {
    row: "P21",
    name: "a stop is moved to where it comes too late",
    changes: inFile("src/actions/change-trade.ts", "if (stopLoss === null) return;", "if (stopLoss !== null) return;"),
    seenBy: NOT_MOVED,
  },
  {
    row: "S66",
    name: "what a refused write has vouched for stays believed",
    changes: inFile("src/store/commit-queue.ts", "undoChanges(store, changes);", "undoChanges(store, changes + 1);"),
    seenBy: { test: "test/store/sealed-apart.test.ts", title: "one that adds" },
  },
  {
    row: "P27",
    name: "a trade begins behind a stop that the mark has passed",
    changes: inFile(
      "src/core/trade.ts",
      'side === "buy" ? order <= 0 : order >= 0',
      'side === "buy" ? order === 0 : order === 0',
    ),
    seenBy: { test: MET_STOP, title: "of %s by the mark of that moment" },
  },
  {
    row: "P27",
    name: "a stop is moved to where the mark is",
    changes: inFile(
      "src/actions/change-trade.ts",
      "await requireUnmetWhereKnown(deps",
      "if (trade.endedAtMs !== null) await requireUnmetWhereKnown(deps",
    ),
    seenBy: { test: MET_STOP, title: "a stop is not moved to where the mark is" },
  },
  {
    row: "P27",
    name: "an entry is sent though the mark has come to its stop meanwhile",
    changes: inFile(
      "src/actions/enter-trade.ts",
      'trade.path === "after_fills") await',
      'trade.path === "stop_first") await',
    ),
    seenBy: { test: TRADES_RUN, title: "the mark comes to its stop before the entry is sent" },
  },
  {
    row: "P27",
    name: "what the exchange takes no stop of, because the mark has passed it, stays held",
    changes: inFile(
      "src/core/trade-step.ts",
      'stopLoss.triggerPrice, mark)) return "stop";',
      "stopLoss.triggerPrice, mark)) return null;",
    ),
    seenBy: { test: TRADES_RUN, title: "filled when the mark has come to its stop" },
  },
  {
    row: "P27",
    name: "what the exchange takes no take-profit of, because the mark has come to it, stays held",
    changes: inFile("src/core/trade-step.ts", "takeProfit.triggerPrice, mark) ?", "takeProfit.triggerPrice, ZERO) ?"),
    seenBy: { test: TRADES_RUN, title: "filled when the mark has come to its take-profit" },
  },
  {
    row: "P27",
    name: "what a stop closes of others before the entry fills is a close of the trade",
    changes: inFile("src/core/closed-of-others.ts", "  return beyond;", "  return subtract(beyond, beyond);"),
    seenBy: { test: TRADES_RUN, title: "a stop that has closed what others had opened" },
  },
  {
    row: "P27",
    name: "an entry is sent however long ago it was asked for",
    changes: inFile(
      "src/actions/enter-trade.ts",
      "  if (isLate()) return",
      "  if (isLate() && trade.entryId !== null) return",
    ),
    seenBy: { test: TRADES_RUN, title: "an entry that could not be sent for a minute" },
  },
  {
    row: "P21",
    name: "a trade is entered though nobody knows where it would be liquidated",
    changes: inFile(
      BACKING,
      'if (mode.kind === "failed") return mode;',
      'if (mode.kind === "failed") return { state: state.value, mode: "standard", shared: null, settings: [] };',
    ),
    seenBy: { test: LIQUIDATION, title: "while %s cannot be read nothing is entered" },
  },
  {
    row: "P21",
    name: "an entry that has not been sent counts for nothing",
    changes: inFile(
      "src/store/trades.ts",
      "if (isSent || isEntryUnwanted)",
      "if (isSent || isEntryUnwanted || entryId === null)",
    ),
    seenBy: RESERVED,
  },
  {
    row: "S67",
    name: "of a batch the first order alone is judged",
    changes: inFile("src/write/gate.ts", "of batch.entries()) {", "of batch.slice(0, 1).entries()) {"),
    seenBy: {
      test: "test/http/rails-batch.test.ts",
      title: "%s that is beyond its rail names the orders that are too much, and nothing is sent",
    },
  },
  {
    row: "S66",
    name: "a trade that was planted enters",
    changes: inFile(
      SEALED,
      "return sealed === null ? null : restoredTrade",
      "return sealed === null ? found : restoredTrade",
    ),
    seenBy: { test: SEALED_TEST, title: "a trade that nobody has sealed enters nothing, and is told" },
  },
  {
    row: "S66",
    name: "a trade whose row was deleted is forgotten",
    changes: inFile(
      "src/store/trades.ts",
      "...listSealedTrades(store),\n  ];\n  return living(store, ids);",
      "];\n  return living(store, ids);",
    ),
    seenBy: CHANGED,
  },
  {
    row: "S66",
    name: "the stop of a trade is where its row says",
    changes: inFile(
      SEALED,
      "const asked = { id, accountId, keyHash, market, side, size, price, timeInForce, stopLoss, takeProfit };",
      "const asked = { id, accountId, keyHash, market, side, size, price, timeInForce, stopLoss: NO_GUARD, takeProfit };",
    ).concat(
      inFile(
        SEALED,
        "function contentOf(",
        'const NO_GUARD = { triggerPrice: "", price: "", isMarket: true };\n\nfunction contentOf(',
      ),
    ),
    seenBy: CHANGED,
  },
  {
    row: "S66",
    name: "a trade that has ended is sealed as one that lives",
    changes: inFile(SEALED, "trade.endedAtMs === null ? contentOf(trade) : null", "contentOf(trade)"),
    seenBy: { test: SEALED_TEST, title: "one that has ended is not brought back" },
  },
  {
    row: "S66",
    name: "an entry that is not wanted any more needs a seal",
    changes: inFile(SEALED, "sealed.isEntryUnwanted || found?.isEntryUnwanted === true", "sealed.isEntryUnwanted"),
    seenBy: { test: SEALED_TEST, title: "that no more is to be entered is obeyed, whoever has written it" },
  },
  {
    row: "P27",
    name: "the take-profit of what is held is moved to where the mark is",
    changes: inFile("src/actions/change-trade.ts", "isZero(found.heldSize) ? null : wanted.takeProfit", "null"),
    seenBy: { test: MET_STOP, title: "the take-profit of what is held is moved, %s" },
  },
  {
    row: "P27",
    name: "that a stop is worth too little is known by the answer alone, and not by its record",
    changes: inFile("src/core/minimum-value.ts", '"minimum value", "minTradeNtlRejected"', '"minimum value"'),
    seenBy: { test: TRADES_RUN, title: "what is filled is worth too little for a stop" },
  },
  {
    row: "P21",
    name: "a stop that the backup knew, and that was replaced after it, takes the entry with it",
    changes: inFile(
      "src/settle/restore/own-trades.ts",
      "stopLoss: guard ?? trade.stopLoss, replacedStops: count };",
      "stopLoss: guard ?? trade.stopLoss, replacedStops: newest === undefined ? 0 : count };",
    ),
    seenBy: { test: "test/flows/restore-trades.test.ts", title: "a stop that the backup knew" },
  },
  {
    row: "P19",
    name: "a bot closes all that it holds beside what it has resting to reduce",
    changes: inFile(
      "src/actions/clear-for-close.ts",
      "if (inTheWay.length === 0) return false;",
      "if (inTheWay.length < 9) return false;",
    ),
    seenBy: { test: CLOSE, title: "what of a bot rests to reduce goes before all of it is closed" },
  },
  {
    row: "P19",
    name: "a stop that has fired and rests keeps a bot from closing",
    changes: inFile(
      "src/actions/clear-for-close.ts",
      "return order ?? [];",
      "return order?.trigger === null ? order : [];",
    ),
    seenBy: { test: CLOSE, title: "a stop with a limit that has fired and was left behind is in the way as well" },
  },
  {
    row: "P27",
    name: "a start forgets the trades",
    changes: inFile(
      "src/actions/workers.ts",
      "of [flattener, closer, canceler, trader]",
      "of [flattener, closer, canceler]",
    ),
    seenBy: {
      test: "test/simulation/trade-crashes.test.ts",
      title: "a trade that is protected by %s keeps what it promises whatever step its gateway dies at",
    },
  },
];
