import { describe, expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { LimitedGrantText } from "../../src/core/rails/limited-grant.ts";
import { dayOf } from "../../src/core/rails/trip.ts";
import { lookForCopy } from "../../src/settle/copies/late-copies.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { sumFeesOfDay } from "../../src/store/day-fees.ts";
import { insertHole } from "../../src/store/fill-holes.ts";
import { insertFills, setFillCursor } from "../../src/store/fills.ts";
import type { Store } from "../../src/store/open.ts";
import { updateOperation } from "../../src/store/operations.ts";
import { listUnusedNumbers } from "../../src/store/unused-numbers.ts";
import {
  BOT,
  type Body,
  fillAt,
  inSeconds,
  limitedRig,
  MARK,
  OTHER_BOT,
  type Position,
  place,
  railOf,
  refusalOf,
  register,
  textOf,
} from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig, rowCounts } from "./rig.ts";

const MAY = "increase,reduce,modify,cancel,twap";

/** The list of markets, and a history of TWAPs that a test writes. */
async function twapRig(wanted: Partial<LimitedGrantText>, positions: Position[] = []) {
  const rig = await limitedRig({ may: MAY, ...wanted }, positions);
  const history: object[] = [];
  const universe = ["BTC", "ETH"].map((name) => ({ name, szDecimals: 5, maxLeverage: 40 }));
  rig.answers.set("meta", () => ({ universe }));
  const { send } = rig.deps.exchange;
  let twapId = 6;
  rig.deps.exchange.send = async (body, purpose) => {
    const outcome = await send(body, purpose);
    if (!body.includes("twapOrder") || outcome.kind !== "answered") return outcome;
    twapId += 1;
    return { ...outcome, body: outcome.body.replace('"twapId":7', `"twapId":${twapId}`) };
  };
  return { rig, history };
}

async function useOf(rig: Rig): Promise<Body> {
  const shown = (await (await rig.ask({ path: "/v1/whoami", apiKey: BOT })).json()) as { limits: { use: Body } };
  return shown.limits.use;
}

let made = 0;
function twap(rig: Rig, terms: Body, apiKey = BOT): Promise<Response> {
  made += 1;
  const body = { market: "BTC", side: "buy", size: "0.01", duration_minutes: 30, ...terms };
  return inSeconds(rig, rig.ask({ path: "/v1/twaps", apiKey, idempotencyKey: `twap-${made}-of-this-test`, body }));
}

/** When it was asked for, unix milliseconds; nothing is ever answered. */
async function loseTwap(rig: Rig): Promise<number> {
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "lost" });
  expect((await twap(rig, {})).status).toBe(202);
  return rig.clock.nowMs();
}

/** The same, but that the exchange's answer has named it; nothing shows it, and nothing else is ever answered. */
async function misnameTwap(rig: Rig): Promise<number> {
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async (body, purpose) => {
    if (!body.includes("twapOrder")) return { kind: "unknown", reason: "lost" };
    const outcome = await send(body, purpose);
    rig.answers.set("twapHistory", () => []);
    return outcome;
  };
  expect((await twap(rig, {})).status).toBe(202);
  return rig.clock.nowMs();
}

function endTwap(rig: Rig, apiKey: string): Promise<Response> {
  made += 1;
  const asked = { path: "/v1/twaps/cancel", apiKey, idempotencyKey: `end-${made}-of-this-test` };
  return inSeconds(rig, rig.ask({ ...asked, body: { market: "BTC", twap_id: 7 } }));
}

/** A slice, as the index of fills learns of it. */
function slice(rig: Rig, size: string, tid: number, side = "buy"): void {
  const timeMs = rig.clock.nowMs();
  const of = { accountId: ACCOUNTS.main, id: `${timeMs}-BTC-${tid}`, timeMs, market: "BTC", oid: String(tid) };
  const figures = {
    side,
    price: MARK,
    size,
    fee: "0.05",
    feeToken: "USDC",
    realizedPnl: "0",
    startPosition: "0",
  };
  const rest = { isTaker: true, builderFee: null, direction: "Open Long", twapId: "7", isLiquidation: false };
  // A whole row; its texts are decimals.
  const row = { ...of, ...figures, ...rest, transactionHash: "0x00" } as unknown as Parameters<typeof insertFills>[1];
  insertFills(rig.deps.store, [row as unknown as (typeof row)[number]], { atMs: timeMs, toldFromMs: 0 });
}

