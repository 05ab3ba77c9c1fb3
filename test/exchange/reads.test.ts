import { expect, test } from "bun:test";
import type { InfoOutcome } from "../../src/exchange/exchange.ts";
import { createReads } from "../../src/exchange/reads.ts";
import { scriptedExchange, unanswered } from "../support/scripted-exchange.ts";
import { settled, stillClock } from "./clocks.ts";
import { answering, connect } from "./connect.ts";

const USER = "0x00000000000000000000000000000000000000aa";
const UNKNOWN_OID = { status: "unknownOid" };

function summary(accountValue: string) {
  return { accountValue, totalNtlPos: "0.0", totalRawUsd: accountValue, totalMarginUsed: "0.0" };
}

function clearinghouse(accountValue: string) {
  return {
    marginSummary: summary(accountValue),
    crossMarginSummary: summary(accountValue),
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: accountValue,
    assetPositions: [],
    time: 1_700_000_000_123,
  };
}

test("clients that ask the same within a second of the first share one answer, and its date", async () => {
  const clock = stillClock(1_700_000_000_000);
  const exchange = scriptedExchange({ infos: { orderStatus: () => UNKNOWN_OID } });
  const reads = createReads({ exchange, clock });
  await Promise.all(Array.from({ length: 5 }, () => reads.orderStatus(USER, "77", "read")));
  await clock.advance(999);
  const last = await reads.orderStatus(USER, "77", "read");
  expect(last).toEqual({
    kind: "ok",
    value: { kind: "not_found" },
    askedAtMs: 1_700_000_000_000,
    readAtMs: 1_700_000_000_000,
  });
  expect(exchange.asked).toHaveLength(1);
  await clock.advance(1);
  expect(await reads.orderStatus(USER, "77", "read")).toMatchObject({ readAtMs: 1_700_000_001_000 });
  expect(exchange.asked).toHaveLength(2);
});

test("another order, account or dex is another question", async () => {
  const exchange = scriptedExchange({ infos: { orderStatus: () => UNKNOWN_OID, frontendOpenOrders: () => [] } });
  const reads = createReads({ exchange, clock: stillClock() });
  await reads.orderStatus(USER, "77", "read");
  await reads.orderStatus(USER, "78", "read");
  await reads.orderStatus("0xbb", "77", "read");
  await reads.openOrders(USER, "", "read");
  await reads.openOrders(USER, "xyz", "read");
  expect(exchange.asked).toHaveLength(5);
});

test("who settles, cancels or sends is never given a shared answer, nor are others given theirs", async () => {
  const exchange = scriptedExchange({ infos: { orderStatus: () => UNKNOWN_OID } });
  const reads = createReads({ exchange, clock: stillClock() });
  await reads.orderStatus(USER, "77", "read");
  for (const purpose of ["settle", "cancel", "order"] as const) await reads.orderStatus(USER, "77", purpose);
  expect(exchange.asked.map(({ options }) => options.purpose)).toEqual(["read", "settle", "cancel", "order"]);
});

test("an answer that is a second late is still waited for by those who came in its first second only", async () => {
  const clock = stillClock();
  const slow = Promise.withResolvers<unknown>();
  const exchange = scriptedExchange({ infos: { orderStatus: () => slow.promise } });
  const reads = createReads({ exchange, clock });
  const first = reads.orderStatus(USER, "77", "read");
  await clock.advance(500);
  const second = reads.orderStatus(USER, "77", "read");
  await clock.advance(500);
  const third = reads.orderStatus(USER, "77", "read");
  await settled();
  expect(exchange.asked).toHaveLength(2);
  slow.resolve(UNKNOWN_OID);
  expect((await Promise.all([first, second, third])).every(({ kind }) => kind === "ok")).toBe(true);
});

test("what one reader has no weight left for is asked for on behalf of another, at the same moment", async () => {
  const answer = () => new Response(JSON.stringify({ mode: "standard" }));
  const exchange = connect("http://exchange.test", answering(answer));
  const hungry = { reader: "hungry" };
  for (let nth = 0; nth < 20; nth += 1) await exchange.info({ type: "meta" }, { purpose: hungry });
  const reads = createReads({ exchange, clock: stillClock() });
  const [refused, answered] = await Promise.all([
    reads.openOrders(USER, "", hungry),
    reads.openOrders(USER, "", { reader: "modest" }),
  ]);
  expect(refused).toMatchObject({ kind: "failed", isOurBudget: true, waitS: 61 });
  expect(answered).toMatchObject({
    kind: "failed",
    isOurBudget: false,
    reason: expect.stringContaining("another shape"),
  });
});

