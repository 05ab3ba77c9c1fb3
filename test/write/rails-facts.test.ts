/** What a bot is judged by: whose it is, of which market, and how old it may be. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Rails } from "../../src/core/rails/rails.ts";
import { dayOf } from "../../src/core/rails/trip.ts";
import type { Facts } from "../../src/core/rails/wish.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { bookTrade, noteFees } from "../../src/store/bots.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { listDayMarkets } from "../../src/store/day-markets.ts";
import { railsOfKey } from "../../src/store/narrowings.ts";
import { forget } from "../../src/store/remembered.ts";
import { parseClearinghouseState } from "../../src/wire/answer/account.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { lossToday } from "../../src/write/day-loss.ts";
import { factsNow, markOf, readFacts, readPositionAnew, rereadPosition } from "../../src/write/rails-facts.ts";
import { openLossWatch } from "../../src/write/watch-losses.ts";
import { BOT, limitedRig, type Position, stateOf } from "../http/rails-rig.ts";
import { ACCOUNTS, type Rig } from "../http/rig.ts";

const SECOND = 1_000;

async function rigOf(wanted: Parameters<typeof limitedRig>[0] = {}) {
  const rig = await limitedRig(wanted);
  const account = findAccount(rig.deps.store, ACCOUNTS.main);
  const rails = railsOfKey(rig.deps.store, keyHash(BOT));
  if (account === null || rails === null) throw new Error("bug: no such key");
  return { rig, account, rails };
}

type Known = Awaited<ReturnType<typeof rigOf>>;

function factsOf({ rig, account, rails }: Known): Facts {
  const of = { isReduction: false, asked: "", targetBot: undefined, leg: null, later: new Set<string>() };
  return factsNow(rig.deps, { account, rails, ...of });
}

/** Shown so long ago. */
function showPosition({ rig, account }: Known, position: Position, agoMs: number): void {
  const timeMs = rig.deps.exchange.nowMs() - agoMs;
  const value = parseClearinghouseState(stateOf([position], timeMs));
  if (value === null) throw new Error("bug: a state that cannot be read");
  rig.deps.picture.take(account.tradingAddress, { part: "state", dex: "", value }, { timeMs, askedAtMs: timeMs });
}

function book(rig: Rig, side: "buy" | "sell", { market = "BTC", size = "2" } = {}): void {
  const trade = { side, size: decimal(size), turnover: decimal("0"), atMs: rig.clock.nowMs() };
  inTransaction(rig.deps.store, (store) =>
    bookTrade(store, { accountId: ACCOUNTS.main, bot: "grid-1", market }, trade),
  );
}

test("a position that was shown too long ago is not known", async () => {
  const known = await rigOf();
  const position = { coin: "BTC", szi: "1.5" };
  const { maxReadAgeMs } = known.rig.deps.settings.timings;
  showPosition(known, position, maxReadAgeMs + 1);
  expect(factsOf(known).accountOf("BTC")).toBeNull();
  showPosition(known, position, maxReadAgeMs);
  expect(factsOf(known).accountOf("BTC")).toBe(decimal("1.5"));
});

test("a leverage that was read a minute ago, or shown with a position of before, is not known", async () => {
  const known = await rigOf({ maxLeverage: "5" });
  const { rig, account } = known;
  const setOf = () => factsOf(known).settingsOf("BTC");
  const leverage = { type: "cross", value: 40, rawUsd: "0" };
  showPosition(known, { coin: "BTC", szi: "1.5", leverage }, rig.deps.settings.timings.maxReadAgeMs + 1);
  expect(setOf()).toBeNull();
  const timeMs = rig.deps.exchange.nowMs();
  const value = { type: "cross", value: 3, rawUsd: null } as const;
  rig.deps.picture.take(
    account.tradingAddress,
    { part: "leverage", market: "BTC", value },
    { timeMs, askedAtMs: timeMs },
  );
  expect(setOf()).toEqual([{ leverage: 3, isCross: true }]);
  await rig.clock.advance(60 * SECOND);
  expect(setOf()).toEqual([{ leverage: 3, isCross: true }]);
  await rig.clock.advance(1);
  expect(setOf()).toBeNull();
});

test("a mark of minutes ago says of no trigger that it has fired", async () => {
  const { rig } = await rigOf();
  const market = rig.deps.markets.current()?.byName.get("BTC");
  if (market === undefined) throw new Error("bug: no such market");
  await rig.deps.marketView.mark(market, "order");
  expect(markOf(rig.deps, "BTC")).toBe(decimal("60000"));
  await rig.clock.advance(10 * 60 * SECOND);
  expect([rig.deps.marketView.peek("mark", "BTC") === null, markOf(rig.deps, "BTC")]).toEqual([false, null]);
});

