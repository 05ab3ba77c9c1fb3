import { describe, expect, test } from "bun:test";
import { parseFrontendOpenOrders, parseOpenOrders } from "../../../src/wire/answer/open-orders.ts";
import { parseHistoricalOrders, parseOrderStatus } from "../../../src/wire/answer/order-status.ts";
import { type StatusMeaning, statusMeaning, statusWords } from "../../../src/wire/answer/status-words.ts";

const CLOID = "0x4308826550000300000000010000AbB9";

const PLAIN = {
  coin: "BTC",
  side: "A",
  limitPx: "96161.0",
  sz: "0.00015",
  oid: 59534923953,
  timestamp: 1788780014874,
  triggerCondition: "N/A",
  isTrigger: false,
  triggerPx: "0.0",
  children: [],
  isPositionTpsl: false,
  reduceOnly: true,
  orderType: "Limit",
  origSz: "0.00030",
  tif: "Gtc",
  cloid: CLOID,
};
const STOP = {
  ...PLAIN,
  oid: 8670685324,
  triggerCondition: "Price above 0.6",
  isTrigger: true,
  triggerPx: "0.60",
  orderType: "Stop Limit",
  tif: null,
  cloid: null,
};

describe("orderStatus", () => {
  test("gives the order in our names, decimals without padding, ids as digits", () => {
    const answer = {
      status: "order",
      order: { order: PLAIN, status: "open", statusTimestamp: 1724361546645 },
      extra: 1,
    };
    expect(parseOrderStatus(answer)).toEqual({
      kind: "order",
      status: "open",
      statusTimestampMs: 1724361546645,
      order: {
        coin: "BTC",
        side: "A",
        limitPrice: "96161" as never,
        size: "0.00015" as never,
        originalSize: "0.0003" as never,
        oid: "59534923953",
        timestampMs: 1788780014874,
        reduceOnly: true,
        cloid: CLOID.toLowerCase(),
        isTrigger: false,
        triggerPrice: null,
        triggerCondition: null,
        orderType: "Limit",
        tif: "Gtc",
        isPositionTpsl: false,
        children: [],
      },
    });
  });

  test("of a trigger gives its trigger", () => {
    const answer = parseOrderStatus({ status: "order", order: { order: STOP, status: "open", statusTimestamp: 1 } });
    if (answer.kind !== "order") throw new Error(answer.kind);
    expect(answer.order).toMatchObject({
      isTrigger: true,
      triggerPrice: "0.6",
      triggerCondition: "Price above 0.6",
      tif: null,
    });
  });

  test("that does not know the order says not found, and anything else is unreadable", () => {
    expect(parseOrderStatus({ status: "unknownOid" })).toEqual({ kind: "not_found" });
    const record = { order: PLAIN, status: "open", statusTimestamp: 1 };
    const wrong: unknown[] = [
      null,
      [],
      "unknownOid",
      { status: "error" },
      { status: "order" },
      { status: "order", order: { ...record, statusTimestamp: "1" } },
      { status: "order", order: { ...record, status: 1 } },
      { status: "order", order: { ...record, order: { ...PLAIN, oid: 2 ** 53 + 2 } } },
      { status: "order", order: { ...record, order: { ...PLAIN, oid: -1 } } },
      { status: "order", order: { ...record, order: { ...PLAIN, side: "buy" } } },
      { status: "order", order: { ...record, order: { ...PLAIN, sz: "1e5" } } },
      { status: "order", order: { ...record, order: { ...PLAIN, isTrigger: "no" } } },
      { status: "order", order: { ...record, order: { ...PLAIN, children: {} } } },
    ];
    for (const json of wrong) expect(parseOrderStatus(json)).toEqual({ kind: "unreadable" });
  });

  test("takes a 64-bit id that was read as bigint", () => {
    const order = { ...PLAIN, oid: 9007199254740993n };
    const answer = parseOrderStatus({ status: "order", order: { order, status: "open", statusTimestamp: 1 } });
    expect(answer).toMatchObject({ order: { oid: "9007199254740993" } });
  });

  test("does not follow children for ever", () => {
    let order: object = PLAIN;
    for (let depth = 0; depth < 50; depth += 1) order = { ...PLAIN, children: [order] };
    expect(parseOrderStatus({ status: "order", order: { order, status: "open", statusTimestamp: 1 } }).kind).toBe(
      "unreadable",
    );
  });
});

