/** What happens by itself when time passes and prices move, as a client reads it. */
import { describe, expect, test } from "bun:test";
import { type Served, serve } from "./support.ts";

const BTC_95K = 9_500_000_000_000n;
const PERCENT = BTC_95K / 100n;

/** Prices move only where the test moves them. */
async function scripted<T>(work: (served: Served) => Promise<T>, tickMs = 1_000): Promise<T> {
  const started = serve({ tickMs, prices: { kind: "scripted" } });
  try {
    return await work(started);
  } finally {
    await started.server.stop();
  }
}

const IOC = { limit: { tif: "Ioc" as const } };

describe("time", () => {
  test("of half an hour is a matter of moments, and a TWAP is finished in it", () =>
    scripted(async (started) => {
      const { client, infoClient, owner } = started;
      const user = owner.address;
      await client.twapOrder({ twap: { a: 0, b: true, s: "0.1", r: false, m: 30, t: false } });
      started.pass(15 * 60_000);
      expect(await infoClient.twapHistory({ user })).toMatchObject([{ status: { status: "activated" } }]);
      started.pass(15 * 60_000 + 1_000);
      const [last] = await infoClient.twapHistory({ user });
      expect(last).toMatchObject({ status: { status: "finished" }, state: { sz: "0.1", executedSz: "0.1" } });
      const slices = await infoClient.userTwapSliceFills({ user });
      const total = slices.reduce((sum, { fill }) => sum + Math.round(Number(fill.sz) * 100_000), 0);
      expect(total).toBe(10_000);
      expect(new Set<string>(slices.map(({ fill }) => fill.hash))).toEqual(new Set([`0x${"0".repeat(64)}`]));
    }, 5_000));

  test("of seven days finds a book at every slice of a TWAP", () =>
    scripted(async (started) => {
      const { client, infoClient, owner } = started;
      await client.twapOrder({ twap: { a: 0, b: true, s: "1", r: false, m: 1_440, t: false } });
      started.pass(7 * 86_400_000);
      const [last] = await infoClient.twapHistory({ user: owner.address });
      expect(last).toMatchObject({ status: { status: "finished" }, state: { executedSz: "1.0" } });
    }, 60_000));

  test("brings funding at the full hour", () =>
    scripted(async (started) => {
      const { client, infoClient, owner } = started;
      await client.order({ orders: [{ a: 0, b: true, p: "97000", s: "1", r: false, t: IOC }], grouping: "na" });
      started.pass(3_600_000);
      const [payment] = await infoClient.userFunding({ user: owner.address, startTime: 0 });
      // 95,000 dollars at the base rate of 0.00125 % an hour, and longs pay.
      expect(payment?.delta).toMatchObject({ coin: "BTC", szi: "1.0", fundingRate: "0.0000125", usdc: "-1.1875" });
    }, 60_000));
});

describe("a price", () => {
  test("that moves through a resting order fills it as a maker", () =>
    scripted(async (started) => {
      const { client, infoClient, owner } = started;
      const gtc = { limit: { tif: "Gtc" as const } };
      await client.order({ orders: [{ a: 0, b: true, p: "94000", s: "0.01", r: false, t: gtc }], grouping: "na" });
      started.paper.setPrice("BTC", BTC_95K - 2n * PERCENT);
      const [fill] = await infoClient.userFills({ user: owner.address });
      expect(fill).toMatchObject({ px: "94000.0", sz: "0.01", crossed: false });
    }));

  test("that reaches a stop closes the position under the id of the stop", () =>
    scripted(async (started) => {
      const { client, infoClient, owner } = started;
      const user = owner.address;
      await client.order({ orders: [{ a: 0, b: true, p: "97000", s: "0.01", r: false, t: IOC }], grouping: "na" });
      const stop = { trigger: { isMarket: true, triggerPx: "94000", tpsl: "sl" as const } };
      const placed = await client.order({
        orders: [{ a: 0, b: false, p: "85000", s: "0.01", r: true, t: stop }],
        grouping: "na",
      });
      const [status] = placed.response.data.statuses;
      const oid = typeof status === "object" && "resting" in status ? status.resting.oid : 0;
      started.paper.setPrice("BTC", BTC_95K - 2n * PERCENT);
      const [fill] = await infoClient.userFills({ user });
      expect(fill).toMatchObject({ oid, dir: "Close Long", sz: "0.01" });
      expect((await infoClient.clearinghouseState({ user })).assetPositions).toEqual([]);
      expect(await infoClient.orderStatus({ user, oid })).toMatchObject({ order: { status: "filled" } });
    }));

  test("that eats the margin ends in a liquidation, and open orders go with it", () =>
    scripted(async (started) => {
      const { client, infoClient, owner } = started;
      const user = owner.address;
      await client.updateLeverage({ asset: 0, isCross: true, leverage: 40 });
      const buy = { a: 0, b: true, p: "97000", r: false, t: IOC };
      for (let turn = 0; turn < 8; turn += 1) {
        await client.order({ orders: [{ ...buy, s: "4" }], grouping: "na" }).catch(() => {});
        started.pass(1_000);
      }
      const before = await infoClient.clearinghouseState({ user });
      expect(Number(before.marginSummary.totalNtlPos)).toBeGreaterThan(2_000_000);
      for (let percent = 1n; percent <= 6n; percent += 1n) {
        started.paper.setPrice("BTC", BTC_95K - percent * PERCENT);
        started.pass(60_000);
      }
      const after = await infoClient.clearinghouseState({ user });
      expect(Number(after.marginSummary.totalNtlPos)).toBeLessThan(Number(before.marginSummary.totalNtlPos));
      const fills = await infoClient.userFills({ user });
      expect(fills.some((fill) => "liquidation" in fill)).toBe(true);
    }));
});
