import { describe, expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { availableToTrade } from "../../../src/paper/engine/margin.ts";
import { units } from "../../../src/paper/engine/units.ts";
import { ALICE, BOB, CAROL, error, newDesk, requestOf, shown } from "./support.ts";

const CLOID = `0x${"c".repeat(32)}`;

describe("switches", () => {
  test("batchErrorForm puts a batch error into the envelope", () => {
    const text = "Order price cannot be more than 95% away from the reference price";
    const desk = newDesk({ batchErrorForm: "err" });
    expect(desk.place(ALICE, { buy: true, price: "4000", size: "1" })).toEqual([text]);
  });

  test("perpBandPercent moves the band", () => {
    const text = "Order price cannot be more than 80% away from the reference price";
    const desk = newDesk({ perpBandPercent: 80 });
    expect(desk.place(ALICE, { buy: true, price: "18999", size: "0.1" })).toEqual([error(text)]);
    expect(desk.place(ALICE, { buy: true, price: "19000", size: "0.1" })).toMatchObject([{ resting: {} }]);
  });

  test("duplicateLiveCloid refuses the cloid of a live order, not of an ended one", () => {
    const desk = newDesk({ duplicateLiveCloid: "reject" });
    const wanted = { buy: true, price: "90000", size: "0.1", cloid: CLOID };
    const oid = desk.rest(ALICE, wanted);
    expect(desk.place(ALICE, wanted)).toEqual([error("Duplicate cloid. asset=0")]);
    expect(desk.account(ALICE).cloids.get(CLOID)).toBe(oid);
    desk.act(ALICE, { type: "cancel", cancels: [{ a: 0, o: oid }], f: false });
    expect(desk.place(ALICE, wanted)).toMatchObject([{ resting: { cloid: CLOID } }]);
    const open = newDesk();
    expect([open.rest(ALICE, wanted), open.rest(ALICE, wanted)].map((id) => open.status(ALICE, id))).toEqual([
      "open",
      "open",
    ]);
  });

  test("builderOnSpotBuy refuses a builder on a spot buy", () => {
    for (const [builderOnSpotBuy, expected] of [
      ["ignore", { resting: {} }],
      ["reject", error("Builder fee has not been approved.")],
    ] as const) {
      const desk = newDesk({ builderOnSpotBuy });
      desk.act(ALICE, { type: "approveBuilderFee", builder: CAROL, maxFeeRate: "0.1%" });
      const orders = [requestOf({ asset: 10_107, buy: true, price: "39", size: "1" })];
      const reply = desk.act(ALICE, { type: "order", orders, grouping: "na", builder: { b: CAROL, f: 10 } });
      expect(reply).toMatchObject({ response: { data: { statuses: [expected] } } });
    }
  });

  test("marginCheckPrice asks a market order for margin at mark or at its limit", () => {
    for (const [marginCheckPrice, expected] of [
      ["mark", { filled: { totalSz: "20.0" } }],
      ["limit", error("Insufficient margin to place order. asset=0")],
    ] as const) {
      const desk = newDesk({ marginCheckPrice });
      desk.fund(BOB, "1000000");
      desk.rest(BOB, { buy: false, price: "95000", size: "20" });
      const [status] = desk.place(ALICE, { buy: true, price: "102000", size: "20", tif: "FrontendMarket" });
      expect(status).toMatchObject(expected);
    }
  });

  test("fullCloseBelowMinimum takes a full close of less than ten dollars, or refuses it", () => {
    for (const [fullCloseBelowMinimum, expected] of [
      ["taken", { filled: { totalSz: "0.00015" } }],
      ["refused", error("Order must have minimum value of $10. asset=0")],
    ] as const) {
      const desk = newDesk({ fullCloseBelowMinimum });
      desk.rest(BOB, { buy: false, price: "95000", size: "0.00015" });
      desk.place(ALICE, { buy: true, price: "96000", size: "0.00015", tif: "Ioc" });
      desk.rest(BOB, { buy: true, price: "60000", size: "1" });
      const [status] = desk.place(ALICE, { buy: false, price: "59000", size: "0.00015", tif: "Ioc", reduceOnly: true });
      expect(status).toMatchObject(expected);
    }
  });

  test("openOrderMargin reserves for both sides of a market, or for the larger", () => {
    for (const [openOrderMargin, expected] of [
      ["sum", "99072.5"],
      ["larger", "99522.5"],
    ] as const) {
      const desk = newDesk({ openOrderMargin });
      desk.rest(ALICE, { buy: true, price: "90000", size: "0.1" });
      desk.rest(ALICE, { buy: false, price: "95500", size: "0.1" });
      expect(shown(availableToTrade(desk.venue, desk.account(ALICE), 0))).toBe(expected);
    }
  });
});

describe("a market order that turns a position round", () => {
  test("uses the margin that it frees", () => {
    const desk = newDesk();
    desk.fund(BOB, "1000000");
    desk.hold(ALICE, { buy: true, price: "95000", size: "20" });
    desk.account(ALICE).cash.set(0, units(decimal("96000")));
    desk.rest(BOB, { buy: true, price: "95000", size: "50" });
    const sell = { buy: false, price: "95000" };
    expect(desk.place(ALICE, { ...sell, size: "42", tif: "Ioc" })).toEqual([
      error("Insufficient margin to place order. asset=0"),
    ]);
    expect(desk.place(ALICE, { ...sell, size: "40", tif: "Ioc" })).toMatchObject([{ filled: { totalSz: "40.0" } }]);
    expect(desk.size(ALICE)).toBe("-20");
  });
});