test("history gives the same order once for each change of status", () => {
  const row = (status: string, statusTimestamp: number) => ({ order: PLAIN, status, statusTimestamp });
  const records = parseHistoricalOrders([row("filled", 2), row("open", 1)]);
  expect(records?.map(({ status, statusTimestampMs }) => [status, statusTimestampMs])).toEqual([
    ["filled", 2],
    ["open", 1],
  ]);
});

describe("open orders", () => {
  const BARE = { coin: "@107", side: "B", limitPx: "0.4", sz: "40.0", oid: 1, timestamp: 2 };

  test("need neither reduceOnly nor cloid nor origSz", () => {
    expect(parseOpenOrders([BARE])?.[0]).toMatchObject({
      reduceOnly: false,
      cloid: null,
      originalSize: null,
      size: "40",
    });
    expect(parseFrontendOpenOrders([BARE])?.[0]).toMatchObject({ isTrigger: false, tif: null, children: [] });
  });

  test("of an account without any are an empty list, not unreadable", () => {
    expect(parseOpenOrders([])).toEqual([]);
    expect(parseFrontendOpenOrders([])).toEqual([]);
  });

  test("list children after their parent and each order once", () => {
    const child = { ...STOP, oid: 2 };
    const parent = { ...PLAIN, oid: 1, children: [child, { ...STOP, oid: 3 }] };
    expect(parseFrontendOpenOrders([parent, child, { ...PLAIN, oid: 4 }])?.map(({ oid }) => oid)).toEqual([
      "1",
      "2",
      "3",
      "4",
    ]);
  });

  test("beyond any number that the exchange has are not looked at", () => {
    expect(parseOpenOrders(new Array(20_000).fill(BARE))).toHaveLength(20_000);
    expect(parseOpenOrders(new Array(20_001).fill(BARE))).toBeNull();
  });

  test("with one row that cannot be read are unreadable: a list with a hole proves nothing", () => {
    expect(parseOpenOrders([BARE, { ...BARE, oid: "x" }])).toBeNull();
    expect(parseFrontendOpenOrders([PLAIN, { ...PLAIN, limitPx: null }])).toBeNull();
    expect(parseHistoricalOrders([{ order: PLAIN, status: "open", statusTimestamp: 1 }, null])).toBeNull();
    for (const json of [null, {}, "[]", 1]) expect(parseOpenOrders(json)).toBeNull();
  });
});

describe("a status of the exchange", () => {
  const table: Record<StatusMeaning, string[]> = {
    open: ["open"],
    filled: ["filled"],
    triggered: ["triggered"],
    canceled: [
      "canceled",
      "marginCanceled",
      "vaultWithdrawalCanceled",
      "openInterestCapCanceled",
      "selfTradeCanceled",
      "reduceOnlyCanceled",
      "siblingFilledCanceled",
      "delistedCanceled",
      "liquidatedCanceled",
      "outcomeSettledCanceled",
      "scheduledCancel",
      "internalCancel",
      "perpMaxPositionCanceled",
    ],
    rejected: [
      "rejected",
      "tickRejected",
      "minTradeNtlRejected",
      "perpMarginRejected",
      "reduceOnlyRejected",
      "badAloPxRejected",
      "iocCancelRejected",
      "badTriggerPxRejected",
      "marketOrderNoLiquidityRejected",
      "positionIncreaseAtOpenInterestCapRejected",
      "positionFlipAtOpenInterestCapRejected",
      "tooAggressiveAtOpenInterestCapRejected",
      "openInterestIncreaseRejected",
      "insufficientSpotBalanceRejected",
      "oracleRejected",
      "perpMaxPositionRejected",
      "tooManyOpenOrdersRejected",
      "outcomeSettledRejected",
      "minTradeSpotNtlRejected",
    ],
    unknown: [
      "",
      "Canceled?",
      "unknownOid",
      "waiting",
      "OPEN",
      "constructor",
      // The ending of a word that is new tells nothing.
      "pendingCancel",
      "cancelRejected",
      "newReasonCanceled",
      "newReasonRejected",
    ],
  };
  for (const [meaning, statuses] of Object.entries(table)) {
    test(`means ${meaning}`, () => {
      for (const status of statuses) expect(statusMeaning(status)).toBe(meaning as StatusMeaning);
    });
  }

  test("has words, with its own name, exactly where there is a reason to give", () => {
    const silent = ["open", "filled", "triggered", "canceled"];
    for (const status of Object.values(table).flat()) {
      if (silent.includes(status)) expect(statusWords(status)).toBeNull();
      else expect(statusWords(status)).toContain(`(${status})`);
    }
    expect(statusWords("selfTradeCanceled")).toContain("same account");
    expect(statusWords("x".repeat(500))?.length).toBeLessThan(100);
  });
});
