/**
 * One server refuses before it has come to an action's number, and a copy of the action on another way is executed: it was told as
 * refused, and from when that can be known it is told as it is.
 */
import { expect, test } from "bun:test";
import type { Ask } from "./front.ts";
import { directly, type Fate } from "./network.ts";
import { MAKER } from "./plain-venue.ts";
import { executed, limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { begin, bracket, held, placed, shownTrade, stopped, until } from "./trade-stage.ts";

const scene = scenesOfThisFile();

const USED_UP =
  "Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $0. Place taker orders to free up 1 request per USDC traded.";
const NO_AGENT = "User or API Wallet 0x1111111111111111111111111111111111111111 does not exist.";
const NO_DEPOSIT = "Must deposit before performing actions. User: 0x1111111111111111111111111111111111111111";
/** After that long an action and what may still take it are past, and it has been asked for. */
const FOUND_MS = 25_000;

/** It is executed, or refused, long before that is heard. */
const ANSWERED_LATE: Fate = { arrivesAfterMs: [5], answer: { kind: "true", ofCopy: 0, afterMs: 400 } };

type Refusing = {
  /** True for the bodies that are refused. */
  is(body: string): boolean;
  /** How many of them; the rest is executed. */
  times?: number;
  /** After which a copy is executed; null for none. */
  copyAfterMs: number | null;
  text?: string;
};

function refuseEarly(s: Scene, { is, times = 1, copyAfterMs, text = NO_AGENT }: Refusing): { count: number } {
  const execute = s.venue.execute.bind(s.venue);
  const refused = { count: 0 };
  s.venue.execute = (body) => {
    if (refused.count >= times || !is(body)) return execute(body);
    refused.count += 1;
    if (copyAfterMs !== null) s.timeline.after(copyAfterMs, () => void execute(body));
    return { status: 200, contentType: "application/json", body: JSON.stringify({ status: "err", response: text }) };
  };
  return refused;
}

function isOf(type: string): (body: string) => boolean {
  return (body) => body.startsWith(`{"action":{"type":"${type}"`);
}

const HOW: readonly [string, boolean][] = [
  [USED_UP, false],
  [NO_AGENT, false],
  [NO_DEPOSIT, false],
  [NO_AGENT, true],
];

test.each(HOW)("an order is told refused, and then open: %s (feed: %p)", async (text, hasFeed) => {
  const s = await scene({ hasFeed });
  refuseEarly(s, { is: isOf("order"), copyAfterMs: 5_000, text });
  const first = shown(await s.tell("copied", limit("buy", 90_000)));
  expect(first).toMatchObject({ http: 201, status: "rejected" });
  await s.pass(FOUND_MS);
  expect(shown(await s.tell(null, { kind: "get", id: first.id }))).toMatchObject({ status: "open", filled: "0" });
  expect(shown(await s.tell("copied", limit("buy", 90_000)))).toMatchObject({ http: 201, status: "open", error: null });
  expect(executed(s, "order")).toHaveLength(1);
});

test("an order of which no copy came stays refused, and is not asked for for ever", async () => {
  const s = await scene();
  refuseEarly(s, { is: isOf("order"), copyAfterMs: null });
  const asked = limit("buy", 90_000);
  const told = await s.tell("single", asked);
  await s.pass(10 * 60_000);
  expect(await s.tell("single", asked)).toEqual({ ...told, isReplay: true });
  // It counts against nobody any more.
  expect(s.rows("select seal from orders")).toEqual([{ seal: "expiry" }]);
  let reads = 0;
  s.seeThrough((request, answer) => {
    if (request.type === "orderStatus") reads += 1;
    return answer;
  });
  await s.pass(60_000);
  expect(reads).toBe(0);
});

test("servers that are behind for a minute and a half only put it off", async () => {
  const s = await scene();
  refuseEarly(s, { is: isOf("order"), copyAfterMs: 1_000 });
  const untilMs = s.timeline.nowMs() + 90_000;
  s.seeThrough((request, answer) => {
    const isHidden = s.timeline.nowMs() < untilMs;
    if (!isHidden) return answer;
    if (request.type === "orderStatus") return { status: "unknownOid" };
    return request.type === "frontendOpenOrders" || request.type === "historicalOrders" ? [] : answer;
  });
  const { id } = shown(await s.tell("behind", limit("buy", 90_000)));
  await s.pass(180_000);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "open" });
});

