import { describe, expect, test } from "bun:test";
import { ALICE, BOB, CAROL, type Desk, error, newDesk, shown } from "./support.ts";

function long(size: string): Desk {
  const desk = newDesk();
  desk.hold(ALICE, { buy: true, price: "95000", size });
  return desk;
}

const SELL = { buy: false, reduceOnly: true } as const;

describe("reduce-only", () => {
  test("is capped to the position without an error", () => {
    const desk = long("0.1");
    desk.rest(BOB, { buy: true, price: "94000", size: "1" });
    const [status] = desk.place(ALICE, { ...SELL, price: "94000", size: "0.3", tif: "Ioc" });
    expect(status).toMatchObject({ filled: { totalSz: "0.1" } });
    expect(desk.size(ALICE)).toBe("0");
  });

  test("is refused on the wrong side, resting or not", () => {
    const desk = long("0.1");
    const text = "Reduce only order would increase position. asset=0";
    for (const tif of ["Gtc", "Alo", "Ioc"] as const) {
      expect(desk.place(ALICE, { ...SELL, buy: true, price: "90000", size: "0.1", tif })).toEqual([error(text)]);
    }
  });

  test("cancels the older order when the newer takes the whole position", () => {
    const desk = long("0.1");
    const older = desk.rest(ALICE, { ...SELL, price: "96000", size: "0.1" });
    const newer = desk.rest(ALICE, { ...SELL, price: "97000", size: "0.1" });
    expect([desk.status(ALICE, older), desk.status(ALICE, newer)]).toEqual(["reduceOnlyCanceled", "open"]);
    expect(desk.events.some((event) => event.kind === "nonUserCancel")).toBe(false);
  });

  test("shrinks the older order to what the newer leaves", () => {
    const desk = long("0.1");
    const older = desk.rest(ALICE, { ...SELL, price: "96000", size: "0.08" });
    const newer = desk.rest(ALICE, { ...SELL, price: "97000", size: "0.05" });
    expect([older, newer].map((oid) => shown(desk.live(oid)?.size ?? 0n))).toEqual(["0.05", "0.05"]);
    expect(shown(desk.live(older)?.originalSize ?? 0n)).toBe("0.08");
  });

  test("shrinks with the position, while the record keeps the size it had when it became open", () => {
    const desk = long("0.1");
    const oid = desk.rest(ALICE, { ...SELL, price: "96000", size: "0.1" });
    desk.hold(ALICE, { buy: false, price: "95000", size: "0.07" });
    expect(shown(desk.live(oid)?.size ?? 0n)).toBe("0.03");
    expect(desk.account(ALICE).records.get(oid)).toMatchObject({ status: "open", order: { size: 10_000_000n } });
  });

  test("never fills beyond the position in the middle of a crossing order", () => {
    const desk = long("0.1");
    desk.rest(ALICE, { buy: false, price: "95500", size: "0.1" });
    const oid = desk.rest(ALICE, { ...SELL, price: "96000", size: "0.1" });
    desk.place(BOB, { buy: true, price: "96000", size: "0.2", tif: "Ioc" });
    expect([desk.size(ALICE), desk.status(ALICE, oid)]).toEqual(["0", "reduceOnlyCanceled"]);
  });

  test("may be below ten dollars only when it closes the whole position", () => {
    const desk = newDesk();
    desk.hold(ALICE, { asset: 1, buy: true, price: "3200", size: "0.004" });
    desk.rest(CAROL, { asset: 1, buy: true, price: "3100", size: "1" });
    const close = { ...SELL, asset: 1, price: "3100", tif: "Ioc" } as const;
    desk.place(ALICE, { ...close, size: "0.001" });
    expect(desk.status(ALICE, desk.venue.nextOid - 1)).toBe("minTradeNtlRejected");
    expect(desk.place(ALICE, { ...close, size: "0.002" })).toEqual([
      error("Order must have minimum value of $10. asset=1"),
    ]);
    expect(desk.place(ALICE, { ...close, size: "0.004" })).toMatchObject([{ filled: { totalSz: "0.004" } }]);
    desk.hold(BOB, { asset: 1, buy: true, price: "3200", size: "0.0032" });
    desk.mark("ETH", "3000");
    expect(desk.place(BOB, { ...close, price: "3000", size: "0.0032" })).toMatchObject([
      { filled: { totalSz: "0.0032" } },
    ]);
  });
});
