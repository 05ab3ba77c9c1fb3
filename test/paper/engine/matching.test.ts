import { describe, expect, test } from "bun:test";
import { levelViews } from "../../../src/paper/engine/book.ts";
import { ALICE, BOB, CAROL, type Desk, error, newDesk, shown } from "./support.ts";

const CLOID = `0x${"0".repeat(31)}1`;

describe("matching", () => {
  test("fills at the resting price and tells both sides", () => {
    const desk = newDesk();
    const maker = desk.rest(ALICE, { buy: false, price: "95100", size: "0.5" });
    const [status] = desk.place(BOB, { buy: true, price: "95200", size: "0.2", tif: "Ioc", cloid: CLOID });
    expect(status).toEqual({ filled: { totalSz: "0.2", avgPx: "95100.0", oid: maker + 1, cloid: CLOID } });
    expect(desk.fills(BOB)).toMatchObject([{ oid: maker + 1, crossed: true, dir: "Open Long", isBuy: true }]);
    expect(desk.fills(ALICE)).toMatchObject([{ oid: maker, crossed: false, dir: "Open Short", isBuy: false }]);
    expect(desk.fills(ALICE)[0]?.tid).toBe(desk.fills(BOB)[0]?.tid);
    expect(shown(desk.live(maker)?.size ?? 0n)).toBe("0.3");
  });

  test("takes the better price first and the older order of a price first", () => {
    const desk = newDesk();
    const second = desk.rest(ALICE, { buy: false, price: "95100", size: "0.1" });
    const third = desk.rest(CAROL, { buy: false, price: "95100", size: "0.1" });
    const first = desk.rest(ALICE, { buy: false, price: "95000", size: "0.1" });
    desk.place(BOB, { buy: true, price: "95100", size: "0.25", tif: "Ioc" });
    expect(desk.fills(BOB).map((fill) => shown(fill.price))).toEqual(["95000", "95100", "95100"]);
    expect([first, second].map((oid) => desk.live(oid))).toEqual([undefined, undefined]);
    expect(shown(desk.live(third)?.size ?? 0n)).toBe("0.05");
  });

  test("rests the remainder of a Gtc order and answers resting", () => {
    const desk = newDesk();
    desk.rest(ALICE, { buy: false, price: "95100", size: "0.1" });
    const oid = desk.venue.nextOid;
    expect(desk.place(BOB, { buy: true, price: "95100", size: "0.3" })).toEqual([{ resting: { oid } }]);
    expect(shown(desk.live(oid)?.size ?? 0n)).toBe("0.2");
    expect(desk.account(BOB).records.get(oid)).toMatchObject({ status: "open", order: { size: 30_000_000n } });
  });

  test("answers filled for a partly filled Gtc where the switch says so", () => {
    const desk = newDesk({ partialGtcReply: "filled" });
    desk.rest(ALICE, { buy: false, price: "95100", size: "0.1" });
    const [status] = desk.place(BOB, { buy: true, price: "95100", size: "0.3" });
    expect(status).toMatchObject({ filled: { totalSz: "0.1" } });
  });

  test("records an immediately filled Gtc as open with its whole size, then filled with none", () => {
    const desk = newDesk();
    desk.rest(ALICE, { buy: false, price: "95100", size: "0.1" });
    desk.events = [];
    desk.place(BOB, { buy: true, price: "95100", size: "0.1" });
    const mine = desk.events.flatMap((event) => (event.kind === "order" && event.user === BOB ? [event] : []));
    expect(mine.map(({ status, order }) => [status, shown(order.size)])).toEqual([
      ["open", "0.1"],
      ["filled", "0"],
    ]);
  });

  test("drops the remainder of an Ioc order silently", () => {
    const desk = newDesk();
    desk.rest(ALICE, { buy: false, price: "95100", size: "0.1" });
    const [status] = desk.place(BOB, { buy: true, price: "95100", size: "0.3", tif: "Ioc" });
    expect(status).toMatchObject({ filled: { totalSz: "0.1", avgPx: "95100.0" } });
    expect(desk.account(BOB).openOids.size).toBe(0);
    expect(desk.status(BOB, desk.venue.nextOid - 1)).toBe("filled");
  });

  test("cancels the resting side of a self-trade, without fee or fill, and goes on", () => {
    const desk = newDesk();
    const own = desk.rest(BOB, { buy: false, price: "95000", size: "0.1" });
    desk.rest(ALICE, { buy: false, price: "95100", size: "0.1" });
    desk.place(BOB, { buy: true, price: "95100", size: "0.1", tif: "Ioc" });
    expect(desk.status(BOB, own)).toBe("selfTradeCanceled");
    expect(desk.fills(BOB)).toHaveLength(1);
    expect(desk.events.filter((event) => event.kind === "trade")).toHaveLength(1);
  });

  // biome-ignore format: a table is read by its columns
  const REFUSALS: [string, Parameters<Desk["place"]>[1], string, string][] = [
    ["too fine a price", { buy: true, price: "95000.5", size: "0.1" }, "Price must be divisible by tick size. asset=0", "tickRejected"],
    ["less than ten dollars", { buy: true, price: "90000", size: "0.0001" }, "Order must have minimum value of $10. asset=0", "minTradeNtlRejected"],
    ["post-only that crosses", { buy: true, price: "95100", size: "0.1", tif: "Alo" }, "Post only order would have immediately matched, bbo was 94900@95100. asset=0", "badAloPxRejected"],
    ["an Ioc that meets nothing", { buy: true, price: "95000", size: "0.1", tif: "Ioc" }, "Order could not immediately match against any resting orders. asset=0", "iocCancelRejected"],
    ["reduce-only without a position", { buy: true, price: "90000", size: "0.1", reduceOnly: true }, "Reduce only order would increase position. asset=0", "reduceOnlyRejected"],
    ["more than the margin carries", { buy: true, price: "94000", size: "50" }, "Insufficient margin to place order. asset=0", "perpMarginRejected"],
    ["a buy far above the oracle", { buy: true, price: "171001", size: "0.01" }, "Price too far from oracle asset=0", "oracleRejected"],
    ["a trigger whose worst price is better than its trigger", { buy: false, price: "90001", size: "0.1", trigger: { at: "90000", tpsl: "sl" } }, "Invalid TP/SL price. asset=0", "badTriggerPxRejected"],
  ];

  test.each(REFUSALS)("refuses %s, and keeps a record with an oid", (_name, wanted, text, status) => {
    const desk = newDesk();
    desk.rest(ALICE, { buy: false, price: "95100", size: "1" });
    desk.rest(ALICE, { buy: true, price: "94900", size: "1" });
    const oid = desk.venue.nextOid;
    expect(desk.place(BOB, wanted)).toEqual([error(text)]);
    expect(desk.status(BOB, oid)).toBe(status);
    expect(desk.events.at(-1)).toMatchObject({ kind: "order", status, order: { oid } });
  });

  // biome-ignore format: a table is read by its columns
  const STATIC: [string, Parameters<Desk["place"]>[1], string][] = [
    ["nothing", [], "Orders are empty."],
    ["too fine a size", { buy: true, price: "95000", size: "0.000001" }, "Order has invalid size."],
    ["no size", { buy: true, price: "95000", size: "0" }, "Order has zero size."],
    ["no price", { buy: true, price: "0", size: "1" }, "Order has invalid price."],
    ["a price far away", { buy: true, price: "4000", size: "1" }, "Order price cannot be more than 95% away from the reference price"],
    ["a spot price at a fifth", { asset: 10_000, buy: true, price: "0.036", size: "1000" }, "Order price cannot be more than 80% away from the reference price"],
    ["too large a market order", { buy: true, price: "95000", size: "400", tif: "Ioc" }, "Order value too large. Max is $30000000."],
    ["reduce-only in spot", { asset: 10_000, buy: true, price: "0.18", size: "1000", reduceOnly: true }, "Reduce-only is invalid for spot trading."],
    ["a delisted market", { asset: 3, buy: true, price: "0.38", size: "1000" }, "Trading is halted."],
  ];

  test.each(STATIC)("refuses a whole batch for %s, without record or oid", (_name, wanted, text) => {
    const desk = newDesk();
    const oid = desk.venue.nextOid;
    const good = { buy: true, price: "90000", size: "0.1" };
    const batch = Array.isArray(wanted) ? wanted : [good, wanted, good];
    expect(desk.place(BOB, batch)).toEqual([error(text)]);
    expect(desk.venue.nextOid).toBe(oid);
    expect(desk.account(BOB).openOids.size).toBe(0);
  });

  test("keeps the earlier orders of a batch when a later one fails", () => {
    const desk = newDesk();
    const batch = [
      { buy: true, price: "90000", size: "0.1" },
      { buy: true, price: "90000", size: "0.0001" },
      { buy: true, price: "91000", size: "0.1" },
    ];
    expect(desk.place(BOB, batch)).toMatchObject([{ resting: {} }, { error: expect.any(String) }, { resting: {} }]);
    expect(desk.account(BOB).openOids.size).toBe(2);
  });

  test("refuses everything but post-only in the window after an upgrade", () => {
    const desk = newDesk();
    desk.venue.postOnlyUntilMs = desk.nowMs + 1;
    desk.rest(ALICE, { buy: false, price: "95100", size: "1" });
    const text = "Only post-only orders allowed immediately after a network upgrade";
    expect(desk.place(BOB, { buy: true, price: "95100", size: "0.1" })).toEqual([error(text)]);
    expect(desk.place(BOB, { buy: true, price: "95100", size: "0.1", tif: "Ioc" })).toEqual([error(text)]);
    expect(desk.place(BOB, { buy: true, price: "95000", size: "0.1", tif: "Alo" })).toMatchObject([{ resting: {} }]);
    desk.wait(1);
    expect(desk.place(BOB, { buy: true, price: "95100", size: "0.1" })).toMatchObject([{ filled: {} }]);
  });

  test("lists a price once with the number of its orders", () => {
    const desk = newDesk();
    desk.rest(ALICE, { buy: true, price: "94000", size: "0.1" });
    desk.rest(BOB, { buy: true, price: "94000", size: "0.2" });
    desk.rest(BOB, { buy: true, price: "94500", size: "0.1" });
    const levels = levelViews(desk.venue, desk.venue.books.get(0)?.bids ?? [], 20);
    expect(levels.map(({ price, size, count }) => [shown(price), shown(size), count])).toEqual([
      ["94500", "0.1", 1],
      ["94000", "0.3", 2],
    ]);
  });
});
