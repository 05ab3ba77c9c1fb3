import { describe, expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { LIQUIDATOR } from "../../../src/paper/engine/liquidation.ts";
import { units } from "../../../src/paper/engine/units.ts";
import { faultsOf } from "./invariants.ts";
import { ALICE, BOB, type Desk, newDesk, shown } from "./support.ts";

/** ALICE long at 95,000 with the cash given, BOB's deep bid at a price. */
function danger(size: string, cash: string, bid: string | null): Desk {
  const desk = newDesk();
  desk.fund(BOB, "10000000");
  desk.hold(ALICE, { buy: true, price: "95000", size });
  const account = desk.account(ALICE);
  const before = account.cash.get(0) ?? 0n;
  account.cash.set(0, units(decimal(cash)));
  // What was taken away is paid out, so that the sum stays.
  desk.venue.pools.netDeposits.set(0, (desk.venue.pools.netDeposits.get(0) ?? 0n) + units(decimal(cash)) - before);
  if (bid !== null) desk.rest(BOB, { buy: true, price: bid, size: "50" });
  return desk;
}

function liquidations(desk: Desk): number {
  return desk.events.filter((event) => event.kind === "liquidation").length;
}

describe("liquidation", () => {
  test("waits until equity is below maintenance: 9,500 at 40x maximum need 118.75", () => {
    const desk = danger("0.1", "1000", "86000");
    desk.mark("BTC", "86200");
    expect([liquidations(desk), desk.size(ALICE)]).toEqual([0, "0.1"]);
    // 1,000 - 0.1 * 8,925 = 107.50 against 86,075 * 0.1 / 80 = 107.59.
    desk.mark("BTC", "86075");
    expect([liquidations(desk), desk.size(ALICE)]).toEqual([1, "0"]);
    expect(faultsOf(desk.venue)).toEqual([]);
  });

  test("leaves alone whose equity is just what maintenance needs", () => {
    const desk = danger("0.1", "1007.5", "85900");
    // 1,007.50 - 0.1 * 9,000 = 107.50, as 86,000 * 0.1 / 80.
    desk.mark("BTC", "86000");
    expect([liquidations(desk), desk.size(ALICE)]).toEqual([0, "0.1"]);
    desk.mark("BTC", "85999");
    expect([liquidations(desk), desk.size(ALICE)]).toEqual([1, "0"]);
  });

  test("begins with the largest position, and ends once the account is well again", () => {
    const desk = danger("0.1", "1065", "86000");
    desk.hold(ALICE, { asset: 1, buy: true, price: "3200", size: "1" });
    desk.rest(BOB, { asset: 1, buy: true, price: "3190", size: "5" });
    desk.mark("BTC", "86075");
    expect([liquidations(desk), desk.size(ALICE), desk.size(ALICE, 1)]).toEqual([1, "0", "1"]);
    expect(faultsOf(desk.venue)).toEqual([]);
  });

  test("takes no isolated position over with the cross ones", () => {
    const desk = danger("0.1", "1300", null);
    desk.act(ALICE, { type: "updateLeverage", asset: 1, isCross: false, leverage: 20 });
    desk.hold(ALICE, { asset: 1, buy: true, price: "3200", size: "1" });
    desk.mark("BTC", "83000");
    expect([liquidations(desk), desk.size(ALICE), desk.size(ALICE, 1)]).toEqual([1, "0", "1"]);
    expect([desk.size(LIQUIDATOR), desk.size(LIQUIDATOR, 1)]).toEqual(["0.1", "0"]);
    expect(faultsOf(desk.venue)).toEqual([]);
  });

  test("closes at market and says so on both fills", () => {
    const desk = danger("0.1", "1000", "86000");
    desk.mark("BTC", "86075");
    const liquidation = { liquidatedUser: ALICE, markPrice: units(decimal("86075")), method: "market" };
    expect(desk.fills(ALICE).at(-1)).toMatchObject({ dir: "Liquidated Cross Long", crossed: true, liquidation });
    expect(desk.fills(BOB).at(-1)).toMatchObject({ dir: "Open Long", crossed: false, liquidation });
    expect(desk.account(ALICE).ledger.at(-1)?.delta).toMatchObject({ type: "liquidation", leverageType: "Cross" });
  });

  test("cancels the account's open orders first", () => {
    const desk = danger("0.1", "1000", "86000");
    const oid = desk.rest(ALICE, { buy: true, price: "80000", size: "0.01" });
    desk.mark("BTC", "86075");
    expect(desk.status(ALICE, oid)).toBe("liquidatedCanceled");
    expect(desk.events).toContainEqual({ kind: "nonUserCancel", user: ALICE, coin: "BTC", oid });
  });

  test("takes a fifth of a position above 100,000 dollars, and the next one after 30 s", () => {
    const desk = danger("2", "20000", "86000");
    desk.mark("BTC", "86050");
    expect(desk.size(ALICE)).toBe("1.6");
    desk.wait(29_999);
    expect(desk.size(ALICE)).toBe("1.6");
    desk.mark("BTC", "85800");
    expect(desk.size(ALICE)).toBe("1.6");
    desk.wait(1);
    expect(desk.size(ALICE)).toBe("1.28");
    expect(faultsOf(desk.venue)).toEqual([]);
  });

  test("hands everything to the backstop below two thirds of maintenance", () => {
    const desk = danger("0.1", "1000", null);
    desk.mark("BTC", "85500");
    expect(desk.size(ALICE)).toBe("0");
    expect(desk.fills(ALICE).at(-1)?.liquidation?.method).toBe("backstop");
    expect([desk.size(LIQUIDATOR), shown(desk.account(ALICE).cash.get(0) ?? 0n)]).toEqual(["0.1", "0"]);
    expect(faultsOf(desk.venue)).toEqual([]);
  });

  test("draws the line of the backstop at two thirds of maintenance", () => {
    // 107.59 of maintenance or a little less; two thirds are about 71.6.
    for (const [mark, method] of [
      ["85720", "market"],
      ["85700", "backstop"],
    ] as const) {
      const desk = danger("0.1", "1000", "85600");
      desk.mark("BTC", mark);
      expect(desk.fills(ALICE).at(-1)?.liquidation?.method).toBe(method);
    }
  });

  test("leaves no debt behind when the book was far below mark", () => {
    const desk = danger("0.1", "1000", "80000");
    desk.mark("BTC", "86075");
    expect([desk.size(ALICE), desk.account(ALICE).cash.get(0)]).toEqual(["0", 0n]);
    expect((desk.account(LIQUIDATOR).cash.get(0) ?? 0n) < 0n).toBe(true);
    expect(faultsOf(desk.venue)).toEqual([]);
  });

  test("hands an isolated position with its collateral to the backstop, and nothing else", () => {
    const desk = newDesk();
    desk.act(ALICE, { type: "updateLeverage", asset: 0, isCross: false, leverage: 20 });
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    const cash = desk.account(ALICE).cash.get(0);
    desk.mark("BTC", "90000");
    expect([desk.size(ALICE), desk.account(ALICE).cash.get(0)]).toEqual(["0", cash]);
    expect(desk.size(LIQUIDATOR)).toBe("0.1");
    expect(faultsOf(desk.venue)).toEqual([]);
  });

  test("tries again on a book that was empty", () => {
    const desk = danger("0.1", "1000", null);
    desk.mark("BTC", "86075");
    expect(desk.size(ALICE)).toBe("0.1");
    desk.rest(BOB, { buy: true, price: "86000", size: "1" });
    desk.wait(30_000);
    expect(desk.size(ALICE)).toBe("0");
  });

  test("leaves the account alone once it is well again", () => {
    const desk = danger("0.1", "1000", null);
    desk.mark("BTC", "86075");
    desk.mark("BTC", "95000");
    desk.wait(60_000);
    expect([desk.size(ALICE), desk.account(ALICE).liquidationAfterMs.size]).toEqual(["0.1", 0]);
  });

  test("costs an isolated position its own collateral and no more", () => {
    const desk = newDesk();
    desk.fund(BOB, "10000000");
    desk.act(ALICE, { type: "updateLeverage", asset: 0, isCross: false, leverage: 20 });
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    const cash = desk.account(ALICE).cash.get(0);
    desk.rest(BOB, { buy: true, price: "89000", size: "1" });
    desk.mark("BTC", "91390");
    expect(desk.size(ALICE)).toBe("0");
    expect(desk.account(ALICE).cash.get(0)).toBe(cash);
    expect(desk.fills(ALICE).at(-1)?.dir).toBe("Liquidated Isolated Long");
    expect(faultsOf(desk.venue)).toEqual([]);
  });

  test("leaves other isolated positions and their orders alone", () => {
    const desk = newDesk();
    desk.act(ALICE, { type: "updateLeverage", asset: 0, isCross: false, leverage: 20 });
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    desk.hold(ALICE, { asset: 1, buy: true, price: "3200", size: "1" });
    const oid = desk.rest(ALICE, { asset: 1, buy: true, price: "3000", size: "1" });
    desk.mark("BTC", "90000");
    expect([desk.size(ALICE), desk.size(ALICE, 1), desk.status(ALICE, oid)]).toEqual(["0", "1", "open"]);
  });

  test("follows from funding as well", () => {
    const desk = danger("0.1", "1000", "86000");
    desk.mark("BTC", "86090");
    expect(liquidations(desk)).toBe(0);
    desk.account(ALICE).cash.set(0, units(decimal("998.7")));
    desk.wait(3_600_000);
    expect(liquidations(desk)).toBe(1);
  });
});
