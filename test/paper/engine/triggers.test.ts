import { describe, expect, test } from "bun:test";
import { ALICE, BOB, CAROL, type Desk, error, newDesk, requestOf, shown, statusesOf, type Wanted } from "./support.ts";

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

  // biome-ignore format: a table is read by its columns
  const BETTER_THAN_THE_TRIGGER: [string, Wanted, ("marketStops" | "market" | "all")[]][] = [
    ["a stop at market", { ...STOP, price: "91000" }, ["marketStops", "market", "all"]],
    ["a take profit at market", { ...STOP, price: "98001", trigger: { at: "98000", tpsl: "tp" } }, ["market", "all"]],
    ["a stop limit", { ...STOP, price: "91000", trigger: { at: "90000", tpsl: "sl", isMarket: false } }, ["all"]],
  ];

  test.each(BETTER_THAN_THE_TRIGGER)(
    "binds %s to the worst-price rule as the switch says",
    (_name, wanted, binding) => {
      for (const worstPriceRule of ["marketStops", "market", "all"] as const) {
        const told = withLong(newDesk({ worstPriceRule })).place(ALICE, wanted);
        if (binding.includes(worstPriceRule)) expect(told).toEqual([error("Invalid TP/SL price. asset=0")]);
        else expect(told).toMatchObject([{ resting: {} }]);
      }
    },
  );

  test("answers a modify into a trigger with its oid, however one that is placed is answered", () => {
    const desk = withLong(newDesk({ plainTriggerReply: "waitingForTrigger" }));
    const target = desk.rest(ALICE, { buy: false, price: "98000", size: "0.1", reduceOnly: true });
    const oid = desk.venue.nextOid;
    const modifies = [{ oid: target, order: requestOf(STOP) }];
    const reply = desk.act(ALICE, { type: "batchModify", modifies, a: true });
    expect(statusesOf(reply)).toEqual([{ resting: { oid } }]);
    const unnamed = withLong(newDesk({ plainTriggerReply: "waitingForTrigger", modifyTriggerReply: "asPlaced" }));
    const other = unnamed.rest(ALICE, { buy: false, price: "98000", size: "0.1", reduceOnly: true });
    const again = [{ oid: other, order: requestOf(STOP) }];
    expect(statusesOf(unnamed.act(ALICE, { type: "batchModify", modifies: again, a: true }))).toEqual([
      "waitingForTrigger",
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

  test("takes a reduce-only trigger without a position and refuses it when it fires, or at once where the switch says so", () => {
    const desk = newDesk();
    const oid = desk.rest(ALICE, STOP);
    expect(desk.status(ALICE, oid)).toBe("open");
    desk.mark("BTC", "90000");
    expect(desk.status(ALICE, oid)).toBe("reduceOnlyRejected");
    const strict = newDesk({ reduceOnlyTriggerWithoutPosition: "reject" });
    expect(strict.place(ALICE, STOP)).toEqual([error("Reduce only order would increase position. asset=0")]);
  });

  test("keeps a stop that was there before its position until that position has come and gone", () => {
    const desk = newDesk();
    const stop = desk.rest(ALICE, STOP);
    desk.hold(ALICE, { buy: false, price: "95000", size: "0.1" });
    expect(desk.status(ALICE, stop)).toBe("open");
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.2" });
    expect(desk.size(ALICE)).toBe("0.1");
    expect(desk.status(ALICE, stop)).toBe("open");
    desk.rest(CAROL, { buy: true, price: "95000", size: "0.1" });
    desk.place(ALICE, { buy: false, price: "95000", size: "0.1", tif: "Ioc" });
    expect(desk.status(ALICE, stop)).toBe("reduceOnlyCanceled");
  });

  test("takes size 0 for the whole position as it is when the trigger fires, or refuses it where the switch says so", () => {
    const desk = newDesk();
    const stop = desk.rest(ALICE, { ...STOP, size: "0" });
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.05" });
    desk.rest(BOB, { buy: true, price: "89000", size: "1" });
    desk.mark("BTC", "90000");
    expect(desk.size(ALICE)).toBe("0");
    expect(shown(desk.fills(ALICE).at(-1)?.size ?? 0n)).toBe("0.15");
    expect(desk.status(ALICE, stop)).toBe("filled");
    const strict = withLong(newDesk({ zeroSizeTrigger: "reject" }));
    expect(strict.place(ALICE, { ...STOP, size: "0" })).toEqual([error("Order has zero size.")]);
    expect(newDesk().place(ALICE, { ...STOP, size: "0", reduceOnly: false })).toEqual([error("Order has zero size.")]);
  });

  test("refuses triggers on spot, without a record, unless the switch says otherwise", () => {
    const wanted: Wanted = { asset: 10_107, buy: true, price: "50", size: "1", trigger: { at: "45", tpsl: "sl" } };
    const desk = newDesk();
    const text = "Placing trigger orders is not enabled on spot trading yet. asset=10107";
    expect(desk.place(ALICE, wanted)).toEqual([error(text)]);
    expect(desk.status(ALICE, desk.venue.nextOid - 1)).toBe("unknownOid");
    expect(newDesk({ spotTriggers: "accept" }).place(ALICE, wanted)).toMatchObject([{ resting: {} }]);
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

  test("takes a trigger that is met, answers it as one that waits, and fires it at once", () => {
    const desk = withLong(newDesk());
    const oid = desk.venue.nextOid;
    expect(desk.place(ALICE, { ...STOP, trigger: { at: "96000", tpsl: "sl" } })).toEqual([{ resting: { oid } }]);
    expect(desk.status(ALICE, oid)).toBe("filled");
    expect(shown(desk.fills(ALICE).at(-1)?.price ?? 0n)).toBe("89000");
    const seen = desk.events.flatMap((event) =>
      event.kind === "order" && event.order.oid === oid ? [event.status] : [],
    );
    expect(seen).toEqual(["open", "triggered", "filled"]);
  });

  test("refuses one that is met where the switch says so; a second one says whether mark exactly at it counts", () => {
    const met: Wanted = { ...STOP, trigger: { at: "96000", tpsl: "sl" } };
    const atMark: Wanted = { ...STOP, trigger: { at: "95000", tpsl: "sl" } };
    const strict = withLong(newDesk({ metTrigger: "reject" }));
    const oid = strict.venue.nextOid;
    expect(strict.place(ALICE, met)).toEqual([error("Invalid TP/SL price. asset=0")]);
    expect(strict.status(ALICE, oid)).toBe("badTriggerPxRejected");
    expect(strict.place(ALICE, atMark)).toEqual([error("Invalid TP/SL price. asset=0")]);
    const lenient = withLong(newDesk({ metTrigger: "reject", triggerAtMark: "accept" }));
    expect(lenient.place(ALICE, met)).toEqual([error("Invalid TP/SL price. asset=0")]);
    lenient.place(ALICE, atMark);
    expect(shown(lenient.fills(ALICE).at(-1)?.price ?? 0n)).toBe("89000");
  });
});
