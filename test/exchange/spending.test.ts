/** What questions and actions weigh, and what becomes of those for which our weight is used up. */
import { expect, test } from "bun:test";
import { createActionBudget } from "../../src/exchange/action-budget.ts";
import type { InfoRequest } from "../../src/exchange/exchange.ts";
import { largestWeight, weightOf, weightOfAnswer } from "../../src/exchange/weights.ts";
import { stillClock } from "./clocks.ts";
import { answering, connect } from "./connect.ts";

test("reads weigh what the exchange's page says, with 1 for each started 20 rows", () => {
  const rows: readonly [type: string, rowCount: number, weight: number][] = [
    ["orderStatus", 1, 2],
    ["clearinghouseState", 1, 2],
    ["spotClearinghouseState", 1, 2],
    ["exchangeStatus", 1, 2],
    ["userRole", 1, 60],
    ["meta", 1, 20],
    ["frontendOpenOrders", 5_000, 20],
    ["historicalOrders", 0, 20],
    ["historicalOrders", 1, 21],
    ["historicalOrders", 40, 22],
    ["userFillsByTime", 2_000, 120],
    ["userFillsByTime", 9_999, 120],
    ["recentTrades", 10, 21],
    ["candleSnapshot", 60, 21],
    ["candleSnapshot", 500, 29],
  ];
  for (const [type, rowCount, weight] of rows) {
    expect([type, weightOfAnswer(weightOf({ type }), Array(rowCount).fill({}))]).toEqual([type, weight]);
  }
  expect(largestWeight(weightOf({ type: "userFillsByTime" }))).toBe(120);
  expect(weightOfAnswer(weightOf({ type: "userFills" }), null)).toBe(20);
});

test("a read sets aside its most and pays what it came to", async () => {
  const { transport, inits } = answering(() => new Response("[{},{}]"));
  const exchange = connect("http://exchange.test", { transport });
  const request = { type: "historicalOrders", user: "0x1" };
  const first = await Promise.all(Array.from({ length: 4 }, () => exchange.info(request, { purpose: "read" })));
  expect(first.filter(({ kind }) => kind === "ok")).toHaveLength(3);
  expect(first[3]).toMatchObject({ kind: "failed", isOurBudget: true, httpStatus: null });
  expect(inits).toHaveLength(3);
  // 63 are paid, and two thirds of the third, 266, are for one reader.
  for (let nth = 0; nth < 12; nth += 1) await exchange.info(request, { purpose: "read" });
  expect(inits).toHaveLength(12);
  // 252 are paid; of what is left another has room four times for what it came to, and ten more.
  for (let nth = 0; nth < 9; nth += 1) await exchange.info(request, { purpose: { reader: "another" } });
  expect(inits).toHaveLength(16);
});

test("what a read came to a little before is set aside, with room to grow, and its most where that tells nothing", async () => {
  const clock = stillClock();
  const rows = JSON.stringify(Array(40).fill({}));
  const exchange = connect("http://exchange.test", { clock, ...answering(() => new Response(rows)) });
  const waits = (requests: InfoRequest[]) => exchange.budgetWaitS("settle", requests) > 0;
  const sweep = (startTime: number, user = "0x1"): InfoRequest[] => [
    { type: "historicalOrders", user },
    { type: "userFillsByTime", user, startTime },
  ];
  // What is asked up to a time tells nothing of what is asked up to now.
  const other = { type: "userFillsByTime", user: "0x3", startTime: 1 };
  await exchange.info({ ...other, endTime: 2 }, { purpose: "settle" });
  await exchange.infoInTurn(sweep(1_000), { purpose: "settle" });
  // All but a hundred of what is not kept for cancels.
  const spend = async (from: number) => {
    for (let spent = from; spent < 980; spent += 2)
      await exchange.info({ type: "orderStatus" }, { purpose: spent < 250 ? "reduce" : "cancel" });
  };
  await spend(66);
  expect([waits(sweep(1_000)), waits(sweep(2_000))]).toEqual([false, false]);
  expect([waits(sweep(999)), waits(sweep(1_000, "0x2"))]).toEqual([true, true]);
  expect([waits([other]), waits([{ type: "historicalOrders", user: "0x1" }])]).toEqual([true, false]);
  await clock.advance(61_000);
  expect(waits(sweep(999))).toBe(false);
  // By then it may have grown five times as much.
  await clock.advance(8 * 60_000);
  await spend(0);
  expect(waits(sweep(1_000))).toBe(true);
});

test("what an answer in a turn did not come to is there before the next one is", async () => {
  const left: (number | null)[] = [];
  const look = () => {
    left.push(exchange.budgetLeft("cancel"));
    return new Response("[]");
  };
  const exchange = connect("http://exchange.test", answering(look));
  const user = "0x1";
  await exchange.infoInTurn(
    [
      { type: "historicalOrders", user },
      { type: "userFills", user },
    ],
    { purpose: "settle" },
  );
  expect([...left, exchange.budgetLeft("cancel")]).toEqual([960, 1_060, 1_160]);
});

test("a read with a full answer pays for every row", async () => {
  const exchange = connect(
    "http://exchange.test",
    answering(() => new Response(JSON.stringify(Array(2_000).fill({})))),
  );
  const kinds = [];
  for (let nth = 0; nth < 4; nth += 1)
    kinds.push((await exchange.info({ type: "userFills", user: "0x1" }, { purpose: "read" })).kind);
  expect(kinds).toEqual(["ok", "ok", "ok", "failed"]);
});