test("an older answer does not stand in, whether our weight is used up or the exchange is down", async () => {
  const clock = stillClock();
  let outcome: unknown = clearinghouse("5.0");
  const reads = createReads({ exchange: scriptedExchange({ infos: { clearinghouseState: () => outcome } }), clock });
  await reads.clearinghouse(USER, "", "read");
  for (const isOurBudget of [true, false]) {
    outcome = unanswered("no answer", isOurBudget);
    await clock.advance(1_000);
    const failed = { kind: "failed", reason: "no answer", isOurBudget } as const;
    expect(await reads.clearinghouse(USER, "", "read")).toEqual(failed);
  }
});

test("each read asks in the exchange's words, and gives what it cannot read as a failure", async () => {
  const exchange = scriptedExchange();
  const reads = createReads({ exchange, clock: stillClock() });
  const shapeless: InfoOutcome = { kind: "ok", json: { surprise: 1 } };
  const questions: readonly [() => Promise<{ kind: string }>, request: object][] = [
    [() => reads.orderStatus(USER, "77", "settle"), { type: "orderStatus", user: USER, oid: 77 }],
    [() => reads.orderStatus(USER, "0xABCDEF", "settle"), { type: "orderStatus", user: USER, oid: "0xabcdef" }],
    [() => reads.openOrders(USER, "xyz", "settle"), { type: "frontendOpenOrders", user: USER, dex: "xyz" }],
    [() => reads.historicalOrders(USER, "settle"), { type: "historicalOrders", user: USER }],
    [
      () => reads.fillsByTime(USER, { startTimeMs: 5, endTimeMs: null }, "settle"),
      { type: "userFillsByTime", user: USER, startTime: 5 },
    ],
    [
      () => reads.fillsByTime(USER, { startTimeMs: 5, endTimeMs: 9 }, "settle"),
      { type: "userFillsByTime", user: USER, startTime: 5, endTime: 9 },
    ],
    [() => reads.clearinghouse(USER, "", "settle"), { type: "clearinghouseState", user: USER, dex: "" }],
    [() => reads.activeAsset(USER, "BTC", "settle"), { type: "activeAssetData", user: USER, coin: "BTC" }],
    [() => reads.twapHistory(USER, "settle"), { type: "twapHistory", user: USER }],
    [() => reads.rateLimit(USER, "settle"), { type: "userRateLimit", user: USER }],
  ];
  for (const [ask, request] of questions) {
    exchange.answer(String(Reflect.get(request, "type")), () => shapeless);
    expect(await ask()).toMatchObject({ kind: "failed", isOurBudget: false });
    expect(exchange.asked.at(-1)?.request).toEqual({ type: "", ...request });
  }
});

test("an id that a number cannot hold is never asked as another", async () => {
  const exchange = scriptedExchange({ infos: { orderStatus: () => UNKNOWN_OID } });
  const reads = createReads({ exchange, clock: stillClock() });
  expect((await reads.orderStatus(USER, "9007199254740993", "read")).kind).toBe("ok");
  expect(exchange.asked.map(({ request }) => request["oid"])).toEqual([9007199254740993n]);
});

test("an account is its mode, its spot balances and every dex, as old as its oldest part", async () => {
  const clock = stillClock(1_700_000_000_000);
  const exchange = scriptedExchange({
    infos: {
      userAbstraction: () => "unifiedAccount",
      spotClearinghouseState: () => ({
        balances: [{ coin: "USDC", token: 0, total: "20.50", hold: "0.5", entryNtl: "0.0" }],
      }),
      clearinghouseState: ({ dex }) => clearinghouse(dex === "xyz" ? "7.0" : "3.0"),
    },
  });
  const reads = createReads({ exchange, clock });
  await reads.clearinghouse(USER, "xyz", "read");
  await clock.advance(500);
  const account = await reads.account(USER, ["", "xyz"], "read");
  expect(exchange.asked).toHaveLength(4);
  expect(account).toMatchObject({
    kind: "ok",
    readAtMs: 1_700_000_000_000,
    value: {
      mode: "unified",
      spotBalances: [{ coin: "USDC", total: "20.5", hold: "0.5" }],
      byDex: [
        { dex: "", state: { withdrawable: "3" } },
        { dex: "xyz", state: { withdrawable: "7" } },
      ],
    },
  });
  for (const part of ["userAbstraction", "spotClearinghouseState", "clearinghouseState"]) {
    const broken = scriptedExchange({
      infos: {
        userAbstraction: () => "default",
        spotClearinghouseState: () => ({ balances: [] }),
        clearinghouseState: () => clearinghouse("3.0"),
      },
    });
    broken.answer(part, () => unanswered("down"));
    expect((await createReads({ exchange: broken, clock }).account(USER, [""], "read")).kind).toBe("failed");
  }
});
