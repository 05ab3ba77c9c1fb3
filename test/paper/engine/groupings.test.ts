import { describe, expect, test } from "bun:test";
import { snapshotOf } from "../../../src/paper/engine/history.ts";
import { ALICE, BOB, CAROL, type Desk, error, newDesk, shown, type Wanted } from "./support.ts";

const PARENT: Wanted = { buy: true, price: "94000", size: "0.1" };
const TAKE: Wanted = {
  buy: false,
  price: "90000",
  size: "0.1",
  reduceOnly: true,
  trigger: { at: "98000", tpsl: "tp" },
};
const STOP: Wanted = {
  buy: false,
  price: "85000",
  size: "0.1",
  reduceOnly: true,
  trigger: { at: "91000", tpsl: "sl" },
};

function placed(desk: Desk): { parent: number; take: number; stop: number; statuses: unknown[] } {
  const parent = desk.venue.nextOid;
  const statuses = desk.place(ALICE, [PARENT, TAKE, STOP], "normalTpsl");
  return { parent, take: parent + 1, stop: parent + 2, statuses };
}

describe("normalTpsl", () => {
  test("waits with the children until the parent is filled", () => {
    const desk = newDesk();
    const { parent, take, stop, statuses } = placed(desk);
    expect(statuses).toEqual([{ resting: { oid: parent } }, "waitingForFill", "waitingForFill"]);
    const order = desk.live(parent);
    if (order === undefined) throw new Error("parent is not live");
    expect(snapshotOf(desk.venue, order).children.map((child) => child.oid)).toEqual([take, stop]);
    desk.mark("BTC", "90000");
    expect(desk.live(stop)?.phase).toBe("waitingForFill");
    desk.mark("BTC", "94000");
    desk.place(BOB, { buy: false, price: "94000", size: "0.04", tif: "Ioc" });
    expect(desk.live(stop)?.phase).toBe("waitingForFill");
    desk.place(BOB, { buy: false, price: "94000", size: "0.06", tif: "Ioc" });
    expect([desk.live(take)?.phase, desk.live(stop)?.phase]).toEqual(["waitingForTrigger", "waitingForTrigger"]);
  });

  test("places the children at once when the parent fills at once", () => {
    const desk = newDesk();
    desk.rest(BOB, { buy: false, price: "94000", size: "0.1" });
    const { statuses } = placed(desk);
    expect(statuses).toMatchObject([{ filled: { totalSz: "0.1" } }, "waitingForTrigger", "waitingForTrigger"]);
  });

  test("cancels the children with the parent, even after a partial fill", () => {
    const desk = newDesk();
    const { parent, take, stop } = placed(desk);
    desk.place(BOB, { buy: false, price: "94000", size: "0.04", tif: "Ioc" });
    desk.act(ALICE, { type: "cancel", cancels: [{ a: 0, o: parent }], f: false });
    expect([parent, take, stop].map((oid) => desk.status(ALICE, oid))).toEqual(["canceled", "canceled", "canceled"]);
  });

  test("lets the children go live when the parent loses its margin after a partial fill", () => {
    const desk = newDesk();
    const { parent, stop } = placed(desk);
    desk.place(BOB, { buy: false, price: "94000", size: "0.04", tif: "Ioc" });
    desk.account(ALICE).cash.set(0, 20_000_000_000n);
    desk.place(BOB, { buy: false, price: "94000", size: "0.04", tif: "Ioc" });
    expect(desk.status(ALICE, parent)).toBe("marginCanceled");
    expect(desk.live(stop)?.phase).toBe("waitingForTrigger");
  });

  test("cancels the other child when one is filled", () => {
    const desk = newDesk();
    desk.rest(BOB, { buy: false, price: "94000", size: "0.1" });
    const { take, stop } = placed(desk);
    desk.rest(BOB, { buy: true, price: "90500", size: "1" });
    desk.mark("BTC", "91000");
    expect([desk.status(ALICE, stop), desk.status(ALICE, take)]).toEqual(["filled", "siblingFilledCanceled"]);
    expect(desk.size(ALICE)).toBe("0");
  });

  test("fires a child at once whose price was passed while the parent waited", () => {
    const desk = newDesk();
    const { stop } = placed(desk);
    desk.rest(CAROL, { buy: true, price: "86000", size: "1" });
    desk.mark("BTC", "90000");
    desk.place(BOB, { buy: false, price: "94000", size: "0.1", tif: "Ioc" });
    expect(desk.status(ALICE, stop)).toBe("filled");
  });

  // biome-ignore format: a table is read by its columns
  test.each<[string, Wanted[], string]>([
    ["no child", [PARENT], "Unexpected number of trigger orders"],
    ["three children", [PARENT, TAKE, STOP, STOP], "Unexpected number of trigger orders"],
    ["a child that is no trigger", [PARENT, { buy: false, price: "98000", size: "0.1", reduceOnly: true }], "Unexpected number of trigger orders"],
    ["a child that may increase", [PARENT, { ...TAKE, reduceOnly: false }], "Trigger order is not reduce only."],
    ["a child of the parent's side", [PARENT, { ...TAKE, buy: true, price: "99000" }], "Trigger order has unexpected side."],
  ])("refuses %s for the whole batch", (_name, orders, text) => {
    const desk = newDesk();
    expect(desk.place(ALICE, orders, "normalTpsl")).toEqual([error(text)]);
    expect(desk.venue.orders.size).toBe(0);
  });

  test("places no child when the parent is refused", () => {
    const desk = newDesk();
    const statuses = desk.place(ALICE, [{ ...PARENT, tif: "Ioc" }, TAKE, STOP], "normalTpsl");
    const text = "Order could not immediately match against any resting orders. asset=0";
    expect(statuses).toEqual([error(text), error(text), error(text)]);
    expect(desk.venue.orders.size).toBe(0);
  });
});

describe("positionTpsl", () => {
  test("answers without oid, follows the position and goes with it", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    const oid = desk.venue.nextOid;
    expect(desk.place(ALICE, [TAKE, STOP], "positionTpsl")).toEqual(["waitingForTrigger", "waitingForTrigger"]);
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    expect([desk.live(oid)?.size, desk.live(oid)?.originalSize]).toEqual([20_000_000n, 20_000_000n]);
    desk.rest(BOB, { buy: true, price: "90500", size: "1" });
    desk.mark("BTC", "91000");
    expect([desk.status(ALICE, oid), desk.status(ALICE, oid + 1)]).toEqual(["siblingFilledCanceled", "filled"]);
    expect(desk.size(ALICE)).toBe("0");
  });

  test("keeps a size of its own when it covers a part", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    const oid = desk.venue.nextOid;
    desk.place(ALICE, { ...STOP, size: "0.05" }, "positionTpsl");
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    expect(shown(desk.live(oid)?.size ?? 0n)).toBe("0.05");
  });

  test("needs a position", () => {
    expect(newDesk().place(ALICE, STOP, "positionTpsl")).toEqual([
      error("Reduce only order would increase position. asset=0"),
    ]);
  });
});