test("what was proven not to have been sent costs nothing", async () => {
  const refused = () => Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
  const exchange = connect("http://exchange.test", { transport: refused, weightPerMinute: 40 });
  for (let nth = 0; nth < 100; nth += 1) {
    expect(await exchange.send("{}", "order")).toEqual({ kind: "not_sent", reason: "ECONNREFUSED" });
    expect(await exchange.info({ type: "meta" }, { purpose: "order" })).toMatchObject({ isOurBudget: false });
  }
  expect(exchange.hasBudgetFor("read")).toBe(true);
});

test("an HTTP 429 slows all down but cancels, whether it answered a read or an action", async () => {
  const clock = stillClock();
  for (const isAction of [true, false]) {
    const exchange = connect("http://exchange.test", {
      clock,
      ...answering(() => new Response("null", { status: 429 })),
    });
    expect(exchange.hasBudgetFor("order")).toBe(true);
    expect(exchange.budgetWaitS("order")).toBe(0);
    if (isAction)
      expect(await exchange.send("{}", "order")).toEqual({ kind: "answered", httpStatus: 429, body: "null" });
    else
      expect(await exchange.info({ type: "meta" }, { purpose: "order" })).toMatchObject({
        kind: "failed",
        httpStatus: 429,
      });
    expect(exchange.hasBudgetFor("order")).toBe(false);
    expect(exchange.budgetWaitS("order")).toBe(10);
    expect(exchange.hasBudgetFor("cancel")).toBe(true);
  }
});

test("actions stop before our minute is over the limit, and then nothing was sent", async () => {
  const { transport, inits } = answering(() => new Response("{}"));
  const exchange = connect("http://exchange.test", { transport, weightPerMinute: 100 });
  const outcomes = await Promise.all(Array.from({ length: 101 }, () => exchange.send("{}", "order")));
  expect(outcomes.filter(({ kind }) => kind === "answered")).toHaveLength(100);
  expect(outcomes.filter(({ kind }) => kind === "not_sent")).toEqual([
    { kind: "not_sent", reason: "our weight towards the exchange is used up", waitS: 61 },
  ]);
  expect(inits).toHaveLength(100);
});

test("an account's actions leave some to reductions, and more to settling, and cancels go on beyond the cap as the exchange lets them", () => {
  const budget = createActionBudget(true);
  expect(budget.fits("0xa", "order", 1)).toBe(true);
  expect(budget.remaining("0xa")).toBeNull();
  budget.learn("0xa", { used: 9_799, cap: 10_000 });
  expect(budget.fits("0xa", "order", 1)).toBe(true);
  budget.spend("0xa", "order", 1);
  expect(budget.fits("0xa", "order", 1)).toBe(false);
  expect(budget.fits("0xa", "reduce", 100)).toBe(true);
  expect(budget.fits("0xa", "reduce", 101)).toBe(false);
  expect(budget.fits("0xa", "settle", 200)).toBe(true);
  expect(budget.fits("0xa", "settle", 201)).toBe(false);
  budget.spend("0xa", "settle", 200);
  expect(budget.remaining("0xa")).toBe(0);
  expect(budget.fits("0xa", "cancel", 10_000)).toBe(true);
  expect(budget.fits("0xa", "cancel", 10_001)).toBe(false);
  expect(budget.fits("0xb", "order", 1)).toBe(true);
  budget.learn("0xa", { used: 0, cap: 1_000_000 });
  expect(budget.fits("0xa", "cancel", 1_100_000)).toBe(true);
  expect(budget.fits("0xa", "cancel", 1_100_001)).toBe(false);
  const off = createActionBudget(false);
  off.learn("0xa", { used: 5, cap: 5 });
  expect(off.fits("0xa", "order", 1)).toBe(true);
});

test("a request of several reads is told to wait until all of them fit", async () => {
  const clock = stillClock();
  const exchange = connect("http://exchange.test", { clock, ...answering(() => new Response("[]")) });
  const options = { purpose: { reader: "a key" } };
  const both = async () => {
    const asked = ["", "xyz"].map((dex) => exchange.info({ type: "frontendOpenOrders", user: "0x1", dex }, options));
    return Promise.all(asked);
  };
  for (let second = 0; second < 12; second += 1) {
    await exchange.info({ type: "frontendOpenOrders" }, options);
    await clock.advance(1_000);
  }
  await clock.advance(8_000);
  const [first, second] = await both();
  // The first has used the room that there was, and is asked again with the second.
  expect(first?.kind).toBe("ok");
  expect(second).toMatchObject({ kind: "failed", isOurBudget: true, waitS: 42 });
  await clock.advance(42_000);
  expect((await both()).map(({ kind }) => kind)).toEqual(["ok", "ok"]);
});

test("an action is told to wait until it fits together with a list that is read before it", async () => {
  const clock = stillClock();
  const exchange = connect("http://exchange.test", { clock, ...answering(() => new Response("[]")) });
  for (let second = 0; second < 39; second += 1) {
    await exchange.info({ type: "meta" }, { purpose: "order" });
    await clock.advance(1_000);
  }
  expect(exchange.hasBudgetFor("order")).toBe(false);
  expect(exchange.budgetWaitS("order")).toBe(23);
  await clock.advance(23_000);
  expect((await exchange.info({ type: "meta" }, { purpose: "order" })).kind).toBe("ok");
  expect(exchange.hasBudgetFor("order")).toBe(true);
});
