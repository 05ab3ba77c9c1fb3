import { describe, expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { leverageSetting } from "../../../src/paper/engine/leverage-setting.ts";
import { liquidationPriceE10, marginUsed } from "../../../src/paper/engine/margin.ts";
import { perpOf } from "../../../src/paper/engine/turn.ts";
import { units } from "../../../src/paper/engine/units.ts";
import { ALICE, type Desk, newDesk, shown } from "./support.ts";

const HPOS = 6;
const XYZ100 = 110_000;
const TSLA = 110_001;

function lever(desk: Desk, asset: number, isCross: boolean, leverage: number): string {
  const reply = desk.act(ALICE, { type: "updateLeverage", asset, isCross, leverage });
  return reply.status === "err" ? reply.response : reply.response.type;
}

function addMargin(desk: Desk, asset: number, ntli: bigint): string {
  const reply = desk.act(ALICE, { type: "updateIsolatedMargin", asset, isBuy: true, ntli });
  return reply.status === "err" ? reply.response : reply.response.type;
}

describe("updateLeverage", () => {
  test("starts at cross 20x, or the most that the market allows", () => {
    const desk = newDesk();
    const setting = (asset: number) => leverageSetting(desk.account(ALICE), perpOf(desk.venue, asset));
    expect(setting(0)).toEqual({ isCross: true, leverage: 20 });
    expect(setting(HPOS)).toEqual({ isCross: false, leverage: 3 });
    expect(setting(XYZ100)).toEqual({ isCross: false, leverage: 20 });
  });

  // biome-ignore format: a table is read by its columns
  test.each<[string, number, { isCross: boolean; leverage: number }, string]>([
    ["zero", 0, { isCross: true, leverage: 0 }, "Invalid leverage value"],
    ["above the market's", 0, { isCross: true, leverage: 41 }, "Invalid leverage value"],
    ["the market's", 0, { isCross: true, leverage: 40 }, "default"],
    ["cross on a strictly isolated market", HPOS, { isCross: true, leverage: 2 }, "Cross margin is not allowed for this asset."],
    ["cross on a market without cross", XYZ100, { isCross: true, leverage: 2 }, "Cross margin is not allowed for this asset."],
    ["isolated there", XYZ100, { isCross: false, leverage: 2 }, "default"],
    ["a spot pair", 10_000, { isCross: true, leverage: 2 }, "Invalid leverage value"],
  ])("answers %s", (_name, asset, { isCross, leverage }, expected) => {
    expect(lever(newDesk(), asset, isCross, leverage)).toBe(expected);
  });

  test("never switches between cross and isolated with a position", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    expect(lever(desk, 0, false, 20)).toBe("Cannot switch leverage type with open position.");
    expect(lever(desk, 0, true, 3)).toBe("default");
    expect(lever(desk, 0, true, 10)).toBe("default");
    expect(shown(marginUsed(perpOf(desk.venue, 0), desk.position(ALICE) ?? never()))).toBe("950");
  });

  test("lowers a cross position only with free collateral", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "10" });
    const text =
      "Cross position does not have sufficient margin available to decrease leverage. " +
      "To decrease leverage, deposit more collateral.";
    expect(lever(desk, 0, true, 9)).toBe(text);
    expect(lever(desk, 0, true, 10)).toBe("default");
  });

  test("does not move the margin of an isolated position", () => {
    const desk = newDesk();
    lever(desk, 0, false, 5);
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    const position = desk.position(ALICE) ?? never();
    const before = [position.isolatedMargin, liquidationPriceE10(desk.venue, desk.account(ALICE), position)];
    expect(lever(desk, 0, false, 10)).toBe("default");
    expect([position.isolatedMargin, liquidationPriceE10(desk.venue, desk.account(ALICE), position)]).toEqual(before);
    expect(lever(desk, 0, false, 3)).toBe(
      "Isolated position does not have sufficient margin available to decrease leverage. " +
        "To decrease leverage, add margin to the position.",
    );
    expect(addMargin(desk, 0, 1_300_000_000n)).toBe("default");
    expect(lever(desk, 0, false, 3)).toBe("default");
  });
});

