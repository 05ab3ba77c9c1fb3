import { expect, test } from "bun:test";
import type { InfoRequest } from "../../src/exchange/exchange.ts";
import { openMarkets } from "../../src/exchange/markets.ts";
import { scriptedExchange, unanswered } from "../support/scripted-exchange.ts";
import { stillClock } from "./clocks.ts";
import { answering, connect } from "./connect.ts";

const PERP_DEXS = [null, { name: "xyz", fullName: "XYZ" }, { name: "other", fullName: "Other" }];
const SPOT_META = {
  universe: [
    { tokens: [1, 0], name: "PURR/USDC", index: 0, isCanonical: true },
    { tokens: [150, 0], name: "@107", index: 107, isCanonical: false },
  ],
  tokens: [
    { name: "USDC", szDecimals: 8, index: 0 },
    { name: "PURR", szDecimals: 0, index: 1 },
    { name: "HYPE", szDecimals: 2, index: 150 },
  ],
};
const META: Record<string, { universe: object[] }> & { "": { universe: object[] } } = {
  "": {
    universe: [
      { name: "BTC", szDecimals: 5, maxLeverage: 40 },
      { name: "MATIC", szDecimals: 1, maxLeverage: 20, isDelisted: true },
      { name: "SOL", szDecimals: 2, maxLeverage: 20 },
    ],
  },
  xyz: {
    universe: [
      { name: "xyz:XYZ100", szDecimals: 4, maxLeverage: 20 },
      { name: "xyz:TSLA", szDecimals: 3, maxLeverage: 10, marginMode: "strictIsolated", onlyIsolated: true },
    ],
  },
  other: { universe: [{ name: "other:GOLD", szDecimals: 1, maxLeverage: 5 }] },
};

function exchangeWithMarkets() {
  return scriptedExchange({
    infos: { perpDexs: () => PERP_DEXS, spotMeta: () => SPOT_META, meta: ({ dex }) => META[String(dex)] },
  });
}

test("native, builder-deployed and spot markets have the ids that orders carry; delisted ones keep their place", async () => {
  const clock = stillClock(1_700_000_000_000);
  const markets = openMarkets({ exchange: exchangeWithMarkets(), dexes: ["xyz"], clock });
  expect(markets.current()).toBeNull();
  const universe = await markets.refresh();
  expect(
    [...(universe?.byName.values() ?? [])].map(({ name, assetId, isDelisted }) => [name, assetId, isDelisted]),
  ).toEqual([
    ["BTC", 0, false],
    ["MATIC", 1, true],
    ["SOL", 2, false],
    ["xyz:XYZ100", 110_000, false],
    ["xyz:TSLA", 110_001, false],
    ["PURR/USDC", 10_000, false],
    ["@107", 10_107, false],
  ]);
  expect(universe?.byPairName.get("HYPE/USDC")).toBe("@107");
  expect(universe?.readAtMs).toBe(1_700_000_000_000);
  expect(markets.current()).toBe(universe);
});

test("all who ask at the same time share one reading, and the next is 30 s later at the earliest", async () => {
  const clock = stillClock();
  const exchange = exchangeWithMarkets();
  const markets = openMarkets({ exchange, dexes: ["xyz"], clock });
  const all = await Promise.all(Array.from({ length: 10 }, () => markets.refresh()));
  expect(new Set(all)).toEqual(new Set([markets.current()]));
  expect(markets.current()).not.toBeNull();
  expect(exchange.asked).toHaveLength(4);
  await clock.advance(29_999);
  await markets.refresh();
  expect(exchange.asked).toHaveLength(4);
  await clock.advance(1);
  await markets.refresh();
  expect(exchange.asked).toHaveLength(8);
});

test("when any part of a reading fails or cannot be read, the last good universe stays as a whole", async () => {
  for (const part of ["perpDexs", "spotMeta", "meta"]) {
    for (const answer of [() => unanswered("down"), () => ({ universe: "none" }), () => null]) {
      const clock = stillClock();
      const exchange = exchangeWithMarkets();
      const markets = openMarkets({ exchange, dexes: ["xyz"], clock });
      const good = await markets.refresh();
      expect(good).not.toBeNull();
      exchange.answer(part, answer);
      await clock.advance(60_000);
      expect(await markets.refresh()).toBe(good);
      expect(markets.current()).toBe(good);
    }
  }
});

test("the first reading is tried again at once when it failed", async () => {
  const exchange = exchangeWithMarkets();
  exchange.answer("meta", () => unanswered("down"));
  const markets = openMarkets({ exchange, dexes: [], clock: stillClock() });
  expect(await markets.refresh()).toBeNull();
  exchange.answer("meta", ({ dex }) => META[String(dex)]);
  expect((await markets.refresh())?.byName.has("BTC")).toBe(true);
});

