/** Closing as its client meets it: how much goes, at which price, and what goes with it. */
import { expect, test } from "bun:test";
import { inTransaction } from "../../src/store/commit.ts";
import { listLegs, updateLeg } from "../../src/store/legs.ts";
import { findOrder, updateOrder } from "../../src/store/orders.ts";
import { close, exchangeThatFills, pass, type Sent, type Shown, STOP_LOSS, statusOf } from "./close-rig.ts";
import { awaitTakeUp } from "./flatten-rig.ts";
import {
  BOT,
  inSeconds,
  limitedRig,
  OTHER_BOT,
  openMarketRig,
  place,
  refusalOf,
  register,
  textOf,
} from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig, rowCounts } from "./rig.ts";

test.each([
  ["all of a long", 0.5, {}, { b: false, s: "0.5", p: "59691" }],
  ["all of a short", -0.5, {}, { b: true, s: "0.5", p: "60310" }],
  ["a part of it", 0.5, { fraction: "0.5" }, { b: false, s: "0.25" }],
  ["a part that is cut to the step and never rounded up", 0.00029, { fraction: "0.99" }, { b: false, s: "0.00028" }],
  ["by the slippage that is asked for", 0.5, { max_slippage_bps: 1 }, { b: false, p: "59985" }],
  [
    "all of what is worth less than the exchange takes a part of",
    0.0001,
    { fraction: "0.5" },
    { b: false, s: "0.0001" },
  ],
  ["a part that the exchange may refuse, as it was asked for", 0.5, { fraction: "0.0002" }, { b: false, s: "0.0001" }],
])("it closes %s", async (_what, szi, terms, sent) => {
  const rig = openMarketRig();
  const sales = exchangeThatFills(rig, { szi });
  const answer = await close(rig, terms);
  expect(answer.status).toBe(201);
  expect((await answer.json()) as Shown).toMatchObject({ status: "filled", reduce_only: true });
  expect(sales).toMatchObject([{ ...sent, r: true, t: { limit: { tif: "Ioc" } } }]);
});

test.each([
  ["nothing is held", 0, {}, "409 nothing_to_close: At "],
  ["less than one step is asked for", 0.5, { fraction: "0.00001" }, "409 nothing_to_close"],
  ["more than all", 0.5, { fraction: "1.01" }, "400 invalid_parameter"],
  ["nothing of it", 0.5, { fraction: "0" }, "400 invalid_parameter"],
  ["a number for a fraction", 0.5, { fraction: 0.5 }, "400 invalid_parameter"],
  ["spot", 0.5, { market: "PURR/USDC" }, "400 perpetual_market_required"],
  ["another's account", 0.5, { account: ACCOUNTS.other }, "403 account_mismatch"],
])("where it is %s nothing is sent", async (_what, szi, terms, outcome) => {
  const rig = openMarketRig();
  const sales = exchangeThatFills(rig, { szi });
  const before = rowCounts(rig);
  expect(await refusalOf(await close(rig, terms))).toStartWith(outcome);
  expect([rowCounts(rig), rig.sent, sales]).toEqual([before, [], []]);
});

/** The exchange answers none of these any more. */
function silence(rig: Rig, ...types: string[]): void {
  for (const type of types) rig.answers.delete(type);
}

/** A bot that holds 0.002 of an account's 0.5, some seconds later: nothing that was read then is new any more. */
async function rigOfBot(): Promise<{ rig: Rig; sales: Sent[] }> {
  const rig = await limitedRig({});
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  await pass(rig, 12);
  return { rig, sales };
}

test.each([
  ["the mark", ["metaAndAssetCtxs"], "59691"],
  ["the book", ["l2Book"], "59700"],
  ["all but the book", ["metaAndAssetCtxs", "allMids", "activeAssetData", "clearinghouseState"], "59691"],
  ["anything", ["metaAndAssetCtxs", "allMids", "activeAssetData", "clearinghouseState", "l2Book"], "59700"],
])("a bot gets out of what its fills hold while the exchange does not tell %s", async (_what, types, price) => {
  const { rig, sales } = await rigOfBot();
  silence(rig, ...types);
  const answer = await close(rig, {}, { apiKey: BOT });
  expect([answer.status, ((await answer.json()) as Shown).price]).toEqual([201, price]);
  expect(sales.slice(1)).toMatchObject([{ b: false, s: "0.002", p: price, r: true }]);
});

