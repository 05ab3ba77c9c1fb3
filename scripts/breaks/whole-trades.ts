/** What is promised of orders at market: their price, and that it is made once. */
import { type Break, inFile, type NamedTest } from "./break.ts";

const AT_MARKET = "test/http/market-orders.test.ts";
const PRICED: NamedTest = { test: AT_MARKET, title: "the worst price is %s" };
const REFUSED: NamedTest = { test: AT_MARKET, title: "%s: %j %j is %s" };

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
];