test("what a copy was filled for is found by its fills, where its record has a new word and is forgotten at once", async () => {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 89_900, size: "0.2" });
  refuseEarly(s, { is: isOf("order"), copyAfterMs: 1_000 });
  let isShown = false;
  s.seeThrough((request, answer) => {
    if (request.type === "historicalOrders") return [];
    if (request.type !== "orderStatus") return answer;
    const isFirst = !isShown;
    isShown ||= (answer as { status: string }).status === "order";
    const inNewWords = JSON.parse(JSON.stringify(answer).replace('"filled"', '"filledV2"')) as unknown;
    return isFirst ? inNewWords : { status: "unknownOid" };
  });
  const { id } = shown(await s.tell("forgotten", { ...limit("buy", 90_000), timeInForce: "ioc" }));
  await s.pass(90_000);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "filled", filled: "0.01" });
});

test.each(["alone", "in a batch"])(
  "an order %s that was filled in part before its refusal comes is not answered before it is known what it is",
  async (how) => {
    const s = await scene({ hasFeed: true });
    trade(s, MAKER, { isBuy: false, price: 89_900, size: "0.004" });
    await s.pass(5_000);
    refuseEarly(s, { is: isOf("order"), copyAfterMs: 50 });
    s.setFate(({ path, body }) => (path === "/exchange" && isOf("order")(body) ? ANSWERED_LATE : directly(5)));
    // Of what rests nothing but a word that is new tells: by its feed it is known by its fill alone.
    s.seeThrough((_request, answer) =>
      JSON.parse(JSON.stringify(answer).replaceAll('"status":"open"', '"status":"amended"')),
    );
    const order = limit("buy", 90_000);
    const asked: Ask = how === "alone" ? order : { kind: "batch", orders: [order] };
    s.ask("early", asked);
    await s.pass(450);
    expect(s.rows("select filled_size from orders")).toEqual([{ filled_size: "0.004" }]);
    await s.pass(60_000);
    const told = await s.tell("early", asked);
    expect([told.status, told.body]).toEqual([201, expect.stringContaining('"status":"open"')]);
  },
);

const MODIFY = { kind: "modify", price: "90010", size: null, alwaysPlace: false } as const;

test.each([false, true])("a modify is told refused, and then carried out (feed: %p)", async (hasFeed) => {
  const s = await scene({ hasFeed });
  const { id } = shown(await s.tell("original", limit("buy", 90_000)));
  refuseEarly(s, { is: isOf("batchModify"), copyAfterMs: 8_000 });
  const told = shown(await s.tell("changed", { ...MODIFY, id }));
  expect(told).toMatchObject({ http: 200, status: "open", error: expect.stringContaining("was not carried out") });
  await s.pass(FOUND_MS + 20_000);
  const now = await s.tell(null, { kind: "get", id });
  expect(shown(now)).toMatchObject({ status: "open", error: null });
  expect(JSON.parse(now.body)).toMatchObject({ price: "90010" });
  expect(shown(now).oid).toBe(String(liveOrders(s)[0]));
  expect(s.rows("select leg_state from orders")).toEqual([{ leg_state: "canceled" }]);
  expect(shown(await s.tell("changed", { ...MODIFY, id }))).toMatchObject({ http: 200, status: "open", error: null });
});

test("a TWAP is told refused, and then running, with its number at the exchange", async () => {
  const s = await scene();
  refuseEarly(s, { is: isOf("twapOrder"), copyAfterMs: 2_000 });
  const asked: Ask = { kind: "twap", market: "BTC", side: "buy", size: "0.05", minutes: 30 };
  const told = shown(await s.tell("sliced", asked));
  expect(told).toMatchObject({ http: 200, status: "rejected" });
  await s.pass(FOUND_MS);
  const now = await s.tell(null, { kind: "get_operation", id: told.id });
  expect(JSON.parse(now.body)).toMatchObject({ status: "succeeded", exchange_id: "1", error: null });
  expect((await s.tell("sliced", asked)).body).toBe(now.body);
});