test("a newer reading replaces ids and names: a market that moved has only its new id", async () => {
  const clock = stillClock();
  const exchange = exchangeWithMarkets();
  const markets = openMarkets({ exchange, dexes: ["xyz"], clock });
  await markets.refresh();
  exchange.answer("perpDexs", () => [null, PERP_DEXS[2], PERP_DEXS[1]]);
  await clock.advance(30_000);
  const universe = await markets.refresh();
  expect(universe?.byName.get("xyz:TSLA")?.assetId).toBe(120_001);
  expect(universe?.byAssetId.has(110_001)).toBe(false);
});

test("a configured dex that the exchange does not list has no markets, and the others have theirs", async () => {
  const markets = openMarkets({ exchange: exchangeWithMarkets(), dexes: ["xyz", "gone"], clock: stillClock() });
  const universe = await markets.refresh();
  expect(universe?.byName.has("xyz:TSLA")).toBe(true);
  expect(universe?.byName.has("other:GOLD")).toBe(false);
});

test("a doubt has the list read at once, again after 5 s at the earliest, and ends with the second that began after it", async () => {
  const clock = stillClock();
  const exchange = exchangeWithMarkets();
  const markets = openMarkets({ exchange, dexes: ["xyz"], clock });
  await markets.refresh();
  markets.doubt("SOL", { because: "one thing", isCertain: false });
  await markets.refresh();
  expect([markets.doubtOf("SOL"), exchange.asked.length]).toEqual(["one thing", 8]);
  await clock.advance(4_999);
  await markets.refresh();
  expect([markets.doubtOf("SOL"), exchange.asked.length]).toEqual(["one thing", 8]);
  await clock.advance(1);
  const reading = markets.refresh();
  markets.doubt("BTC", { because: "news of while it is read", isCertain: false });
  await reading;
  expect([markets.doubtOf("SOL"), markets.doubtOf("BTC"), exchange.asked.length]).toEqual([
    null,
    "news of while it is read",
    12,
  ]);
});

test("a list that is doubted is read by what is kept for orders, which wait for it, where settling has no weight left", async () => {
  const clock = stillClock();
  const infos = {
    perpDexs: () => PERP_DEXS,
    spotMeta: () => SPOT_META,
    meta: ({ dex }: InfoRequest) => META[String(dex)],
  };
  const exchange = scriptedExchange({ infos, hasBudgetFor: (purpose) => purpose !== "settle" });
  const markets = openMarkets({ exchange, dexes: ["xyz"], clock });
  const purposes = () => [...new Set(exchange.asked.splice(0).map(({ options }) => options.purpose))];
  await markets.refresh();
  expect(purposes()).toEqual(["settle"]);
  markets.suspect("SOL");
  await clock.advance(30_000);
  await markets.refresh();
  expect([purposes(), markets.doubtOf("SOL"), markets.isSuspected("SOL")]).toEqual([["settle"], null, true]);
  markets.doubt("SOL", { because: "one thing", isCertain: false });
  await clock.advance(5_000);
  await markets.refresh();
  expect(purposes()).toEqual(["reduce"]);
  await clock.advance(5_000);
  await markets.refresh();
  expect([markets.doubtOf("SOL"), markets.isSuspected("SOL")]).toEqual([null, false]);
});

test("a doubt ends with the reading that explains it", async () => {
  const clock = stillClock();
  const exchange = exchangeWithMarkets();
  const markets = openMarkets({ exchange, dexes: ["xyz"], clock });
  await markets.refresh();
  const [btc, matic, sol] = META[""].universe;
  exchange.answer("meta", ({ dex }) => (dex === "" ? { universe: [sol, matic, btc] } : META[String(dex)]));
  markets.doubt("SOL", { because: "another market", isCertain: false });
  markets.doubt("MATIC", { because: "something that no list explains", isCertain: false });
  await markets.refresh();
  expect([markets.doubtOf("SOL"), markets.doubtOf("MATIC")]).toEqual([null, "something that no list explains"]);
});

test("where an order was placed in another market, a list that shows what it did before ends nothing for long", async () => {
  const clock = stillClock();
  const exchange = exchangeWithMarkets();
  const markets = openMarkets({ exchange, dexes: ["xyz"], clock });
  await markets.refresh();
  markets.doubt("SOL", { because: "another market", isCertain: true });
  markets.doubt("SOL", { because: "a cancel that found nothing", isCertain: false });
  for (let nth = 0; nth < 20; nth += 1) {
    await markets.refresh();
    expect(markets.doubtOf("SOL")).toBe("a cancel that found nothing");
    await clock.advance(5_000);
  }
  await markets.refresh();
  expect(markets.doubtOf("SOL")).toBeNull();
});

