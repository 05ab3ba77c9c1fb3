import { describe, expect, test } from "bun:test";
import { ALICE, BOB, type Desk, error, newDesk, shown, type Wanted } from "./support.ts";

function withLong(desk: Desk): Desk {
  desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
  desk.rest(BOB, { buy: true, price: "89000", size: "1" });
  desk.rest(BOB, { buy: false, price: "99000", size: "1" });
  return desk;
}

const STOP: Wanted = {
  buy: false,
  price: "85000",
  size: "0.1",
  reduceOnly: true,
  trigger: { at: "90000", tpsl: "sl" },
};

describe("triggers", () => {
  // biome-ignore format: a table is read by its columns
  const FIRES: [string, Wanted, string, string][] = [
    ["stop of a long", { buy: false, price: "80000", size: "0.1", trigger: { at: "90000", tpsl: "sl" } }, "90001", "90000"],
    ["take profit of a long", { buy: false, price: "80000", size: "0.1", trigger: { at: "98000", tpsl: "tp" } }, "97999", "98000"],
    ["stop entry of a buyer", { buy: true, price: "110000", size: "0.1", trigger: { at: "98000", tpsl: "sl" } }, "97999", "98000"],
    ["take profit of a short", { buy: true, price: "110000", size: "0.1", trigger: { at: "90000", tpsl: "tp" } }, "90001", "90000"],
  ];

  test.each(FIRES)("fires a %s when mark reaches the price, keeping the oid", (_name, wanted, before, at) => {
    const desk = withLong(newDesk());
    const oid = desk.rest(ALICE, wanted);
    expect(desk.status(ALICE, oid)).toBe("open");
    desk.mark("BTC", before);
    expect(desk.status(ALICE, oid)).toBe("open");
    desk.mark("BTC", at);
    expect(desk.status(ALICE, oid)).toBe("filled");
    expect(desk.fills(ALICE).at(-1)).toMatchObject({ oid, crossed: true });
    const seen = desk.events.flatMap((event) =>
      event.kind === "order" && event.order.oid === oid ? [event.status] : [],
    );
    expect(seen).toEqual(["open", "triggered", "filled"]);
  });

  test("answers resting with an oid, or waitingForTrigger where the switch says so", () => {
    const desk = withLong(newDesk());
    expect(desk.place(ALICE, STOP)).toEqual([{ resting: { oid: desk.venue.nextOid - 1 } }]);
    expect(withLong(newDesk({ plainTriggerReply: "waitingForTrigger" })).place(ALICE, STOP)).toEqual([
      "waitingForTrigger",
    ]);
  });

  test("ends a market trigger that meets nothing", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    const oid = desk.rest(ALICE, STOP);
    desk.mark("BTC", "89000");
    expect(desk.status(ALICE, oid)).toBe("marketOrderNoLiquidityRejected");
  });

  test("rests a limit trigger that does not cross", () => {
    const desk = withLong(newDesk());
    const oid = desk.rest(ALICE, { ...STOP, price: "89500", trigger: { at: "90000", tpsl: "sl", isMarket: false } });
    desk.mark("BTC", "90000");
    expect(desk.status(ALICE, oid)).toBe("triggered");
    expect(desk.live(oid)).toMatchObject({ phase: "resting", isTriggered: true });
  });

  test("binds limit triggers to the worst-price rule only where the switch says so", () => {
    const wanted: Wanted = { ...STOP, price: "91000", trigger: { at: "90000", tpsl: "sl", isMarket: false } };
    expect(withLong(newDesk()).place(ALICE, wanted)).toMatchObject([{ resting: {} }]);
    expect(withLong(newDesk({ worstPriceRule: "all" })).place(ALICE, wanted)).toEqual([
      error("Invalid TP/SL price. asset=0"),
    ]);
  });

  test("caps a reduce-only trigger to the position at the time it fires", () => {
    const desk = withLong(newDesk());
    const oid = desk.rest(ALICE, { ...STOP, size: "0.1" });
    desk.place(BOB, { buy: true, price: "95000", size: "0.06" });
    desk.place(ALICE, { buy: false, price: "95000", size: "0.06", tif: "Ioc" });
    desk.mark("BTC", "90000");
    expect(desk.fills(ALICE).at(-1)).toMatchObject({ oid, size: 4_000_000n });
    expect(desk.size(ALICE)).toBe("0");
  });

  test("cancels reduce-only triggers when the position is gone", () => {
    const desk = withLong(newDesk());
    const oid = desk.rest(ALICE, STOP);
    desk.place(BOB, { buy: true, price: "95000", size: "0.1" });
    desk.place(ALICE, { buy: false, price: "95000", size: "0.1", tif: "Ioc" });
    expect(desk.status(ALICE, oid)).toBe("reduceOnlyCanceled");
  });

  test("takes a reduce-only trigger without a position only where the switch says so", () => {
    const text = "Reduce only order would increase position. asset=0";
    expect(newDesk().place(ALICE, STOP)).toEqual([error(text)]);
    const open = newDesk({ reduceOnlyTriggerWithoutPosition: "accept" });
    expect(open.place(ALICE, STOP)).toMatchObject([{ resting: {} }]);
    open.mark("BTC", "90000");
    expect(open.status(ALICE, open.venue.nextOid - 1)).toBe("reduceOnlyCanceled");
  });

  test("asks for margin only when a trigger fires", () => {
    const desk = newDesk();
    desk.rest(BOB, { buy: false, price: "98000", size: "1" });
    const oid = desk.rest(ALICE, {
      buy: true,
      price: "110000",
      size: "300",
      trigger: { at: "97000", tpsl: "sl", isMarket: false },
    });
    expect(desk.status(ALICE, oid)).toBe("open");
    desk.mark("BTC", "97000");
    expect(desk.status(ALICE, oid)).toBe("marginCanceled");
  });

  test("fires a chain: a stop whose fill trims another order", () => {
    const desk = withLong(newDesk());
    const resting = desk.rest(ALICE, { buy: false, price: "98000", size: "0.1", reduceOnly: true });
    desk.rest(ALICE, STOP);
    desk.mark("BTC", "90000");
    expect(desk.status(ALICE, resting)).toBe("reduceOnlyCanceled");
    expect(desk.venue.orders.size).toBe(2);
  });

  test("fires the oldest first when one mark reaches several", () => {
    const desk = withLong(newDesk());
    const older = desk.rest(ALICE, { ...STOP, size: "0.04", trigger: { at: "90000", tpsl: "sl" } });
    const newer = desk.rest(ALICE, { ...STOP, size: "0.06", trigger: { at: "92000", tpsl: "sl" } });
    desk.mark("BTC", "89500");
    expect(
      desk
        .fills(ALICE)
        .slice(-2)
        .map((fill) => fill.oid),
    ).toEqual([older, newer]);
  });

  test("takes a mark exactly at the trigger as satisfied, unless the switch says otherwise", () => {
    const wanted: Wanted = { ...STOP, trigger: { at: "95000", tpsl: "sl" } };
    expect(withLong(newDesk()).place(ALICE, wanted)).toEqual([error("Invalid TP/SL price. asset=0")]);
    const lenient = withLong(newDesk({ triggerAtMark: "accept" }));
    lenient.place(ALICE, wanted);
    expect(shown(lenient.fills(ALICE).at(-1)?.price ?? 0n)).toBe("89000");
  });
});
