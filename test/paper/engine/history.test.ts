import { describe, expect, test } from "bun:test";
import { MAX_HISTORY_ROWS, MAX_ORDER_RECORDS } from "../../../src/paper/engine/history.ts";
import { ALICE, BOB, newDesk, shown } from "./support.ts";

const CLOID = `0x${"c".repeat(32)}`;

describe("order records", () => {
  test("keep the size of the last status change while the live order shrinks", () => {
    const desk = newDesk();
    const oid = desk.rest(ALICE, { buy: true, price: "94000", size: "0.1" });
    desk.place(BOB, { buy: false, price: "94000", size: "0.04", tif: "Ioc" });
    expect(shown(desk.live(oid)?.size ?? 0n)).toBe("0.06");
    expect(shown(desk.account(ALICE).records.get(oid)?.order.size ?? 0n)).toBe("0.1");
    desk.act(ALICE, { type: "cancel", cancels: [{ a: 0, o: oid }], f: false });
    expect(shown(desk.account(ALICE).records.get(oid)?.order.size ?? 0n)).toBe("0.06");
  });

  test("of a filled order hold no size, or the original where the switch says so", () => {
    for (const [filledRecordSize, expected] of [
      ["zero", "0"],
      ["original", "0.1"],
    ] as const) {
      const desk = newDesk({ filledRecordSize });
      const oid = desk.rest(ALICE, { buy: true, price: "94000", size: "0.1" });
      desk.place(BOB, { buy: false, price: "94000", size: "0.1", tif: "Ioc" });
      expect(shown(desk.account(ALICE).records.get(oid)?.order.size ?? 0n)).toBe(expected);
    }
  });

  test("resolve a cloid to the latest order that used it, even a refused one", () => {
    const desk = newDesk();
    const first = desk.rest(ALICE, { buy: true, price: "94000", size: "0.1", cloid: CLOID });
    const second = desk.rest(ALICE, { buy: true, price: "94000", size: "0.0001", cloid: CLOID });
    expect(desk.account(ALICE).cloids.get(CLOID)).toBe(second);
    desk.act(ALICE, { type: "cancel", cancels: [{ a: 0, o: first }], f: false });
    expect(desk.account(ALICE).cloids.get(CLOID)).toBe(second);
    expect([desk.status(ALICE, first), desk.status(ALICE, second)]).toEqual(["canceled", "minTradeNtlRejected"]);
  });

  test("are about the newest 2,000: older ones fall out with their cloid, live ones stay", () => {
    const desk = newDesk({ requestAllowance: 1_000_000 });
    const live = desk.rest(ALICE, { buy: true, price: "94000", size: "0.1" });
    const old = desk.rest(ALICE, { buy: true, price: "94000", size: "0.0001", cloid: CLOID });
    const small = { buy: true, price: "94000", size: "0.0001" };
    const batch = Array.from({ length: 200 }, () => small);
    for (let count = 0; count < 10; count += 1) desk.place(ALICE, batch);
    const account = desk.account(ALICE);
    expect([desk.status(ALICE, old), account.cloids.has(CLOID), desk.status(ALICE, live)]).toEqual([
      "unknownOid",
      false,
      "open",
    ]);
    expect(account.records.size).toBe(MAX_ORDER_RECORDS + 1);
    expect(account.history).toHaveLength(MAX_HISTORY_ROWS);
  });

  test("have one row for every status change", () => {
    const desk = newDesk();
    desk.rest(BOB, { buy: false, price: "95000", size: "0.1" });
    const oid = desk.rest(ALICE, { buy: true, price: "95000", size: "0.1" });
    const rows = desk.account(ALICE).history.filter((row) => row.order.oid === oid);
    expect(rows.map((row) => row.status)).toEqual(["open", "filled"]);
  });
});