test("and what the account held is told as of when it was read, where it cannot be read again", async () => {
  const rig = await limitedRig({});
  exchangeThatFills(rig, { szi: 0.5 });
  await rig.ask({ path: "/v1/positions", apiKey: BOT });
  const readAt = new Date(rig.clock.nowMs()).toISOString();
  silence(rig, "clearinghouseState");
  await rig.clock.advance(5_000);
  const told = await refusalOf(await close(rig, {}, { apiKey: BOT }));
  expect(told).toStartWith(`409 nothing_to_close: At ${readAt} the account held 0.5, and this key's bot holds nothing`);
});

test("a bot that holds nothing is told so while the exchange does not tell the positions", async () => {
  const rig = await limitedRig({});
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  silence(rig, "clearinghouseState");
  expect(await refusalOf(await close(rig, {}, { apiKey: BOT }))).toStartWith("409 nothing_to_close: By its own fills");
  expect(sales).toEqual([]);
});

/** A plain key that looked at its position of 0.5 so long ago. */
async function rigThatLooked(agoS: number, szi = 0.5): Promise<{ rig: Rig; sales: Sent[] }> {
  const rig = openMarketRig();
  const sales = exchangeThatFills(rig, { szi });
  expect((await rig.ask({ path: "/v1/positions", apiKey: KEYS.both })).status).toBe(200);
  silence(rig, "clearinghouseState");
  await rig.clock.advance(agoS * 1_000);
  return { rig, sales };
}

test("a plain key closes the newest position that is known, of the last five minutes", async () => {
  const { rig, sales } = await rigThatLooked(299);
  const readAt = new Date(rig.clock.nowMs() - 299_000).toISOString();
  const answer = await close(rig, { fraction: "0.5" });
  const { id } = (await answer.clone().json()) as Shown;
  expect(await refusalOf(answer)).toBe("201");
  const story = await (await rig.ask({ path: `/v1/orders/${id}/story`, apiKey: KEYS.both })).text();
  expect(story).toContain(`closes 0.25 of 0.5, of 0.5 that the account held at ${readAt}`);
  expect(sales).toMatchObject([{ b: false, s: "0.25", r: true }]);
  // What it has done since is not in what it knows: half of that would be more than half.
  expect(await refusalOf(await close(rig, { fraction: "0.5" }))).toStartWith("503 exchange_unreachable");
  expect(sales).toHaveLength(1);
});

test.each([
  ["of an older one", 301, 0.5],
  ["that nothing was held", 60, 0],
])("and nothing by what is known %s", async (_what, agoS, szi) => {
  const { rig, sales } = await rigThatLooked(agoS, szi);
  expect(await refusalOf(await close(rig))).toStartWith("503 exchange_unreachable: The exchange could not be asked");
  expect(sales).toEqual([]);
});

test("a repeat under its key closes nothing more, and a part of it is another request", async () => {
  const rig = openMarketRig();
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  const terms = { fraction: "0.4" };
  const first = await (await close(rig, terms, { key: "the-same-key" })).text();
  const again = await close(rig, { fraction: "0.40" }, { key: "the-same-key" });
  expect([await again.text(), again.headers.get("Idempotent-Replayed")]).toEqual([first, "true"]);
  expect(await refusalOf(await close(rig, {}, { key: "the-same-key" }))).toStartWith("409 idempotency_key_reused");
  expect(sales).toHaveLength(1);
});

test("while one may execute no other begins, and nothing of a stop is in its way", async () => {
  const rig = openMarketRig();
  const sales = exchangeThatFills(rig, { szi: 0.5, fills: false });
  await rig.ask({ path: "/v1/stop", apiKey: KEYS.both, body: { scope: "account" } });
  expect((await close(rig)).status).toBe(202);
  expect(await refusalOf(await close(rig, { touches: "all" }))).toStartWith("409 close_in_progress");
  expect(sales).toHaveLength(1);
});

test("one that can execute no more stands in no way of the account's, by what is held since", async () => {
  const rig = openMarketRig();
  const held = { szi: 0.5, fills: false };
  const sales = exchangeThatFills(rig, held);
  expect((await close(rig)).status).toBe(202);
  for (let seconds = 0; seconds < 30; seconds += 1) await rig.clock.advance(1_000);
  held.szi = 0.3;
  expect((await close(rig)).status).toBe(202);
  expect(sales).toMatchObject([{ s: "0.5" }, { s: "0.3" }]);
});

test("a bot's waits until its fills are known, which alone tell what it holds", async () => {
  const rig = await limitedRig({});
  const held = { szi: 0.5, fills: true };
  const sales = exchangeThatFills(rig, held);
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  held.fills = false;
  expect((await close(rig, {}, { apiKey: BOT })).status).toBe(202);
  for (let seconds = 0; seconds < 30; seconds += 1) await rig.clock.advance(1_000);
  for (const fraction of ["0.5", "1"])
    expect(await refusalOf(await close(rig, { fraction }, { apiKey: BOT }))).toStartWith("409 close_in_progress");
  expect(sales).toHaveLength(2);
});

