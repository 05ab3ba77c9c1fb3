/** Flattening as its client meets it: who may ask for it, and how much of what is held is a bot's. */
import { expect, test } from "bun:test";
import { perform } from "../../src/ops/operator-verbs.ts";
import { resumeTrading } from "../../src/ops/stop-trading.ts";
import { forgetBotTwap } from "../../src/store/bot-twap-rows.ts";
import { inTransaction } from "../../src/store/commit.ts";
import type { StoredFill } from "../../src/store/fills.ts";
import { listLegs, updateLeg } from "../../src/store/legs.ts";
import { findOrder, updateOrder } from "../../src/store/orders.ts";
import {
  endOf,
  exchangeThatFills,
  flatten,
  indexFill,
  keepFills,
  pass,
  type Shown,
  showFrom,
  shownStop,
  stopOf,
} from "./flatten-rig.ts";
import { BOT, limitedRig, OTHER_BOT, openMarketRig, place, register, stateOf, textOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, openRig } from "./rig.ts";

test("an account's position is closed by one order that only reduces, within half a percent of the best price", async () => {
  const rig = openMarketRig();
  const held = { szi: 0.5 };
  const sales = exchangeThatFills(rig, held);
  const id = await stopOf(rig, "account");
  expect((await flatten(rig, id)).code).toBe("202");
  await pass(rig, 30);
  expect(sales).toMatchObject([{ b: false, s: "0.5", p: "59691", r: true, t: { limit: { tif: "Ioc" } } }]);
  const { flatten: end } = (await (await rig.ask({ path: `/v1/stops/${id}`, apiKey: KEYS.both })).json()) as Shown;
  expect(end).toMatchObject({ status: "flat", left: [] });
  expect(end?.order_ids).toHaveLength(1);
});

test("what somebody turns by hand meanwhile is closed as well: the price of the first order bounds none of the other side", async () => {
  const rig = openMarketRig();
  const held = { szi: 0.5 };
  const sales = exchangeThatFills(rig, held);
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  while (sales.length === 0) await pass(rig, 0.25);
  keepFills(rig, "0.5");
  held.szi = -0.3;
  await pass(rig, 40);
  expect(sales.map(({ b, s, p }) => [b, s, p])).toEqual([
    [false, "0.5", "59691"],
    [true, "0.3", "60310"],
  ]);
  expect(await endOf(rig, id)).toMatchObject({ status: "flat", left: [] });
});

test("servers that are behind and show nothing held yet end nothing", async () => {
  const rig = openMarketRig();
  const held = { szi: 0.5 };
  const sales = exchangeThatFills(rig, held);
  let untilMs = Number.POSITIVE_INFINITY;
  showFrom(rig, (atMs) => (atMs < untilMs ? { szi: 0, agoMs: 20_000 } : null));
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 15);
  expect(await endOf(rig, id)).toMatchObject({ status: "flattening" });
  untilMs = rig.clock.nowMs();
  await pass(rig, 30);
  expect(sales).toMatchObject([{ b: false, s: "0.5", r: true }]);
  expect(await endOf(rig, id)).toMatchObject({ status: "flat", left: [] });
});

test("a server that is behind and still shows what was held begins to close it, and ends nothing", async () => {
  const rig = openMarketRig();
  const held = { szi: 0.5 };
  const sales = exchangeThatFills(rig, held);
  let untilMs = Number.POSITIVE_INFINITY;
  showFrom(rig, (atMs) => (atMs < untilMs ? { szi: 0.5, agoMs: 60_000 } : null));
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 40);
  expect(sales).toMatchObject([{ b: false, s: "0.5", r: true }]);
  expect(await endOf(rig, id)).toMatchObject({ status: "flattening" });
  untilMs = rig.clock.nowMs();
  keepFills(rig, "0.5");
  await pass(rig, 30);
  expect(sales).toHaveLength(1);
  expect(await endOf(rig, id)).toMatchObject({ status: "flat", left: [] });
});