test("a position is asked for in the dex of its market", async () => {
  const { rig, account } = await rigOf();
  const dexes: unknown[] = [];
  rig.answers.set("clearinghouseState", ({ dex }) => {
    dexes.push(dex);
    return stateOf([{ coin: "xyz:TSLA", szi: "1" }], rig.clock.nowMs());
  });
  await rereadPosition(rig.deps, { account, market: "xyz:TSLA", purpose: "order" });
  expect([dexes, rig.deps.picture.state(account.tradingAddress, "xyz")?.value.positions.length]).toEqual([["xyz"], 1]);
});

test.each([
  ["of one moment share a reading", [{}, {}, {}], 1],
  ["of two readers have one each", [{}, { purpose: { reader: "another" } }], 2],
  ["of two dexes have one each", [{}, { market: "xyz:TSLA" }], 2],
] as const)("requests %s of the position that they wait for", async (_what, wanted, count) => {
  const { rig, account } = await rigOf();
  let asked = 0;
  rig.answers.set("clearinghouseState", () => {
    asked += 1;
    return stateOf([], rig.clock.nowMs());
  });
  const of = { account, market: "BTC", purpose: { reader: "one" } };
  await Promise.all(wanted.map((each) => readPositionAnew(rig.deps, { ...of, ...each })));
  expect(asked).toBe(count);
  // What is there is nobody's any more: it may be of before what is told next.
  await readPositionAnew(rig.deps, of);
  expect(asked).toBe(count + 1);
});

test.each<[string, Partial<Rails>, string[]]>([
  ["its exposure", { maxExposure: decimal("9") }, ["BTC", "ETH"]],
  ["its loss", { maxLossPerDay: decimal("9") }, ["BTC", "ETH"]],
  ["its turnover", { maxTurnoverPerDay: decimal("9") }, ["BTC", "ETH"]],
  ["nothing that is a sum", { maxPosition: decimal("9") }, ["BTC"]],
])("a bot that is held to %s is judged by prices of all that it holds", async (_what, some, wanted) => {
  const { rig, account, rails } = await rigOf();
  book(rig, "buy", { market: "ETH" });
  const asked: string[] = [];
  const isMarkTold = (market: string) => {
    asked.push(market);
    return true;
  };
  const sums = { maxExposure: null, maxLossPerDay: null, maxTurnoverPerDay: null, maxLeverage: null };
  const deps = { ...rig.deps, marketView: { ...rig.deps.marketView, isMarkTold } };
  const of = { account, market: "BTC", isReduction: false, isSetting: false };
  await readFacts(deps, { ...of, rails: { ...rails, ...sums, ...some } });
  expect(asked.toSorted()).toEqual(wanted);
});

test("the loss of a day has its fees, and is not known where a price of what is held is not", async () => {
  const { rig } = await rigOf();
  const { store } = rig.deps;
  const of = { accountId: ACCOUNTS.main, bot: "grid-1" };
  const lost = () => lossToday(rig.deps, store, { ...of, maxAgeMs: SECOND });
  inTransaction(store, () => noteFees(store, { ...of, day: dayOf(rig.clock.nowMs()) }, decimal("3")));
  expect(lost()).toBe(decimal("3"));
  book(rig, "buy", {});
  inTransaction(store, () => store.$client.run("UPDATE bot_days SET markets = '[]'"));
  forget(store);
  expect(lost()).toBeNull();
});

test("funding is that of the market's own dex", async () => {
  const known = await rigOf({ maxLossPerDay: "50 USD" });
  const { rig, account } = known;
  const { store, picture } = rig.deps;
  book(rig, "buy", { market: "xyz:TSLA" });
  const watch = openLossWatch(rig.deps, () => false);
  for (const sinceOpen of ["5", "8"]) {
    const timeMs = rig.deps.exchange.nowMs();
    const cumFunding = { allTime: "0", sinceOpen, sinceChange: "0" };
    const position = { coin: "xyz:TSLA", szi: "2", cumFunding };
    const value = parseClearinghouseState(stateOf([position], timeMs));
    if (value === null) throw new Error("bug: a state that cannot be read");
    picture.take(account.tradingAddress, { part: "state", dex: "xyz", value }, { timeMs, askedAtMs: timeMs });
    await watch.look();
  }
  const of = { accountId: ACCOUNTS.main, bot: "grid-1", day: dayOf(rig.clock.nowMs()) };
  expect(listDayMarkets(store, of).map(({ funding }) => funding)).toEqual([decimal("3")]);
});
