import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseFills, parseTwapSliceFills } from "../../../src/wire/answer/fills.ts";
import { type Frame, parseFrame } from "../../../src/wire/answer/stream.ts";
import { parseTwapHistory, parseTwapStates } from "../../../src/wire/answer/twap.ts";

const USER = `0x${"AB".repeat(20)}`;
const FILL = {
  coin: "BTC",
  px: "83843.0",
  sz: "0.31975",
  side: "A",
  time: 1790357129742,
  startPosition: "1.5197585293",
  dir: "Close Long",
  closedPnl: "86.626495",
  hash: "0xaa84e448",
  oid: 556657630865,
  crossed: true,
  fee: "18.015513",
  tid: 246814713305894,
  feeToken: "USDC",
  twapId: null,
};
const UPDATE = {
  order: {
    coin: "BTC",
    side: "B",
    limitPx: "126192.0",
    sz: "5.0",
    oid: 166873653063,
    timestamp: 1758238143369,
    origSz: "5.0",
  },
  status: "open",
  statusTimestamp: 1758238143369,
};
const TWAP = {
  coin: "BTC",
  user: USER,
  side: "B",
  sz: "0.5",
  executedSz: "0.1",
  executedNtl: "9500.0",
  minutes: 30,
  reduceOnly: false,
  randomize: true,
  stopPx: null,
  trigger: null,
  timestamp: 1747345275123,
};

describe("fills", () => {
  test("in our names", () => {
    expect(parseFills([FILL])).toEqual([
      {
        coin: "BTC",
        price: "83843" as never,
        size: "0.31975" as never,
        side: "A",
        timeMs: 1790357129742,
        startPosition: "1.5197585293" as never,
        direction: "Close Long",
        closedPnl: "86.626495" as never,
        hash: "0xaa84e448",
        oid: "556657630865",
        crossed: true,
        fee: "18.015513" as never,
        feeToken: "USDC",
        builderFee: null,
        tid: "246814713305894",
        cloid: null,
        twapId: null,
        liquidation: null,
      },
    ]);
  });

  test("with everything that is optional", () => {
    const liquidation = { liquidatedUser: USER, markPx: "83000.0", method: "market" };
    const full = { ...FILL, fee: "-0.5", cloid: "0xAB", builderFee: "0.10", twapId: 3156, tid: 0, liquidation };
    expect(parseFills([full])?.[0]).toMatchObject({
      fee: "-0.5",
      cloid: "0xab",
      builderFee: "0.1",
      twapId: "3156",
      tid: "0",
      liquidation: { liquidatedUser: USER.toLowerCase(), markPrice: "83000", method: "market" },
    });
    expect(
      parseFills([{ ...FILL, liquidation: { markPx: "1.0", method: "backstop" } }])?.[0]?.liquidation,
    ).toMatchObject({
      liquidatedUser: null,
      method: "backstop",
    });
  });

  test("with one that cannot be read are unreadable", () => {
    expect(parseFills([])).toEqual([]);
    expect(parseFills([FILL, { ...FILL, px: "x" }])).toBeNull();
    expect(parseFills([{ ...FILL, oid: 2 ** 60 }])).toBeNull();
    expect(parseFills({})).toBeNull();
  });

  // The exchange has told fills without a number of their trade, and without what the fee was paid in: until 2023, and then both.
  test("without trade or fee token are of 2023; without one of them unreadable", () => {
    const { tid: _tid, feeToken: _feeToken, ...old } = FILL;
    expect(parseFills([old])?.[0]).toMatchObject({ tid: "0", feeToken: "USDC" });
    expect(parseFills([{ ...old, tid: FILL.tid }])).toBeNull();
    expect(parseFills([{ ...old, feeToken: FILL.feeToken }])).toBeNull();
  });

  test("of TWAP slices carry their TWAP", () => {
    expect(parseTwapSliceFills([{ fill: FILL, twapId: 3156 }])?.[0]).toMatchObject({
      oid: "556657630865",
      twapId: "3156",
    });
    expect(parseTwapSliceFills([{ fill: FILL }])).toBeNull();
  });
});