test("where an order was placed in another market, its neighbours are in doubt for two readings, and other lists never", async () => {
  const clock = stillClock();
  const markets = openMarkets({ exchange: exchangeWithMarkets(), dexes: ["xyz"], clock });
  await markets.refresh();
  const inDoubt = () => ["SOL", "BTC", "xyz:TSLA", "PURR/USDC"].map((name) => markets.doubtOf(name) !== null);
  markets.doubt("SOL", { because: "a cancel that found nothing", isCertain: false });
  expect(inDoubt()).toEqual([true, false, false, false]);
  await markets.refresh();
  await clock.advance(5_000);
  markets.doubt("SOL", { because: "the market BTC instead of SOL", isCertain: true });
  for (let nth = 0; nth < 2; nth += 1) {
    expect(inDoubt()).toEqual([true, true, false, false]);
    await markets.refresh();
    await clock.advance(5_000);
  }
  expect(inDoubt()).toEqual([true, false, false, false]);
});

test("a list that an order has refuted does not come back for five minutes, whatever server shows it", async () => {
  const clock = stillClock();
  const exchange = exchangeWithMarkets();
  const markets = openMarkets({ exchange, dexes: ["xyz"], clock });
  await markets.refresh();
  const [btc, matic, sol] = META[""].universe;
  exchange.answer("meta", ({ dex }) => (dex === "" ? { universe: [sol, matic, btc] } : META[String(dex)]));
  markets.doubt("SOL", { because: "the market BTC instead of SOL", isCertain: true });
  await markets.refresh();
  expect([markets.doubtOf("BTC"), markets.current()?.byName.get("SOL")?.assetId]).toEqual([null, 0]);
  exchange.answer("meta", ({ dex }) => META[String(dex)]);
  await clock.advance(299_000);
  await markets.refresh();
  expect([markets.current()?.byName.get("SOL")?.assetId, markets.ageMs()]).toEqual([0, 299_000]);
  await clock.advance(30_000);
  await markets.refresh();
  expect([markets.current()?.byName.get("SOL")?.assetId, markets.ageMs()]).toEqual([2, 0]);
});

test("a reading that is urgent does not wait for the one before it, and the next urgent one waits 5 s", async () => {
  const clock = stillClock();
  const exchange = exchangeWithMarkets();
  const markets = openMarkets({ exchange, dexes: ["xyz"], clock });
  const readings: number[] = [];
  for (const [waitMs, how] of [
    [0, undefined],
    [10, "urgently"],
    [4_999, "urgently"],
    [1, "urgently"],
    [20_000, undefined],
  ] as const) {
    await clock.advance(waitMs);
    await markets.refresh(how);
    readings.push(exchange.asked.length / 4);
  }
  expect(readings).toEqual([1, 2, 2, 3, 3]);
});

test("a list that our own weight has no room for says so, and when all of it can be read", async () => {
  const clock = stillClock(1_700_000_000_000);
  const answers: Record<string, unknown> = { perpDexs: PERP_DEXS, spotMeta: SPOT_META };
  const exchange = connect("http://exchange.test", {
    clock,
    ...answering((body) => {
      const { type, dex } = JSON.parse(body) as { type: string; dex?: string };
      return Response.json(answers[type] ?? META[dex ?? ""]);
    }),
    weightPerMinute: 240,
  });
  const markets = openMarkets({ exchange, dexes: ["xyz"], clock });
  // Settling has 180 of them in any case; the list weighs 80.
  for (let nth = 0; nth < 6; nth += 1) {
    await exchange.info({ type: "meta", dex: "" }, { purpose: "settle" });
    await clock.advance(5_000);
  }
  expect(await markets.refresh()).toBeNull();
  const { isOurBudget, waitS } = markets.nextReading();
  expect(isOurBudget).toBe(true);
  await clock.advance(waitS * 1_000);
  expect((await markets.refresh())?.byName.size).toBe(7);
  expect(markets.nextReading()).toMatchObject({ isOurBudget: false, waitS: 30 });
});

test("a list that the exchange does not give is none of our weight's doing", async () => {
  const clock = stillClock();
  const exchange = scriptedExchange({ infos: { perpDexs: () => unanswered("ECONNREFUSED") } });
  const markets = openMarkets({ exchange, dexes: [], clock });
  expect(await markets.refresh()).toBeNull();
  expect(markets.nextReading()).toEqual({ isOurBudget: false, waitS: 1 });
});