test("of a bot no more goes than its own fills hold, and the account only where its rails touch all", async () => {
  const rig = await limitedRig({});
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  expect(await refusalOf(await close(rig, {}, { apiKey: BOT }))).toStartWith("409 nothing_to_close");
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  expect(await refusalOf(await close(rig, { touches: "all" }, { apiKey: BOT }))).toStartWith("403 rail_refused");
  expect((await close(rig, {}, { apiKey: BOT })).status).toBe(201);
  expect(sales.slice(1)).toMatchObject([{ b: false, s: "0.002", r: true }]);
  await register(rig, textOf(rig, { bot: "other-1", touches: "all" }, OTHER_BOT));
  expect((await close(rig, { touches: "all" }, { apiKey: OTHER_BOT })).status).toBe(201);
  expect(sales.slice(2)).toMatchObject([{ b: false, s: "0.5", r: true }]);
});

test("what of a bot rests to reduce goes before all of it is closed, and stays where a part is", async () => {
  const rig = await limitedRig({});
  const held = { szi: 0.5 };
  const sales = exchangeThatFills(rig, held);
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  const resting = await place(rig, { side: "sell", size: "0.002", price: "60500", reduce_only: true });
  expect(resting.status).toBe(201);
  const { id } = (await resting.clone().json()) as Shown;
  expect(await refusalOf(await close(rig, { fraction: "0.6" }, { apiKey: BOT }))).toStartWith("403 rail_refused");
  expect(rig.deps.store.$client.query("select status from orders where id = ?").get(id)).toEqual({ status: "open" });
  const again = { apiKey: BOT, key: "close-all-of-a-bot" };
  expect(await refusalOf(await close(rig, {}, again))).toStartWith(
    `409 close_in_progress: Orders of BTC that only reduce are being canceled first: ${id}`,
  );
  expect(sales).toHaveLength(1);
  await pass(rig, 30);
  expect((await close(rig, {}, again)).status).toBe(201);
  expect(sales.slice(1)).toMatchObject([{ b: false, s: "0.002", r: true }]);
  expect(await statusOf(rig, resting)).toBe("canceled");
});

test("a stop with a limit that has fired and was left behind is in the way as well; one that waits is not", async () => {
  const rig = await limitedRig({});
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  const trigger = { price: "59000", kind: "stop_loss", market: false };
  const guard = { side: "sell", size: "0.002", price: "58900", reduce_only: true, trigger };
  const profit = { ...guard, price: "61900", trigger: { price: "62000", kind: "take_profit", market: false } };
  const [left, waiting] = [await place(rig, guard), await place(rig, profit)];
  const { id } = (await left.clone().json()) as Shown;
  const { store } = rig.deps;
  inTransaction(store, () => {
    const order = findOrder(store, id);
    const [leg] = listLegs(store, id);
    if (order === null || leg === undefined) throw new Error("bug: a stop without a leg");
    updateLeg(store, { ...leg, state: "resting" });
    updateOrder(store, { ...order, status: "open" });
  });
  const again = { apiKey: BOT, key: "close-behind-a-fired-stop" };
  expect(await refusalOf(await close(rig, { keep_triggers: true }, again))).toStartWith(
    `409 close_in_progress: Orders of BTC that only reduce are being canceled first: ${id}.`,
  );
  await pass(rig, 30);
  expect((await close(rig, { keep_triggers: true }, again)).status).toBe(201);
  expect(sales.slice(1)).toMatchObject([{ b: false, s: "0.002", r: true }]);
  expect([await statusOf(rig, left), await statusOf(rig, waiting)]).toEqual(["canceled", "open"]);
});

test("a market order that only reduces is priced within the distance that its owner has signed, and not refused by it", async () => {
  const rig = await limitedRig({ maxDistance: "0.3 %" });
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  const terms = { account: ACCOUNTS.main, market: "BTC", side: "sell", size: "0.002" };
  const atMarket = (some: object, idempotencyKey: string) =>
    inSeconds(rig, rig.ask({ path: "/v1/orders/market", apiKey: BOT, idempotencyKey, body: { ...terms, ...some } }));
  expect((await atMarket({ reduce_only: true }, "out-of-it-1")).status).toBe(201);
  expect(sales.slice(1)).toMatchObject([{ p: "59820", r: true }]);
  expect(await refusalOf(await atMarket({ side: "buy" }, "into-it-2"))).toStartWith("403 rail_refused");
});

