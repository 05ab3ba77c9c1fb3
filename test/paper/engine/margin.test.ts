import { describe, expect, test } from "bun:test";
import { decimal, fromUnits } from "../../../src/core/decimal.ts";
import {
  availableToTrade,
  entryPrice,
  liquidationPriceE10,
  maintenanceMargin,
  marginUsed,
  poolOf,
  unrealizedPnl,
  withdrawable,
} from "../../../src/paper/engine/margin.ts";
import type { VenuePosition } from "../../../src/paper/engine/state.ts";
import { perpOf } from "../../../src/paper/engine/turn.ts";
import { cut, units } from "../../../src/paper/engine/units.ts";
import { ALICE, BOB, type Desk, newDesk, shown } from "./support.ts";

type Held = { size: string; entry: string; isCross: boolean; leverage: number; margin?: string };

/** Puts a position into an account as a recorded answer of the exchange describes it. */
function given(desk: Desk, asset: number, held: Held): VenuePosition {
  const size = units(decimal(held.size));
  const position: VenuePosition = {
    asset,
    size,
    signedEntry: (size * units(decimal(held.entry))) / 100_000_000n,
    isCross: held.isCross,
    leverage: held.leverage,
    isolatedMargin: units(decimal(held.margin ?? "0")),
    funding: { allTime: 0n, sinceOpen: 0n, sinceChange: 0n },
  };
  desk.account(ALICE).positions.set(asset, position);
  return position;
}

function setCash(desk: Desk, cash: string): void {
  desk.account(ALICE).cash.set(0, units(decimal(cash)));
}