test("a cancel-all takes the number of what was refused, and then no copy can be taken", async () => {
  const s = await scene();
  refuseEarly(s, { is: isOf("order"), copyAfterMs: 4_000 });
  const { id } = shown(await s.tell("doubtful", limit("buy", 90_000)));
  const everything: Ask = { kind: "cancel_all", touches: "own" };
  const told = await s.tell("all-of-them", everything);
  expect([told.status, told.body]).toEqual([200, expect.stringContaining(id)]);
  await s.pass(60_000);
  expect(liveOrders(s)).toEqual([]);
  expect(executed(s, "noop")).toHaveLength(1);
});

test("a trade whose entry was refused is told so once its number is taken, and holds nothing after", async () => {
  const s = await scene();
  const refused = refuseEarly(s, { is: (body) => isOf("order")(body) && body.includes('"90000"'), copyAfterMs: 6_000 });
  trade(s, MAKER, { isBuy: false, price: 89_900, size: "0.2" });
  const id = await begin(s, bracket({ timeInForce: "ioc" }));
  expect(await until(s, id, ({ status }) => status === "rejected")).toMatchObject({ held_size: "0" });
  await s.pass(60_000);
  expect([refused.count, held(s), liveOrders(s)]).toEqual([1, "0", []]);
  expect(executed(s, "noop").length).toBeGreaterThan(0);
});

test("a trade whose entry was filled by a copy is protected, although it was refused and no number could be taken", async () => {
  const s = await scene();
  const isEntry = (body: string) => isOf("order")(body) && body.includes('"90000"');
  const isEmpty = isOf("noop");
  trade(s, MAKER, { isBuy: false, price: 89_900, size: "0.2" });
  refuseEarly(s, { is: isEntry, copyAfterMs: 6_000 });
  refuseEarly(s, { is: isEmpty, times: 1_000, copyAfterMs: null, text: USED_UP });
  const id = await begin(s, bracket());
  await s.pass(4_500);
  expect([held(s), stopped(s)]).toEqual(["0", 0.05]);
  await until(s, id, ({ held_size: size, protected: isProtected }) => size === "0.05" && isProtected);
  expect([held(s), stopped(s)]).toEqual(["0.05", 0.05]);
  await s.pass(30_000);
  expect(await shownTrade(s, id)).toMatchObject({ status: "open", protected: true });
});

test("a trade that was refused so before a night without a gateway ends after it", async () => {
  const s = await scene();
  const entry = refuseEarly(s, { is: (body) => isOf("order")(body) && body.includes('"90000"'), copyAfterMs: null });
  refuseEarly(s, { is: isOf("noop"), times: 1_000, copyAfterMs: null, text: USED_UP });
  const id = await begin(s);
  await s.pass(3_000);
  expect([entry.count, (await shownTrade(s, id)).status]).toEqual([1, "entering"]);
  s.kill();
  await s.pass(3 * 3_600_000);
  await s.start();
  expect(await until(s, id, ({ status }) => status === "rejected")).toMatchObject({ held_size: "0" });
  expect(liveOrders(s)).toEqual([]);
});

test("a stop that servers refuse is tried again every ten seconds, and not as often as they answer", async () => {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 89_900, size: "0.2" });
  const refused = refuseEarly(s, {
    is: (body) => isOf("order")(body) && body.includes('"85000"'),
    times: 1_000,
    copyAfterMs: null,
    text: USED_UP,
  });
  const call = s.ask("trade-key-1", bracket());
  await s.pass(30_000);
  expect(call.answer).not.toBeNull();
  expect(refused.count).toBeGreaterThan(0);
  expect(refused.count).toBeLessThan(6);
  expect(placed(s)).toEqual([]);
});

test("a trade is at its end once no copy of its stop can come, whose refusal ended it", async () => {
  const s = await scene();
  const isStop = (body: string) => isOf("order")(body) && body.includes('"85000"');
  const refused = refuseEarly(s, { is: isStop, times: 1_000, copyAfterMs: 2_000 });
  const id = await begin(s);
  await until(s, id, ({ status }) => status === "rejected");
  await s.pass(30_000);
  expect([refused.count, liveOrders(s), executed(s, "noop").length]).toEqual([1, [], 1]);
});