test("a bot's worst price is no further than its owner has signed, and one that may not reduce closes nothing", async () => {
  const rig = await limitedRig({ maxDistance: "0.3 %" });
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  expect((await close(rig, {}, { apiKey: BOT })).status).toBe(201);
  expect(sales.slice(1)).toMatchObject([{ p: "59820" }]);
  const timid = await limitedRig({ may: "increase,cancel" });
  exchangeThatFills(timid, { szi: 0.5 });
  await place(timid, { size: "0.002", price: "60010", time_in_force: "ioc" });
  expect(await refusalOf(await close(timid, {}, { apiKey: BOT }))).toStartWith("403 rail_refused");
});

test.each([
  ["once nothing is held they go", {}, "canceled"],
  ["unless they are to be kept", { keep_triggers: true }, "open"],
  ["while a part is held they stay", { fraction: "0.5" }, "open"],
])("of the triggers that are left over: %s", async (_what, terms, status) => {
  const rig = openMarketRig();
  exchangeThatFills(rig, { szi: 0.5 });
  const own = await place(rig, STOP_LOSS, { apiKey: KEYS.both });
  const others = await place(rig, STOP_LOSS, { apiKey: KEYS.writeOnly });
  const elsewhere = await place(rig, { ...STOP_LOSS, market: "ETH" }, { apiKey: KEYS.both });
  const { id } = (await (await close(rig, terms)).json()) as Shown;
  const later = await place(rig, STOP_LOSS, { apiKey: KEYS.both });
  await pass(rig, 12);
  expect([await statusOf(rig, own), await statusOf(rig, others)]).toEqual([status, "open"]);
  expect(await statusOf(rig, elsewhere)).not.toBe("canceled");
  // What was placed after the close protects what comes.
  expect(await statusOf(rig, later)).toBe("open");
  const story = await (await rig.ask({ path: `/v1/orders/${id}/story`, apiKey: KEYS.both })).text();
  expect(story.includes("left-over triggers canceled")).toBe(status === "canceled");
});

test("of a close that a restored backup has none goes before what was bought since is read", async () => {
  const rig = openMarketRig();
  const held = { szi: 0.5 };
  exchangeThatFills(rig, held);
  const own = await place(rig, STOP_LOSS, { apiKey: KEYS.both });
  const { send } = rig.deps.exchange;
  let takeUp = () => {};
  rig.deps.exchange.send = (...sent) => {
    rig.deps.exchange.send = send;
    takeUp = awaitTakeUp(rig);
    return send(...sent);
  };
  await close(rig);
  await pass(rig, 12);
  held.szi = 0.5;
  takeUp();
  await pass(rig, 12);
  expect(await statusOf(rig, own)).toBe("open");
});

test("what only reduces and rests at a price is no trigger, and stays", async () => {
  const rig = openMarketRig();
  exchangeThatFills(rig, { szi: 0.5 });
  const trigger = await place(rig, STOP_LOSS, { apiKey: KEYS.both });
  const rests = await place(rig, STOP_LOSS, { apiKey: KEYS.both });
  const { id } = (await rests.clone().json()) as Shown;
  inTransaction(rig.deps.store, (store) => {
    const order = findOrder(store, id);
    const [leg] = listLegs(store, id);
    if (order === null || leg === undefined) throw new Error("bug: no such order");
    updateLeg(store, { ...leg, trigger: null, state: "resting" });
    updateOrder(store, { ...order, trigger: null, status: "open" });
  });
  await close(rig);
  await pass(rig, 12);
  expect([await statusOf(rig, trigger), await statusOf(rig, rests)]).toEqual(["canceled", "open"]);
});

test("they stay where an order that may increase rests: it would be filled without protection", async () => {
  const rig = openMarketRig();
  exchangeThatFills(rig, { szi: 0.5 });
  const own = await place(rig, STOP_LOSS, { apiKey: KEYS.both });
  await place(rig, { price: "50000" }, { apiKey: KEYS.both });
  const { id } = (await (await close(rig)).json()) as Shown;
  await pass(rig, 12);
  expect(await statusOf(rig, own)).toBe("open");
  const story = await (await rig.ask({ path: `/v1/orders/${id}/story`, apiKey: KEYS.both })).text();
  expect(story).toContain("left-over triggers kept");
});

test("of whoever placed them, where all is touched", async () => {
  const rig = openMarketRig();
  exchangeThatFills(rig, { szi: 0.5 });
  const others = await place(rig, STOP_LOSS, { apiKey: KEYS.writeOnly });
  await close(rig, { touches: "all" });
  await pass(rig, 12);
  expect(await statusOf(rig, others)).toBe("canceled");
});