describe("TWAPs", () => {
  const row = { time: 1747345280, state: TWAP, status: { status: "activated" }, twapId: 77738308 };

  test("history in seconds, its states in milliseconds", () => {
    const failed = { ...row, status: { status: "error", description: "Insufficient margin" }, twapId: undefined };
    const records = parseTwapHistory([row, failed]);
    expect(records?.[0]).toMatchObject({
      timeS: 1747345280,
      status: "activated",
      description: null,
      twapId: "77738308",
    });
    expect(records?.[1]).toMatchObject({ status: "error", description: "Insufficient margin", twapId: null });
    expect(records?.[0]?.state).toEqual({
      coin: "BTC",
      user: USER.toLowerCase(),
      side: "B",
      size: "0.5" as never,
      executedSize: "0.1" as never,
      executedNotional: "9500" as never,
      minutes: 30,
      reduceOnly: false,
      randomize: true,
      timestampMs: 1747345275123,
    });
    expect(parseTwapHistory([{ ...row, status: "activated" }])).toBeNull();
  });

  test("that run", () => {
    expect(parseTwapStates([[77738308, TWAP]])?.[0]).toMatchObject({ twapId: "77738308", state: { minutes: 30 } });
    expect(parseTwapStates([[TWAP, 77738308]])).toBeNull();
  });
});

function frame(channel: string, data: unknown): Frame {
  return parseFrame(JSON.stringify({ channel, data }));
}

describe("frames", () => {
  test("greeting in plain text, and pong", () => {
    expect(parseFrame("Websocket connection established.")).toEqual({
      kind: "hello",
      text: "Websocket connection established.",
    });
    expect(parseFrame('{"channel":"pong"}')).toEqual({ kind: "pong" });
  });

  test("confirmation of a subscription", () => {
    const data = { method: "subscribe", subscription: { type: "orderUpdates", user: USER } };
    const want = { kind: "subscribed", method: "subscribe", type: "orderUpdates", user: USER.toLowerCase() } as const;
    expect(frame("subscriptionResponse", data)).toEqual(want);
  });

  test("order updates, several for one order in one frame", () => {
    const filled = { ...UPDATE, status: "filled", order: { ...UPDATE.order, sz: "0.0" } };
    const got = frame("orderUpdates", [UPDATE, filled]);
    if (got.kind !== "order_updates") throw new Error(got.kind);
    expect(got.updates.map(({ order, status }) => [order.oid, order.size, status])).toEqual([
      ["166873653063", "5" as never, "open"],
      ["166873653063", "0" as never, "filled"],
    ]);
  });

  test("fills, TWAP fills, TWAP history and running TWAPs", () => {
    expect(frame("userFills", { user: USER, fills: [FILL], isSnapshot: true })).toMatchObject({
      kind: "user_fills",
      isSnapshot: true,
    });
    expect(frame("userFills", { user: USER, fills: [] })).toMatchObject({
      user: USER.toLowerCase(),
      isSnapshot: false,
    });
    const slices = { user: USER, twapSliceFills: [{ fill: FILL, twapId: 1 }] };
    expect(frame("userTwapSliceFills", slices)).toMatchObject({ kind: "twap_slice_fills", fills: [{ twapId: "1" }] });
    const history = [{ time: 1, state: TWAP, status: { status: "finished" }, twapId: 1 }];
    expect(frame("userTwapHistory", { user: USER, history })).toMatchObject({
      kind: "twap_history",
      records: [{ status: "finished" }],
    });
    const states = { dex: "xyz", user: USER, states: [[1, TWAP]] };
    expect(frame("twapStates", states)).toMatchObject({ kind: "twap_states", dex: "xyz", twaps: [{ twapId: "1" }] });
  });

  test("errors and answers to posts", () => {
    expect(frame("error", "Already subscribed: {}")).toEqual({ kind: "error", text: "Already subscribed: {}" });
    const payload = { status: "ok", response: { type: "default" } };
    expect(frame("post", { id: 256, response: { type: "action", payload } })).toEqual({
      kind: "post",
      id: 256,
      type: "action",
      payload,
    });
  });

  test("channels that we do not read are named, and the rest is unreadable", () => {
    expect(frame("trades", {})).toEqual({ kind: "other", channel: "trades" });
    const wrong = ["", "null", "[]", "{}", "{", "garbage", '{"channel":1}', '{"channel":"orderUpdates","data":{}}'];
    for (const text of wrong) expect(parseFrame(text)).toEqual({ kind: "unreadable" });
    expect(parseFrame(`{"channel":"pong","x":"${"x".repeat(4_194_304)}"}`)).toEqual({ kind: "unreadable" });
  });

  test("never throw, whatever arrives", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((data) => JSON.stringify({ channel: "userFills", data })),
        ),
        (text) => {
          expect(parseFrame(text).kind).toBeString();
        },
      ),
      { numRuns: 1000 },
    );
  });
});