describe("margin", () => {
  // Recorded: HYPE 2.0 isolated 10x, rawUsd -68.126246, value 75.652, margin used 7.525754, liquidation 35.8559189474.
  test("reproduces an isolated position of the exchange to the last digit", () => {
    const desk = newDesk();
    const market = perpOf(desk.venue, 5);
    market.maxLeverage = 10;
    market.marginTableId = 10;
    market.markPrice = units(decimal("37.826"));
    const position = given(desk, 5, { size: "2", entry: "37.829", isCross: false, leverage: 10, margin: "7.531754" });
    expect(shown(position.isolatedMargin - position.signedEntry)).toBe("-68.126246");
    expect(shown(marginUsed(market, position))).toBe("7.525754");
    expect(shown(unrealizedPnl(market, position))).toBe("-0.006");
    const price = liquidationPriceE10(desk.venue, desk.account(ALICE), position);
    expect(fromUnits(price ?? 0n, 10)).toBe(decimal("35.8559189474"));
  });

  // The documentation's own example: ETH 0.0335 at 2986.3, isolated 20x of 50x, liquidation 2866.26936529.
  test("reproduces the documented liquidation price", () => {
    const desk = newDesk();
    const market = perpOf(desk.venue, 1);
    market.maxLeverage = 50;
    market.marginTableId = 50;
    market.markPrice = units(decimal("2985.9"));
    const position = given(desk, 1, {
      size: "0.0335",
      entry: "2986.3",
      isCross: false,
      leverage: 20,
      margin: "4.9812265",
    });
    expect(shown(cut(marginUsed(market, position), 6))).toBe("4.967826");
    const price = liquidationPriceE10(desk.venue, desk.account(ALICE), position);
    expect(fromUnits((price ?? 0n) / 100n, 8)).toBe(decimal("2866.26936529"));
  });

  // Recorded: cash 131.345076 with entry legs, one cross position of 47.66235 at 20x.
  test("reproduces account value, margin used and withdrawable of a cross account", () => {
    const desk = newDesk();
    const market = perpOf(desk.venue, 0);
    market.markPrice = units(decimal("95324.7"));
    given(desk, 0, { size: "0.0005", entry: "95324.7", isCross: true, leverage: 20 });
    setCash(desk, "179.007426");
    const account = desk.account(ALICE);
    const pool = poolOf(desk.venue, account, 0);
    expect(shown(pool.accountValue)).toBe("179.007426");
    expect(shown(cut(pool.crossMarginUsed, 6))).toBe("2.383117");
    expect(shown(cut(pool.crossMaintenance, 6))).toBe("0.595779");
    expect(shown(cut(withdrawable(desk.venue, account, 0), 6))).toBe("174.241191");
    expect(shown(cut(availableToTrade(desk.venue, account, 0), 6))).toBe("176.624308");
  });

  test.each([
    ["377667", "4720.8375"],
    ["150000000", "1875000"],
    ["200000000", "3125000"],
  ])("needs a maintenance margin for a notional of %s of %s", (notional, expected) => {
    const { venue } = newDesk();
    expect(shown(maintenanceMargin(venue, perpOf(venue, 0), units(decimal(notional))))).toBe(expected);
  });

  test("has no liquidation price where none is positive", () => {
    const desk = newDesk();
    const position = given(desk, 0, { size: "0.00015", entry: "79449.2", isCross: true, leverage: 5 });
    expect(liquidationPriceE10(desk.venue, desk.account(ALICE), position)).toBeNull();
  });

  test("finds the liquidation price in the tier of the price itself", () => {
    const desk = newDesk();
    const position = given(desk, 0, { size: "-2000", entry: "95000", isCross: true, leverage: 10 });
    setCash(desk, "20000000");
    const price = liquidationPriceE10(desk.venue, desk.account(ALICE), position);
    if (price === null) throw new Error("no price");
    const market = perpOf(desk.venue, 0);
    market.markPrice = price / 100n;
    const pool = poolOf(desk.venue, desk.account(ALICE), 0);
    const gap = pool.accountValue - pool.crossMaintenance;
    expect(gap < 10n ** 8n && gap > -(10n ** 8n)).toBe(true);
  });

  test("averages the entry over openings, keeps it while reducing, restarts it on a flip", () => {
    const desk = newDesk();
    const entry = () => shown(entryPrice(perpOf(desk.venue, 0), desk.position(ALICE) ?? given(desk, 0, NOTHING)));
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    desk.hold(ALICE, { buy: true, price: "96000", size: "0.3" });
    expect(entry()).toBe("95750");
    desk.hold(ALICE, { buy: false, price: "97000", size: "0.2" });
    expect(entry()).toBe("95750");
    expect(shown(desk.fills(ALICE).at(-1)?.closedPnl ?? 0n)).toBe("250");
    desk.hold(ALICE, { buy: false, price: "94000", size: "0.3" });
    expect([entry(), desk.size(ALICE), desk.fills(ALICE).at(-1)?.dir]).toEqual(["94000", "-0.1", "Long > Short"]);
  });

  test("leaves the fee out of closedPnl", () => {
    const desk = newDesk();
    desk.hold(ALICE, { asset: 1, buy: true, price: "2080.2", size: "0.01" });
    desk.hold(ALICE, { asset: 1, buy: false, price: "2067.2", size: "0.01" });
    const last = desk.fills(ALICE).at(-1);
    expect([shown(last?.closedPnl ?? 0n), last?.dir]).toEqual(["-0.13", "Close Long"]);
  });

  test("reserves margin for resting orders that add, none for those that reduce, none for triggers", () => {
    const desk = newDesk();
    const free = () => shown(availableToTrade(desk.venue, desk.account(ALICE), 0));
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    const before = free();
    desk.rest(ALICE, { buy: false, price: "96000", size: "0.1" });
    desk.rest(ALICE, { buy: false, price: "94000", size: "0.1", trigger: { at: "94500", tpsl: "sl" } });
    expect(free()).toBe(before);
    const reducing = desk.rest(ALICE, { buy: false, price: "97000", size: "0.1", reduceOnly: true });
    expect(free()).toBe(before);
    desk.act(ALICE, { type: "cancel", cancels: [{ a: 0, o: reducing }], f: false });
    desk.rest(ALICE, { buy: true, price: "90000", size: "0.2" });
    expect(Number(before) - Number(free())).toBeCloseTo(900, 6);
    desk.rest(ALICE, { buy: false, price: "96000", size: "0.1" });
    expect(Number(before) - Number(free())).toBeCloseTo(900 + 480, 6);
  });

  test("cancels a resting order whose margin is gone when it would match", () => {
    const desk = newDesk();
    const oid = desk.rest(BOB, { buy: true, price: "94000", size: "15" });
    desk.account(BOB).cash.set(0, units(decimal("1000")));
    expect(desk.place(ALICE, { buy: false, price: "94000", size: "1", tif: "Ioc" })).toEqual([
      { error: "Order could not immediately match against any resting orders. asset=0" },
    ]);
    expect(desk.status(BOB, oid)).toBe("marginCanceled");
    expect(desk.events).toContainEqual({ kind: "nonUserCancel", user: BOB, coin: "BTC", oid });
  });

  test("stops a market order at a price that its margin cannot carry", () => {
    const desk = newDesk();
    desk.act(ALICE, { type: "updateLeverage", asset: 0, isCross: true, leverage: 40 });
    desk.rest(BOB, { buy: false, price: "95100", size: "1" });
    desk.rest(BOB, { buy: false, price: "110000", size: "9" });
    const [status] = desk.place(ALICE, { buy: true, price: "110000", size: "10", tif: "Ioc" });
    expect(status).toMatchObject({ filled: { totalSz: "1.0" } });
    expect(desk.place(ALICE, { buy: true, price: "110000", size: "9", tif: "Ioc" })).toEqual([
      { error: "Insufficient margin to place order. asset=0" },
    ]);
  });

  test("lets a resting order that only reduces match when the account is short of margin", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "10" });
    const oid = desk.rest(ALICE, { buy: false, price: "95000", size: "4" });
    desk.account(ALICE).cash.set(0, units(decimal("20000")));
    desk.place(BOB, { buy: true, price: "95000", size: "4", tif: "Ioc" });
    expect([desk.status(ALICE, oid), desk.size(ALICE)]).toEqual(["filled", "6"]);
  });

  test("refuses a position beyond the tier of its leverage", () => {
    const desk = newDesk();
    desk.fund(ALICE, "100000000");
    desk.act(ALICE, { type: "updateLeverage", asset: 0, isCross: true, leverage: 40 });
    const oid = desk.venue.nextOid;
    const text = "Order would exceed maximum position size for current leverage. asset=0";
    expect(desk.place(ALICE, { buy: true, price: "95000", size: "1600" })).toEqual([{ error: text }]);
    expect(desk.status(ALICE, oid)).toBe("perpMaxPositionRejected");
  });

  test("refuses to open more while open interest is at its cap, and lets positions close", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.2" });
    perpOf(desk.venue, 0).openInterestCap = units(decimal("19000"));
    expect(desk.place(BOB, { buy: true, price: "94000", size: "0.1" })).toEqual([
      { error: "Cannot increase position when open interest is at cap. asset=0" },
    ]);
    expect(desk.place(ALICE, { buy: false, price: "96000", size: "0.1" })).toMatchObject([{ resting: {} }]);
  });
});

const NOTHING: Held = { size: "0", entry: "0", isCross: true, leverage: 1 };