test("what was held after the stop and before the last order is ordered no second time", async () => {
  const rig = openMarketRig();
  const held = { szi: 0.5 };
  const sales = exchangeThatFills(rig, held);
  const { send } = rig.deps.exchange;
  let soldAtMs = Number.POSITIVE_INFINITY;
  rig.deps.exchange.send = (body, ...rest) => {
    if (body.includes("Ioc")) soldAtMs = Math.min(soldAtMs, rig.clock.nowMs());
    return send(body, ...rest);
  };
  const stoppedAtMs = rig.clock.nowMs();
  showFrom(rig, (atMs) => {
    if (atMs < stoppedAtMs + 6_000) return { szi: 0, agoMs: 20_000 };
    const isBehind = atMs > soldAtMs && atMs < soldAtMs + 12_000;
    return isBehind ? { szi: 0.5, agoMs: atMs - soldAtMs + 1_000 } : null;
  });
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 30);
  expect(sales).toHaveLength(1);
  expect(await endOf(rig, id)).toMatchObject({ status: "flat", left: [] });
});

test("what nobody can show as of now is not told as left when the stop is ended", async () => {
  const rig = openMarketRig();
  const held = { szi: 0.5 };
  exchangeThatFills(rig, held);
  let untilMs = Number.POSITIVE_INFINITY;
  showFrom(rig, (atMs) => (atMs < untilMs ? { szi: 0.7, agoMs: 60_000 } : null));
  const id = await stopOf(rig, "account");
  await pass(rig, 10);
  await flatten(rig, id);
  resumeTrading({ ...rig.deps, network: "paper" }, { accountId: ACCOUNTS.main, stopId: id });
  await pass(rig, 10);
  expect(await endOf(rig, id)).toMatchObject({ status: "flattening" });
  untilMs = rig.clock.nowMs();
  await pass(rig, 10);
  expect(await endOf(rig, id)).toMatchObject({ left: [{ market: "BTC", size: "0.5", reason: "resumed" }] });
});

test("of a bot no more goes than its own fills hold, and what of its reductions rests goes first", async () => {
  const rig = await limitedRig({});
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  await place(rig, { side: "sell", size: "0.002", price: "61000", reduce_only: true });
  await register(rig, textOf(rig, { bot: "other-1" }, OTHER_BOT));
  const id = await stopOf(rig, "bot", BOT);
  expect((await flatten(rig, id, { apiKey: OTHER_BOT })).code).toBe("rail_refused");
  expect((await flatten(rig, id, { apiKey: BOT })).code).toBe("202");
  await pass(rig, 40);
  expect(sales.slice(1)).toMatchObject([{ b: false, s: "0.002", r: true }]);
  const { flatten: end } = (await (await rig.ask({ path: `/v1/stops/${id}`, apiKey: KEYS.both })).json()) as Shown;
  expect(end).toMatchObject({ status: "flat", left: [] });
});

test("a bot's stop that has fired at a limit and rests goes before its position is closed", async () => {
  const rig = await limitedRig({});
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  const trigger = { price: "59000", kind: "stop_loss", market: false };
  const guard = { side: "sell", size: "0.002", price: "58900", reduce_only: true, trigger };
  const { id: fired } = (await (await place(rig, guard)).json()) as Shown;
  const { store, exchange } = rig.deps;
  inTransaction(store, () => {
    const order = findOrder(store, fired);
    const [leg] = listLegs(store, fired);
    if (order === null || leg === undefined) throw new Error("bug: a stop without a leg");
    updateLeg(store, { ...leg, state: "resting" });
    updateOrder(store, { ...order, status: "open" });
  });
  const atSale: unknown[] = [];
  const { send } = exchange;
  exchange.send = (body, ...rest) => {
    if (body.includes("Ioc")) atSale.push(findOrder(store, fired)?.status);
    return send(body, ...rest);
  };
  const id = await stopOf(rig, "bot", BOT);
  expect((await flatten(rig, id, { apiKey: BOT })).code).toBe("202");
  await pass(rig, 40);
  expect(sales.slice(1)).toMatchObject([{ b: false, s: "0.002", r: true }]);
  expect(atSale).toEqual(["canceled"]);
});

test("asked for again it is the same while it goes on, and begins anew afterwards", async () => {
  const rig = openMarketRig();
  const held = { szi: 0.5 };
  const sales = exchangeThatFills(rig, held);
  const id = await stopOf(rig, "account");
  for (let times = 0; times < 3; times += 1) await flatten(rig, id);
  await pass(rig, 30);
  expect(sales).toHaveLength(1);
  held.szi = -0.1;
  await flatten(rig, id);
  await pass(rig, 30);
  expect(sales.slice(1)).toMatchObject([{ b: true, s: "0.1" }]);
});

