import { expect, test } from "bun:test";
import type { ApiMarket, ApiOrder } from "../../src/console/api/resources.ts";
import { movedTo } from "../../src/console/figures/moved-order.ts";

const BTC = { market: "BTC", kind: "perpetual", dex: "", size_decimals: 5, max_leverage: 40, pair: null } as ApiMarket;
const LIMIT = { side: "buy", price: "60000" } as ApiOrder;
const STOP = { side: "sell", price: "57000", trigger: { kind: "stop_loss", price: "60000", market: true } } as ApiOrder;

const ROWS: [what: string, order: ApiOrder, dropped: string, moved: object | null][] = [
  ["a buy, never above the hand", LIMIT, "61234.56789", { price: "61234", triggerPrice: "" }],
  ["a sale, never below it", { ...LIMIT, side: "sell" }, "61234.56789", { price: "61235", triggerPrice: "" }],
  ["a stop with its worst price", STOP, "50000.00000000", { price: "47500", triggerPrice: "50000" }],
  ["nothing at nothing", LIMIT, "0.00000000", null],
];

test.each(ROWS)("a dragged line proposes %s", (_what, order, dropped, moved) => {
  expect<object | null>(movedTo(order, dropped, BTC)).toEqual(moved);
});
