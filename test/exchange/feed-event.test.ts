import { expect, test } from "bun:test";
import { ADDRESS, lineOf, live } from "./feed-stage.ts";

test("frames become what they say", async () => {
  const stage = await live();
  const order = { coin: "BTC", side: "B", limitPx: "95000.0", sz: "0.0", oid: 77, timestamp: 5, origSz: "0.01" };
  const fill = {
    coin: "BTC",
    px: "95000.0",
    sz: "0.01",
    side: "B",
    time: 6,
    startPosition: "0.0",
    dir: "Open Long",
    closedPnl: "0.0",
    hash: "0x00",
    oid: 77,
    crossed: true,
    fee: "0.1",
    tid: 9,
    feeToken: "USDC",
    twapId: null,
  };
  const state = {
    coin: "BTC",
    user: ADDRESS,
    side: "B",
    sz: "0.5",
    executedSz: "0.1",
    executedNtl: "9500.0",
    minutes: 30,
    reduceOnly: false,
    randomize: true,
    timestamp: 5,
  };
  const frames: readonly [frame: unknown, event: object][] = [
    [
      { channel: "orderUpdates", data: [{ order, status: "filled", statusTimestamp: 6 }] },
      {
        kind: "order_updates",
        updates: [{ order: { oid: "77", limitPrice: "95000" }, status: "filled", statusTimestampMs: 6 }],
      },
    ],
    [
      {
        channel: "userFills",
        data: { user: ADDRESS.toUpperCase().replace("0X", "0x"), fills: [fill], isSnapshot: true },
      },
      { kind: "fills", isSnapshot: true, fills: [{ oid: "77", size: "0.01" }] },
    ],
    [
      { channel: "userFills", data: { user: ADDRESS, fills: [] } },
      { kind: "fills", isSnapshot: false, fills: [] },
    ],
    [
      { channel: "twapStates", data: { user: ADDRESS, dex: "xyz", states: [[5, state]] } },
      { kind: "running_twaps", dex: "xyz", twaps: [{ twapId: "5", state: { executedSize: "0.1" } }] },
    ],
    [
      {
        channel: "userTwapHistory",
        data: { user: ADDRESS, history: [{ time: 1, state, status: { status: "activated" }, twapId: 5 }] },
      },
      { kind: "twap_records", isSnapshot: false, records: [{ status: "activated", twapId: "5" }] },
    ],
    [
      { channel: "error", data: "Cannot track more than 15 total users." },
      { kind: "refused", text: "Cannot track more than 15 total users." },
    ],
    [{ channel: "userFills", data: { user: "0xbb", fills: [] } }, { kind: "gap" }],
    [{ channel: "orderUpdates", data: [{ order: { coin: "BTC" }, status: "open" }] }, { kind: "gap" }],
    ["", { kind: "gap" }],
  ];
  for (const [frame, event] of frames) {
    stage.told.length = 0;
    lineOf(stage).events.onText(typeof frame === "string" ? frame : JSON.stringify(frame));
    expect(stage.told).toMatchObject([[ADDRESS, event]]);
  }
  stage.told.length = 0;
  for (const text of [
    `{"channel":"pong"}`,
    `{"channel":"allMids","data":{"mids":{}}}`,
    "Websocket connection established.",
  ])
    lineOf(stage).events.onText(text);
  expect(stage.told).toEqual([]);
});