test.each([
  ["the mark", ["metaAndAssetCtxs", "allMids", "activeAssetData"], "59691"],
  ["a book of now", ["l2Book"], "59700"],
])("what is held goes while the exchange does not tell %s", async (_what, types, price) => {
  const rig = openMarketRig();
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  await rig.ask({ path: "/v1/positions", apiKey: KEYS.both });
  for (const type of types) rig.answers.delete(type);
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 60);
  expect(sales).toMatchObject([{ b: false, s: "0.5", p: price, r: true }]);
  expect(await endOf(rig, id)).toMatchObject({ status: "flat", left: [] });
});

test.each([
  ["no mark", 0],
  ["a mark of before", 9_000],
])("a book that is old is none to close by, beside %s: what is held is told as left", async (_what, markAgeMs) => {
  const rig = openMarketRig();
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  const book = rig.answers.get("l2Book");
  rig.answers.set("l2Book", (request) => ({ ...(book?.(request) as object), time: rig.clock.nowMs() - 2_500 }));
  if (markAgeMs > 0) await rig.ask({ path: "/v1/markets/BTC", apiKey: KEYS.both });
  rig.answers.delete("metaAndAssetCtxs");
  await rig.clock.advance(markAgeMs);
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 90);
  expect(sales).toEqual([]);
  const end = await endOf(rig, id);
  expect(end).toMatchObject({ status: "left", left: [{ market: "BTC", size: "0.5", reason: "no_price" }] });
});

test("what a plain key holds by itself is not known, and a stop that was ended is none", async () => {
  const rig = openRig();
  expect((await flatten(rig, await stopOf(rig, "bot"))).code).toBe("stop_not_flattenable");
  const id = await stopOf(rig, "account");
  resumeTrading({ ...rig.deps, network: "paper" }, { accountId: ACCOUNTS.main, stopId: id });
  expect((await flatten(rig, id)).code).toBe("stop_not_flattenable");
  expect((await flatten(rig, id, { apiKey: KEYS.other })).code).toBe("stop_not_found");
  expect((await flatten(rig, id, { apiKey: KEYS.readOnly })).code).toBe("insufficient_scope");
});

test.each([[0], [501], [0.5]])("a slippage of %d basis points is refused", async (bps) => {
  const rig = openRig();
  const id = await stopOf(rig, "account");
  expect((await flatten(rig, id, { body: { max_slippage_bps: bps } })).code).toBe("invalid_parameter");
});

test("a bot that may not reduce flattens nothing", async () => {
  const rig = await limitedRig({ may: "increase,cancel" });
  expect((await flatten(rig, await stopOf(rig, "bot", BOT), { apiKey: BOT })).code).toBe("rail_refused");
});

test("of less than the exchange takes one order is tried, and then it is told as left", async () => {
  const rig = openMarketRig();
  const sales = exchangeThatFills(rig, { szi: 0.0001 });
  const { send } = rig.deps.exchange;
  let tries = 0;
  rig.deps.exchange.send = async (body, ...rest) => {
    if (!body.includes("Ioc")) return send(body, ...rest);
    tries += 1;
    const error = "Order must have minimum value of $10. asset=0";
    const response = { type: "order", data: { statuses: [{ error }] } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 30);
  expect([tries, sales]).toEqual([1, []]);
  const { flatten: end } = (await (await rig.ask({ path: `/v1/stops/${id}`, apiKey: KEYS.both })).json()) as Shown;
  expect(end).toMatchObject({ status: "left", left: [{ market: "BTC", size: "0.0001", reason: "below_minimum" }] });
});

test("the operator flattens as well, with a slippage that is one", async () => {
  const rig = openMarketRig();
  const sales = exchangeThatFills(rig, { szi: -0.2 });
  const stopId = await stopOf(rig, "account");
  // The parts of a changer that this verb asks for.
  const operator = { ...rig.deps, network: "paper", running: null, keyring: null } as never;
  const facts = { accountId: ACCOUNTS.main, stopId };
  await expect(perform(operator, "flatten_stop", { ...facts, maxSlippageBps: 501 })).rejects.toThrow("basis points");
  await perform(operator, "flatten_stop", { ...facts, maxSlippageBps: 100 });
  rig.deps.flattener.heed();
  await pass(rig, 30);
  expect(sales).toMatchObject([{ b: true, s: "0.2", p: "60610", r: true }]);
});

test("while a slice of a bot's TWAP is not known nobody is told that it is flat", async () => {
  const rig = await limitedRig({});
  exchangeThatFills(rig, { szi: 0.5 });
  const state = { coin: "BTC", user: "", side: "B", sz: "0.01", executedSz: "0.01", executedNtl: "600", minutes: 30 };
  const ended = {
    time: 1,
    twapId: 7,
    status: { status: "finished" },
    state: { ...state, reduceOnly: false, randomize: false, timestamp: 1 },
  };
  rig.answers.set("twapHistory", () => [ended]);
  const twap = "'op-1', ?, 'grid-1', 'BTC', 'buy', '0.01', 0, 30, 0, '7', '0.008'";
  rig.deps.store.$client.run(`insert into bot_twaps values (${twap})`, [ACCOUNTS.main]);
  const id = await stopOf(rig, "bot", BOT);
  await flatten(rig, id, { apiKey: BOT });
  await pass(rig, 60);
  expect((await shownStop(rig, id)).flatten?.status).toBe("flattening");
  inTransaction(rig.deps.store, (store) => forgetBotTwap(store, "op-1"));
  await pass(rig, 10);
  expect((await shownStop(rig, id)).flatten?.status).toBe("flat");
});

test("a position that fills have left, and that no server shows, is not told to be closed before the fills say so", async () => {
  const rig = openMarketRig();
  exchangeThatFills(rig, { szi: 0 });
  const sinceMs = rig.clock.nowMs() - 60_000;
  indexFill(rig, { timeMs: sinceMs });
  indexFill(rig, { timeMs: sinceMs + 1, market: "@107", startPosition: "0" as StoredFill["startPosition"] });
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 60);
  expect((await shownStop(rig, id)).flatten?.status).toBe("flattening");
  const startPosition = "0.5" as StoredFill["startPosition"];
  indexFill(rig, { timeMs: sinceMs + 2, side: "sell", startPosition, direction: "Close Long" });
  await pass(rig, 10);
  expect((await shownStop(rig, id)).flatten).toMatchObject({ status: "flat", left: [] });
});

