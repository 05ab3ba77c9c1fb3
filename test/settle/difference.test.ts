/** What tells an order that is shown from the one that was asked for. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { differenceFrom } from "../../src/settle/evidence/difference.ts";
import { legRow } from "../support/rows.ts";

const CLOID = `0x${"1".repeat(32)}`;
const STOP = {
  market: "BTC",
  side: "buy",
  reduceOnly: true,
  leg: {
    ...legRow(),
    cloid: CLOID,
    oid: "11",
    size: decimal("0.05"),
    price: "105000",
    trigger: { price: "95600", kind: "stop_loss", market: true },
  },
} as const;

const SHOWN = {
  coin: "BTC",
  side: "B",
  originalSize: decimal("0.05"),
  limitPrice: decimal("105000"),
  oid: "11",
  cloid: CLOID,
  orderType: "Stop Market",
  reduceOnly: true,
} as const;

/** As it stands once it has fired: another native id, a plain kind, the exchange's price, and no more than the position. */
const FIRED = { ...SHOWN, oid: "12", orderType: "Limit", originalSize: decimal("0.01"), limitPrice: decimal("95150") };

test.each<[string, Parameters<typeof differenceFrom>[1], string | null]>([
  ["the stop as it was asked for", SHOWN, null],
  ["the same, once it has fired", FIRED, null],
  ["a plain order of somebody else under its client order id", { ...FIRED, reduceOnly: false }, "may increase"],
  ["another market", { ...FIRED, coin: "ETH" }, "the market ETH"],
  ["the other side", { ...FIRED, side: "A" }, "a sell instead"],
  ["more than was asked for", { ...FIRED, originalSize: decimal("0.06") }, "0.06 instead"],
  ["a take-profit", { ...SHOWN, orderType: "Take Profit Market" }, "instead of a stop"],
])("%s", (_title, shown, words) => {
  const told = differenceFrom(STOP, shown)?.words ?? null;
  if (words === null) expect(told).toBeNull();
  else expect(told).toContain(words);
});

test("a short form, which leaves out that it only reduces, says nothing of that", () => {
  const { orderType: _, ...short } = FIRED;
  expect(differenceFrom(STOP, { ...short, reduceOnly: false })).toBeNull();
});

test("an order that only reduces is none that may increase", () => {
  const plain = { ...STOP, reduceOnly: false, leg: { ...STOP.leg, trigger: null } };
  const shown = { ...SHOWN, orderType: "Limit" };
  expect(differenceFrom(plain, shown)?.words).toContain("only reduces");
  expect(differenceFrom(plain, { ...shown, reduceOnly: false })).toBeNull();
});
