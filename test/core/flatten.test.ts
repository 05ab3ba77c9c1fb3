import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { closableOf, closingOrder, unprovenPart } from "../../src/core/flatten.ts";
import type { Market } from "../../src/core/market.ts";
import { priceFault } from "../../src/core/market.ts";

const BTC: Market = {
  name: "BTC",
  kind: "perpetual",
  dex: "",
  assetId: 0,
  sizeDecimals: 5,
  maxLeverage: 40,
  marginMode: "any",
  isDelisted: false,
  pairName: null,
};
const CHEAP: Market = { ...BTC, name: "kPEPE", sizeDecimals: 0 };

test.each([
  ["an account closes all that it holds", "0.5", null, "0.5"],
  ["a bot its own where another holds the rest", "0.5", "0.2", "0.2"],
  ["and no more than there is", "0.1", "0.2", "0.1"],
  ["a short likewise", "-0.5", "-0.2", "-0.2"],
  ["nothing where the account is on the other side", "-0.5", "0.2", "0"],
  ["nothing where the bot is flat", "0.5", "0", "0"],
])("%s", (_what, position, net, closable) => {
  expect(closableOf(decimal(position), net === null ? null : decimal(net))).toBe(decimal(closable));
});

test.each([
  ["all that is held, where the books hold nothing", ["0.5", "0"], ["0.5", "0"], "0.5"],
  ["what the books do not hold", ["0.5", "0.2"], ["0.5", "0"], "0.3"],
  ["nothing where the books hold all of it", ["0.5", "0.5"], ["0.5", "0"], "0"],
  ["no more than was bought", ["0.5", "0"], ["0.3", "0.4"], "0.3"],
  ["no more of a short than was sold", ["-0.5", "0"], ["0.3", "0.4"], "-0.4"],
  ["nothing of a short where nothing was sold", ["-0.5", "0"], ["0.3", "0"], "0"],
  ["of what was bought what is more than the books are short", ["0.5", "-0.2"], ["0.5", "0"], "0.3"],
  ["nothing where nothing is held", ["0", "0"], ["1", "1"], "0"],
] as const)("of what TWAPs of nobody have traded a bot may hold %s", (_what, [position, net], [buys, sells], part) => {
  const sums = { buys: decimal(buys), sells: decimal(sells) };
  expect(unprovenPart(decimal(position), decimal(net), sums)).toBe(decimal(part));
});

type Row = [
  string,
  Market,
  string,
  { best: string; low: string; high: string },
  number,
  string | null,
  string | null,
  string?,
];

const ROWS: Row[] = [
  ["half a percent below the best bid", BTC, "1", { best: "60000", low: "60000", high: "60000" }, 50, null, "59700"],
  ["and above the best ask for a short", BTC, "-1", { best: "60000", low: "60000", high: "60000" }, 50, null, "60300"],
  [
    "to a price that the exchange takes, up",
    BTC,
    "1",
    { best: "60001", low: "60000", high: "60000" },
    33,
    null,
    "59803",
  ],
  ["and down", BTC, "-1", { best: "60001", low: "60000", high: "60000" }, 33, null, "60199"],
  ["never 5 % from mark and oracle", BTC, "1", { best: "58000", low: "60000", high: "60500" }, 500, null, "57475"],
  ["nor above", BTC, "-1", { best: "62000", low: "60000", high: "60500" }, 500, null, "63000"],
  ["nothing where the best bid is further", BTC, "1", { best: "57000", low: "60000", high: "60500" }, 500, null, null],
  ["nothing where the best ask is", BTC, "-1", { best: "63001", low: "60000", high: "60000" }, 500, null, null],
  [
    "nearer where the owner has signed less",
    BTC,
    "1",
    { best: "60000", low: "60000", high: "60000" },
    500,
    "2",
    "58800",
  ],
  [
    "no worse than the first order",
    BTC,
    "1",
    { best: "59900", low: "60000", high: "60000" },
    50,
    null,
    "59700",
    "59700",
  ],
  [
    "nothing where its price is gone",
    BTC,
    "1",
    { best: "59600", low: "60000", high: "60000" },
    50,
    null,
    null,
    "59700",
  ],
  ["nothing where a purchase's is", BTC, "-1", { best: "60400", low: "60000", high: "60000" }, 50, null, null, "60300"],
  [
    "the best price where a tick is more",
    CHEAP,
    "9",
    { best: "0.000012", low: "0.000012", high: "0.000012" },
    50,
    null,
    "0.000012",
  ],
];

test.each(ROWS)("closes at %s", (...row) => {
  const [, market, closable, { best, low, high }, maxSlippageBps, distance, price, earlier] = row;
  const prices = { best: decimal(best), low: decimal(low), high: decimal(high) };
  const first = earlier === undefined ? null : decimal(earlier);
  const maxDistance = distance === null ? null : decimal(distance);
  const order = closingOrder(market, decimal(closable), { prices, maxSlippageBps, maxDistance, first });
  expect(order?.price ?? null).toBe(price === null ? null : decimal(price));
  if (order === null) return;
  expect(priceFault(market, order.price, "price")).toBeNull();
  expect([order.side, order.size]).toEqual([
    closable.startsWith("-") ? "buy" : "sell",
    decimal(closable.replace("-", "")),
  ]);
});