test("a cancel that is refused while nobody knows what the order is stays armed", async () => {
  const s = await scene({ hasFeed: false });
  const { id } = shown(await s.tell("resting", limit("buy", 90_000)));
  const untilMs = s.timeline.nowMs() + 12_000;
  s.seeThrough((request, answer) => {
    const isHidden = request.type === "orderStatus" && s.timeline.nowMs() < untilMs;
    return isHidden ? { status: "unknownOid" } : answer;
  });
  s.rows("update orders set status = 'unknown', leg_state = 'lost', error = 'it is looked up'");
  refuseEarly(s, { is: isOf("cancel"), copyAfterMs: null });
  s.ask("withdrawn", { kind: "cancel", id });
  await s.pass(2_000);
  expect(shown(await s.tell("withdrawn", { kind: "cancel", id }))).toMatchObject({ http: 202, status: "unknown" });
  await s.pass(30_000);
  expect(shown(await s.tell("withdrawn", { kind: "cancel", id }))).toMatchObject({ http: 200, status: "canceled" });
  expect(liveOrders(s)).toEqual([]);
});

test.each([false, true])(
  "a modify of a canceled order, placed by a copy, is an order of its own (feed: %p)",
  async (hasFeed) => {
    const s = await scene({ hasFeed });
    const { id } = shown(await s.tell("original", limit("buy", 90_000)));
    await s.tell("withdrawn", { kind: "cancel", id });
    refuseEarly(s, { is: isOf("batchModify"), copyAfterMs: 300 });
    const modify = { ...MODIFY, id, alwaysPlace: true };
    await s.tell("beside", modify);
    await s.pass(FOUND_MS + 20_000);
    const [oid] = liveOrders(s);
    expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "canceled", filled: "0" });
    expect(shown(await s.tell("withdrawn", { kind: "cancel", id }))).toMatchObject({ http: 200, status: "canceled" });
    const placedBeside = shown(await s.tell("beside", modify));
    expect(placedBeside).toMatchObject({ http: 200, status: "open", oid: String(oid), error: null });
    expect(placedBeside.id).not.toBe(id);
  },
);

test("a modify's key tells what it placed beside its original, whatever is shown of that original", async () => {
  const s = await scene();
  refuseEarly(s, { is: isOf("order"), copyAfterMs: 1_000 });
  const first = shown(await s.tell("original", limit("buy", 90_000)));
  expect(first).toMatchObject({ http: 201, status: "rejected" });
  await s.pass(FOUND_MS);
  const { id } = first;
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.01" });
  await s.pass(FOUND_MS);
  trade(s, MAKER, { isBuy: false, price: 90_010, size: "0.01" });
  const modify = { ...MODIFY, id, size: "0.01", alwaysPlace: true };
  const beside = await s.tell("beside", modify);
  expect(shown(beside)).toMatchObject({ http: 200, status: "filled", error: null });
  expect(shown(beside).id).not.toBe(id);
  expect(await s.tell("beside", modify)).toEqual({ ...beside, isReplay: true });
  expect(shown(await s.tell("original", limit("buy", 90_000)))).toMatchObject({ id, http: 201, status: "filled" });
});

test.each([
  ["its entry", 1],
  ["its stop", 2],
])("a trade whose cancel of %s is refused at the door asks for it again, and not at once", async (_what, nth) => {
  const s = await scene();
  const id = await begin(s);
  await s.pass(3_000);
  expect([liveOrders(s).length, stopped(s)]).toEqual([2, 0.05]);
  let cancels = 0;
  const isRefused = (body: string) => {
    cancels += isOf("cancel")(body) ? 1 : 0;
    return isOf("cancel")(body) && cancels === nth;
  };
  refuseEarly(s, { is: isRefused, copyAfterMs: null });
  await s.tell("cancel-trade", { kind: "trade_cancel", id });
  await s.pass(5_000);
  expect(executed(s, "cancel")).toHaveLength(nth - 1);
  await until(s, id, ({ status }) => status === "canceled");
  expect([liveOrders(s), executed(s, "cancel").length]).toEqual([[], 2]);
});