/** As the history shows it. */
function record(rig: Rig, status: string, executedSz: string): object {
  const state = { coin: "BTC", user: "0x11", side: "B", sz: "0.01", executedSz, executedNtl: "0", minutes: 30 };
  const more = { reduceOnly: false, randomize: false, timestamp: rig.clock.nowMs() };
  return { time: Math.floor(rig.clock.nowMs() / 1_000), state: { ...state, ...more }, status: { status }, twapId: 7 };
}

describe("a TWAP of a key with rails", () => {
  test.each<[string, Partial<LimitedGrantText>, Body, string]>([
    ["within all, with 3 % for its slices", { maxOrder: "618 USD" }, {}, "passed"],
    ["one that its slices may lift above the largest order", { maxOrder: "617.99 USD" }, {}, "max_order"],
    ["its whole size", { maxPosition: "600 USD" }, {}, "max_position"],
    ["its whole size for the day", { maxTurnoverPerDay: "600 USD" }, {}, "max_turnover_per_day"],
    ["slices that may go further than the key", { maxDistance: "2.99 %" }, {}, "max_distance"],
    ["slices that go no further than the key", { maxDistance: "3 %" }, {}, "passed"],
    ["without the verb", { may: "increase,reduce" }, {}, "may"],
    ["an increase of a key that only reduces", { may: "reduce,twap" }, {}, "may"],
    ["one more than its actions", { maxActionsPerDay: "1" }, {}, "passed"],
    ["a market that is not named", { markets: "ETH" }, {}, "markets"],
    ["a reduction of what it has not", {}, { side: "sell", reduce_only: true }, "touches"],
  ])("is judged: %s", async (_title, rails, terms, outcome) => {
    const { rig } = await twapRig(rails);
    const before = rowCounts(rig);
    expect(await railOf(await twap(rig, terms))).toBe(outcome);
    // That it was refused is told in the audit log.
    const after = { ...before, audit: rowCounts(rig)["audit"] ?? 0 };
    if (outcome !== "passed") expect([rowCounts(rig), rig.sent]).toEqual([after, []]);
  });

  test("holds its size until it has ended and all of its fills are known", async () => {
    const { rig, history } = await twapRig({ maxPosition: "700 USD", maxActionsPerDay: "9", maxOpenOrders: "3" });
    expect(await railOf(await twap(rig, {}))).toBe("passed");
    rig.answers.set("twapHistory", () => history);
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe("max_position");
    history.push(record(rig, "activated", "0"));
    slice(rig, "0.002", 1);
    await rig.clock.advance(40_000);
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe("max_position");
    history.unshift(record(rig, "terminated", "0.004"));
    await rig.clock.advance(40_000);
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe("max_position");
    slice(rig, "0.002", 2);
    await rig.clock.advance(40_000);
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe("passed");
    const use = { turnover_today: "240", actions_today: 2, nets: [{ market: "BTC", net: "0.004" }] };
    expect(await useOf(rig)).toMatchObject(use);
    const today = dayOf(rig.clock.nowMs());
    expect([...sumFeesOfDay(rig.deps.store, ACCOUNTS.main, today)]).toEqual([["grid-1", decimal("0.1")]]);
  });

  test("whose answer was lost holds its size, and what it filled meanwhile is booked when it is found", async () => {
    const { rig } = await twapRig({ maxPosition: "700 USD" });
    rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "lost" });
    const asked = await twap(rig, {});
    expect(asked.status).toBe(202);
    const { id } = (await asked.json()) as { id: string };
    slice(rig, "0.002", 1);
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe("max_position");
    expect((await useOf(rig))["nets"]).toEqual([]);
    const found = { status: "succeeded", exchangeId: "7", error: null } as const;
    for (const _ of [1, 2]) updateOperation(rig.deps.store, id, found, rig.clock.nowMs());
    slice(rig, "0.001", 2);
    const use = { turnover_today: "180", nets: [{ market: "BTC", net: "0.003" }] };
    expect(await useOf(rig)).toMatchObject(use);
    updateOperation(rig.deps.store, id, { ...found, exchangeId: null }, rig.clock.nowMs());
    expect(await useOf(rig)).toMatchObject({ turnover_today: "0", turnover_open: "618", nets: [] });
  });

  test("that nothing has named is over by its history when no fill of its time is missing", async () => {
    // What is held no fill tells of: it may be its.
    const { rig, history } = await twapRig({ maxPosition: "700 USD" }, [{ coin: "BTC", szi: "0.5" }]);
    const { store } = rig.deps;
    const made = await loseTwap(rig);
    await rig.clock.advance(3 * 86_400_000);
    const timestamp = rig.clock.nowMs();
    const newer = record(rig, "finished", "0.01") as { state: object };
    history.push({ ...newer, twapId: 99, state: { ...newer.state, timestamp } });
    rig.answers.set("twapHistory", () => history);
    fillAt(rig, MARK);
    inTransaction(store, () => setFillCursor(store, ACCOUNTS.main, made + 86_400_000));
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe("max_position");
    inTransaction(store, () => setFillCursor(store, ACCOUNTS.main, timestamp));
    holeAt(store, made + 60_000);
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe("max_position");
    // Before it began nothing of it can lack.
    moveHole(store, made - 86_400_000);
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe("passed");
  });

  test.each([
    ["nothing has named", loseTwap, null],
    ["an answer has named, and nothing shows,", misnameTwap, "7"],
  ] as const)(
    "that %s is over after its minutes where the fills are known and what is held stands, and stays unknown",
    async (_how, begin, named) => {
      const { rig } = await twapRig({ maxPosition: "700 USD" });
      const { store } = rig.deps;
      rig.answers.set("twapHistory", () => []);
      const made = await begin(rig);
      await rig.clock.advance(40 * 60_000);
      fillAt(rig, MARK);
      inTransaction(store, () => setFillCursor(store, ACCOUNTS.main, made + 20 * 60_000));
      expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe("max_position");
      inTransaction(store, () => setFillCursor(store, ACCOUNTS.main, made + 39 * 60_000));
      holeAt(store, made + 60_000);
      expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe("max_position");
      moveHole(store, made - 86_400_000);
      expect(await railOf(await inSeconds(rig, place(rig, { size: "0.002" })))).toBe("passed");
      expect(store.$client.query("select status, exchange_id from operations").all()).toEqual([
        { status: "unknown", exchange_id: named },
      ]);
    },
  );

  test("has no more out than its slices have left", async () => {
    const { rig } = await twapRig({ maxPosition: "700 USD" });
    await twap(rig, {});
    slice(rig, "0.004", 1);
    expect(await useOf(rig)).toMatchObject({ turnover_open: "370.8", turnover_today: "240" });
  });

  test("that was refused here, for its size, holds nothing", async () => {
    const { rig } = await twapRig({ maxExposure: "700 USD" });
    expect(await twap(rig, { size: "0.0100001" }).then((answer) => answer.json())).toMatchObject({
      status: "rejected",
      error: expect.stringContaining("more decimals"),
    });
    expect(await useOf(rig)).toMatchObject({ open_orders: 0, turnover_open: "0", positions: [] });
    expect(await railOf(await twap(rig, {}))).toBe("passed");
  });

  test("that was refused at one door and runs by a copy holds its size, and its slices are booked", async () => {
    const { rig, history } = await twapRig({ maxExposure: "700 USD" });
    rig.refusals.push("Must deposit before performing actions. User: 0x1111111111111111111111111111111111111111");
    expect(await twap(rig, {}).then((answer) => answer.json())).toMatchObject({ status: "rejected" });
    expect(await railOf(await place(rig, { size: "0.002" }))).toBe("max_exposure");
    const [refused] = listUnusedNumbers(rig.deps.store, ACCOUNTS.main, 0);
    const account = findAccount(rig.deps.store, ACCOUNTS.main);
    if (refused === undefined || account === null) throw new Error("nothing was left unused");
    history.push(record(rig, "activated", "0"));
    rig.answers.set("twapHistory", () => history);
    expect(await lookForCopy(rig.deps, account, refused, "settle")).toBe("shown");
    expect(await useOf(rig)).toMatchObject({ turnover_open: "618", turnover_today: "0" });
    slice(rig, "0.004", 1);
    expect(await useOf(rig)).toMatchObject({ turnover_today: "240" });
  });

  test("that only reduces is held to what the bot has, with all that reduces beside it", async () => {
    const positions: Position[] = [];
    const { rig } = await twapRig({ maxOrder: "700 USD", maxPosition: "700 USD" }, positions);
    await twap(rig, {});
    slice(rig, "0.01", 1);
    positions.push({ coin: "BTC", szi: "0.03" });
    await rig.clock.advance(20_000);
    expect(await railOf(await twap(rig, { side: "sell", size: "0.011", reduce_only: true }))).toBe("touches");
    expect(await railOf(await twap(rig, { side: "sell", size: "0.008", reduce_only: true }))).toBe("passed");
    const reduce = { side: "sell", reduce_only: true, price: "59500" };
    expect(await railOf(await inSeconds(rig, place(rig, { ...reduce, size: "0.003" })))).toBe("touches");
    expect(await railOf(await inSeconds(rig, place(rig, { ...reduce, size: "0.002" })))).toBe("passed");
  });

  test("that reduces all that the bot has is named to who would close it: it has to be canceled first", async () => {
    const positions: Position[] = [];
    const { rig } = await twapRig({}, positions);
    await twap(rig, {});
    slice(rig, "0.01", 1);
    positions.push({ coin: "BTC", szi: "0.01" });
    await rig.clock.advance(20_000);
    const running = await twap(rig, { side: "sell", reduce_only: true });
    const { id } = (await running.json()) as { id: string };
    const body = { account: ACCOUNTS.main, market: "BTC" };
    const asked = { path: "/v1/positions/close", apiKey: BOT, idempotencyKey: "close-beside-a-twap", body };
    expect(await refusalOf(await inSeconds(rig, rig.ask(asked)))).toEndWith(
      `Largest size that passes: 0. TWAP 8 (operation ${id}) still reduces 0.01 of it: cancel it first (POST /v1/twaps/cancel). Nothing was sent.`,
    );
  });

  test("is canceled by its bot, and by another only where that touches all", async () => {
    const { rig } = await twapRig({});
    await rig.clock.advance(1);
    const keeper = { may: "cancel", touches: "all", bot: "keeper" };
    expect((await register(rig, textOf(rig, keeper, OTHER_BOT))).status).toBe(201);
    await twap(rig, {}, KEYS.both);
    rig.answers.delete("metaAndAssetCtxs");
    expect(await railOf(await endTwap(rig, BOT))).toBe("touches");
    expect(await railOf(await endTwap(rig, OTHER_BOT))).toBe("passed");
  });

  test("is canceled by its bot while no price is there", async () => {
    const { rig } = await twapRig({});
    await twap(rig, {});
    rig.answers.delete("metaAndAssetCtxs");
    rig.answers.delete("clearinghouseState");
    await rig.clock.advance(400_000);
    expect(await railOf(await endTwap(rig, BOT))).toBe("passed");
  });

  test("a slice that closed another's before the bot bought anything is its own short, whichever is told first", async () => {
    const { rig } = await twapRig({ maxPosition: "700 USD", touches: "all" }, [{ coin: "BTC", szi: "1" }]);
    expect(await railOf(await twap(rig, { side: "sell", reduce_only: true }))).toBe("passed");
    fillAt(rig, MARK);
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.01" })))).toBe("passed");
    slice(rig, "0.01", 501, "sell");
    fillAt(rig, MARK, 9_500);
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.005" })))).toBe("passed");
    expect(await useOf(rig)).toMatchObject({ nets: [{ market: "BTC", net: "0.005" }] });
  });
});

/** A millisecond in which more was filled than the exchange gives. */
function holeAt(store: Store, timeMs: number): void {
  inTransaction(store, () => insertHole(store, { accountId: ACCOUNTS.main, orderIds: [], timeMs, atMs: timeMs }));
}

function moveHole({ $client }: Store, timeMs: number): void {
  $client.query("update notes set detail = ? where resource_id = ?").run(String(timeMs), ACCOUNTS.main);
}
