import { describe, expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { perpFee, perpRateE12, spotFee } from "../../../src/paper/engine/fees.ts";
import type { EngineOptions } from "../../../src/paper/engine/options.ts";
import type { SpotMarket } from "../../../src/paper/engine/state.ts";
import { perpOf } from "../../../src/paper/engine/turn.ts";
import { atRate, times, units } from "../../../src/paper/engine/units.ts";
import { ALICE, BOB, CAROL, newDesk, requestOf, shown } from "./support.ts";

const XYZ_TSLA = 110_001;
const HYPE_USDC = 10_107;

function spotMarket(asset: number): SpotMarket {
  const market = newDesk().venue.markets.get(asset);
  if (market?.kind !== "spot") throw new Error("not a spot market");
  return market;
}

describe("fees", () => {
  // Recorded fills of the exchange: size, price, role, fee.
  test.each([
    ["0.0025", "4307.4", false, "0.004845"],
    ["0.002", "65239", true, "0.019571"],
  ])("cuts a perpetual fee of %s at %s to micro-dollars", (size, price, isMaker, expected) => {
    const { venue } = newDesk();
    const notional = times(units(decimal(size)), units(decimal(price)));
    const charge = perpFee(venue, { market: perpOf(venue, 1), notional, isMaker, builder: null });
    expect(shown(charge.fee)).toBe(expected);
  });

  test("adds a builder fee that is cut on its own: 25.585 with 4 % referral and 1 bp", () => {
    const { venue } = newDesk({ feeDiscountE12: 40_000_000_000n });
    const notional = units(decimal("25.585"));
    const builder = { address: CAROL, feeTenthsBp: 10 };
    const charge = perpFee(venue, { market: perpOf(venue, 5), notional, isMaker: false, builder });
    expect([shown(charge.fee), shown(charge.builderFee)]).toEqual(["0.01361", "0.002558"]);
  });

  // 10^-12: 0.00288 % is 28,800,000.
  test.each<[string, Partial<EngineOptions>, { scale: string; isMaker: boolean }, bigint]>([
    [
      "growth mode and 4 % referral, maker",
      { feeDiscountE12: 40_000_000_000n },
      { scale: "1", isMaker: true },
      28_800_000n,
    ],
    [
      "growth mode and 4 % referral, taker",
      { feeDiscountE12: 40_000_000_000n },
      { scale: "1", isMaker: false },
      86_400_000n,
    ],
    ["growth mode, scale one half", {}, { scale: "0.5", isMaker: false }, 67_500_000n],
    ["growth mode, scale two", {}, { scale: "2", isMaker: false }, 180_000_000n],
  ])("scales a HIP-3 rate: %s", (_name, options, { scale, isMaker }, expected) => {
    const { venue } = newDesk(options);
    const dex = venue.dexes[1];
    if (dex !== undefined) dex.deployerFeeScaleE12 = units(decimal(scale)) * 10_000n;
    expect(perpRateE12(venue, perpOf(venue, XYZ_TSLA), isMaker)).toBe(expected);
  });

  // Recorded: a buy of 0.27 HYPE left 0.26981101, the sale of 0.26 brought 10.55224826.
  test("takes a spot fee in the token received, cut to its wei", () => {
    const { venue } = newDesk();
    const market = spotMarket(HYPE_USDC);
    const buy = { market, isBuy: true, price: units(decimal("41.353")), isMaker: false, builder: null };
    const sell = { ...buy, isBuy: false, price: units(decimal("40.614")) };
    expect(shown(spotFee(venue, { ...buy, notional: units(decimal("11.16531")) }).fee)).toBe("0.00018899");
    expect(shown(spotFee(venue, { ...sell, notional: units(decimal("10.55964")) }).fee)).toBe("0.00739174");
  });

  test("takes a fee in base from a token of fewer wei decimals", () => {
    const { venue } = newDesk();
    const price = units(decimal("0.17"));
    const notional = units(decimal("170"));
    const charge = spotFee(venue, {
      market: spotMarket(10_000),
      isBuy: true,
      price,
      notional,
      isMaker: false,
      builder: null,
    });
    expect(shown(charge.fee)).toBe("0.7");
  });

  test("pays a builder on spot sells and on both sides of perpetuals, never on spot buys", () => {
    const desk = newDesk({ builderNeedsBalance: false });
    for (const user of [ALICE, BOB]) {
      desk.act(user, { type: "approveBuilderFee", builder: CAROL, maxFeeRate: "0.05%" });
    }
    const builder = { b: CAROL, f: 50 };
    for (const asset of [5, HYPE_USDC]) {
      const order = { asset, price: asset === 5 ? "180" : "40", size: "1" };
      for (const [user, wanted] of [
        [ALICE, { ...order, buy: false }],
        [BOB, { ...order, buy: true }],
      ] as const) {
        desk.act(user, { type: "order", orders: [requestOf(wanted)], grouping: "na", builder });
      }
    }
    const fees = (user: string) =>
      desk.fills(user).map(({ builderFee }) => (builderFee === null ? null : shown(builderFee)));
    expect([fees(ALICE), fees(BOB)]).toEqual([
      ["0.09", "0.02"],
      ["0.09", null],
    ]);
  });

  test("leaves a rebate undiscounted", () => {
    const { venue } = newDesk({ perpMakerRateE12: -20_000_000n, feeDiscountE12: 40_000_000_000n });
    expect(atRate(units(decimal("1000")), perpRateE12(venue, perpOf(venue, 0), true))).toBe(-2_000_000n);
  });
});