test("a market that was settled without a fill is believed to be closed after ten minutes", async () => {
  const rig = openMarketRig();
  exchangeThatFills(rig, { szi: 0 });
  indexFill(rig, { timeMs: rig.clock.nowMs() - 200_000 });
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 9 * 60);
  expect((await shownStop(rig, id)).flatten?.status).toBe("flattening");
  await pass(rig, 2 * 60);
  expect((await shownStop(rig, id)).flatten?.status).toBe("flat");
});

test("what is held on a dex that is not configured, by fills that are known, is told as left", async () => {
  const rig = openMarketRig();
  exchangeThatFills(rig, { szi: 0 });
  const configured = rig.answers.get("clearinghouseState");
  const elsewhere = () => stateOf([{ coin: "flx:GOLD", szi: "0.5" }], rig.clock.nowMs());
  rig.answers.set("clearinghouseState", (request) =>
    request["dex"] === "flx" ? elsewhere() : (configured?.(request) ?? null),
  );
  indexFill(rig, { timeMs: rig.clock.nowMs() - 60_000, market: "flx:GOLD" });
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 11 * 60);
  const left = [{ market: "flx:GOLD", size: "0.5", reason: "no_price" }];
  expect((await shownStop(rig, id)).flatten).toMatchObject({ status: "left", left });
});

test("of what another than the bot holds no fill keeps the bot from being flat", async () => {
  const rig = await limitedRig({});
  exchangeThatFills(rig, { szi: 0 });
  indexFill(rig, { timeMs: rig.clock.nowMs() - 200_000 });
  await place(rig, { size: "0.001", price: "50000" });
  const id = await stopOf(rig, "bot", BOT);
  await flatten(rig, id, { apiKey: BOT });
  await pass(rig, 30);
  expect((await shownStop(rig, id)).flatten?.status).toBe("flat");
});

test("while a TWAP of the bot closes the same nothing else does, and it is told as left", async () => {
  const rig = await limitedRig({});
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  const twap = "'op-1', ?, 'grid-1', 'BTC', 'sell', '0.002', 1, 30, 0, null, '0'";
  rig.deps.store.$client.run(`insert into bot_twaps values (${twap})`, [ACCOUNTS.main]);
  const id = await stopOf(rig, "bot", BOT);
  await flatten(rig, id, { apiKey: BOT });
  await pass(rig, 60);
  expect(sales).toHaveLength(1);
  const { flatten: end } = (await (await rig.ask({ path: `/v1/stops/${id}`, apiKey: KEYS.both })).json()) as Shown;
  expect(end).toMatchObject({ left: [{ market: "BTC", size: "0.002", reason: "twap_running" }] });
});
