import { describe, expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { hourlyRateE12, impactPrices, premiumE12 } from "../../../src/paper/engine/funding.ts";
import { perpOf } from "../../../src/paper/engine/turn.ts";
import { units } from "../../../src/paper/engine/units.ts";
import { setOraclePrice } from "../../../src/paper/engine/venue.ts";
import { ALICE, BOB, CAROL, type Desk, newDesk, shown } from "./support.ts";

const HOUR_MS = 3_600_000;

/** Makes the next hour pay this premium: the sample of the hour itself is of an empty book. */
function premium(desk: Desk, asset: number, valueE12: bigint): void {
  const market = perpOf(desk.venue, asset);
  market.premiumSumE12 = 2n * valueE12;
  market.premiumSamples = 1;
}

function justBeforeTheHour(desk: Desk): void {
  desk.wait(desk.venue.nextFundingMs - desk.nowMs - 1);
}

describe("funding", () => {
  // Premium of 8 hours, rate of one hour; both in 10^-12.
  test.each([
    ["no premium: the base rate", 0n, 12_500_000n],
    ["a premium within the clamp", 300_000_000n, 12_500_000n],
    ["a premium above it", 1_000_000_000n, 62_500_000n],
    ["a discount below it", -1_000_000_000n, -62_500_000n],
    ["a premium beyond the cap of 4 % an hour", 1_000_000_000_000n, 40_000_000_000n],
  ])("pays for %s", (_name, average, expected) => {
    expect(hourlyRateE12(average)).toBe(expected);
  });

  test("takes from longs and gives to shorts at the hour, in micro-dollars of the oracle's value", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.00012" });
    const cash = desk.account(ALICE).cash.get(0) ?? 0n;
    justBeforeTheHour(desk);
    premium(desk, 0, 1_000_000_000n);
    setOraclePrice(desk.venue, "BTC", units(decimal("66000")), desk.nowMs);
    expect(desk.account(ALICE).fundings).toHaveLength(0);
    desk.wait(1);
    // 0.00012 * 66,000 * 0.0000625 = 0.000495.
    expect(desk.account(ALICE).fundings).toMatchObject([{ coin: "BTC", usdc: -49_500n, size: 12_000n }]);
    expect(desk.account(CAROL).fundings).toMatchObject([{ usdc: 49_500n }]);
    expect((desk.account(ALICE).cash.get(0) ?? 0n) - cash).toBe(-49_500n);
    expect(desk.position(ALICE)?.funding).toEqual({ allTime: 49_500n, sinceOpen: 49_500n, sinceChange: 49_500n });
    expect(desk.position(ALICE)?.signedEntry).toBe(units(decimal("11.4")));
  });

  test("comes out of the collateral of an isolated position", () => {
    const desk = newDesk();
    desk.act(ALICE, { type: "updateLeverage", asset: 0, isCross: false, leverage: 10 });
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    const cash = desk.account(ALICE).cash.get(0);
    justBeforeTheHour(desk);
    premium(desk, 0, 0n);
    desk.wait(1);
    expect(desk.account(ALICE).cash.get(0)).toBe(cash);
    expect(shown(desk.position(ALICE)?.isolatedMargin ?? 0n)).toBe("949.88125");
  });

  test("averages the premium of the book over the hour", () => {
    const desk = newDesk();
    desk.rest(BOB, { asset: 1, buy: true, price: "3216", size: "10" });
    desk.rest(BOB, { asset: 1, buy: false, price: "3220", size: "10" });
    const market = perpOf(desk.venue, 1);
    expect(impactPrices(desk.venue, market)).toEqual({ bid: units(decimal("3216")), ask: units(decimal("3220")) });
    expect(premiumE12(desk.venue, market)).toBe(5_000_000_000n);
    desk.wait(desk.venue.nextFundingMs - desk.nowMs);
    expect(market.fundingHistory.at(-1)).toMatchObject({ premiumE12: 5_000_000_000n, fundingRateE12: 562_500_000n });
  });

  test("has no premium on a book that is too thin, and the middle over the oracle on another dex", () => {
    const desk = newDesk();
    const market = perpOf(desk.venue, 110_001);
    expect(premiumE12(desk.venue, market)).toBe(0n);
    desk.rest(BOB, { asset: 110_001, buy: true, price: "399", size: "20" });
    desk.rest(BOB, { asset: 110_001, buy: false, price: "405", size: "20" });
    setOraclePrice(desk.venue, "xyz:TSLA", units(decimal("400")), desk.nowMs);
    expect(premiumE12(desk.venue, market)).toBe(5_000_000_000n);
  });

  test("walks the book for its impact price", () => {
    const desk = newDesk();
    desk.rest(BOB, { asset: 5, buy: true, price: "180", size: "20" });
    desk.rest(BOB, { asset: 5, buy: true, price: "160", size: "50" });
    desk.rest(BOB, { asset: 5, buy: false, price: "200", size: "100" });
    const prices = impactPrices(desk.venue, perpOf(desk.venue, 5));
    // 6,000 dollars: 20 at 180, then 15 at 160.
    expect([shown(prices?.bid ?? 0n), shown(prices?.ask ?? 0n)]).toEqual(["171.42857142", "200"]);
  });

  test("is remembered for all time, since the position was opened and since it changed", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    desk.wait(HOUR_MS);
    const hour = units(decimal("0.11875"));
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    expect(desk.position(ALICE)?.funding).toEqual({ allTime: hour, sinceOpen: hour, sinceChange: 0n });
    desk.hold(ALICE, { buy: false, price: "95000", size: "0.3" });
    expect(desk.position(ALICE)?.funding).toEqual({ allTime: hour, sinceOpen: 0n, sinceChange: 0n });
  });

  test("is paid once an hour, however late the clock is looked at", () => {
    const desk = newDesk();
    desk.hold(ALICE, { buy: true, price: "95000", size: "0.1" });
    desk.wait(5 * HOUR_MS + 1);
    expect(desk.account(ALICE).fundings.map((payment) => payment.timeMs % HOUR_MS)).toEqual([0, 0, 0, 0, 0]);
  });
});