describe("updateIsolatedMargin", () => {
  function isolated(asset = 0): Desk {
    const desk = newDesk();
    lever(desk, asset, false, asset === 0 ? 20 : 2);
    desk.hold(
      ALICE,
      asset === 0 ? { buy: true, price: "95000", size: "0.1" } : { asset, buy: true, price: "400", size: "10" },
    );
    return desk;
  }

  test("moves notional / leverage in when opening and releases it pro rata when closing", () => {
    const desk = isolated();
    const cash = desk.account(ALICE).cash.get(0) ?? 0n;
    expect(shown(desk.position(ALICE)?.isolatedMargin ?? 0n)).toBe("475");
    expect(shown(cash)).toBe("99520.725");
    desk.hold(ALICE, { buy: false, price: "95000", size: "0.04" });
    expect(shown(desk.position(ALICE)?.isolatedMargin ?? 0n)).toBe("285");
    expect(shown(desk.account(ALICE).cash.get(0) ?? 0n)).toBe("99709.015");
  });

  test("adds and removes micro-dollars", () => {
    const desk = isolated();
    expect(addMargin(desk, 0, 600_000_001n)).toBe("default");
    expect(shown(desk.position(ALICE)?.isolatedMargin ?? 0n)).toBe("1075.000001");
    expect(addMargin(desk, 0, -125_000_001n)).toBe("default");
    expect(shown(desk.position(ALICE)?.isolatedMargin ?? 0n)).toBe("950");
  });

  test("keeps a tenth of the notional, or the initial margin where that is more", () => {
    const desk = isolated();
    addMargin(desk, 0, 600_000_000n);
    const text = "Position does not have sufficient margin for reduction.";
    expect(addMargin(desk, 0, -125_000_001n)).toBe(text);
    lever(desk, 0, false, 9);
    expect(addMargin(desk, 0, -20_000_000n)).toBe(text);
    expect(addMargin(desk, 0, -19_000_000n)).toBe("default");
  });

  // biome-ignore format: a table is read by its columns
  test.each<[string, (desk: Desk) => string, string]>([
    ["nothing", (desk) => addMargin(desk, 0, 0n), "Update to isolated margin cannot be zero."],
    ["no position", (desk) => addMargin(desk, 1, 1n), "Cannot update margin for empty position."],
    ["a cross position", (desk) => { desk.hold(ALICE, { asset: 1, buy: true, price: "3200", size: "1" }); return addMargin(desk, 1, 1n); }, "Position does not use isolated margin."],
    ["more than there is", (desk) => addMargin(desk, 0, 100_000_000_000n), "Account does not have sufficient margin available for increase."],
  ])("refuses %s", (_name, act, text) => {
    expect(act(isolated())).toBe(text);
  });

  test("removes nothing from a strictly isolated position", () => {
    const text = "Cannot remove isolated margin for this asset. To remove margin, reduce the position.";
    expect(addMargin(isolated(TSLA), TSLA, -1n)).toBe(text);
  });

  test("tops a strictly isolated position up to a leverage", () => {
    const desk = isolated(TSLA);
    desk.mark("xyz:TSLA", "400");
    const topUp = (asset: number, leverage: string) =>
      desk.act(ALICE, { type: "topUpIsolatedOnlyMargin", asset, leverage: decimal(leverage) });
    expect(topUp(0, "1")).toEqual({ status: "err", response: "Asset not strict isolated" });
    expect(topUp(TSLA, "1")).toEqual({ status: "ok", response: { type: "default" } });
    expect(desk.position(ALICE, TSLA)?.isolatedMargin).toBe(units(decimal("4000")));
    expect(topUp(TSLA, "2")).toEqual({ status: "ok", response: { type: "default" } });
    expect(desk.position(ALICE, TSLA)?.isolatedMargin).toBe(units(decimal("4000")));
  });

  test("draws on the balance of its own dex", () => {
    const desk = isolated(TSLA);
    const { cash } = desk.account(ALICE);
    expect(shown(cash.get(0) ?? 0n)).toBe("100000");
    // 4,000 of notional at 2x, and a taker fee of 0.009 %.
    expect(shown(cash.get(1) ?? 0n)).toBe("97999.64");
  });
});

function never(): never {
  throw new Error("no position");
}
