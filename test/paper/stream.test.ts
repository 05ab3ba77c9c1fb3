/** The websocket as a client sees it that we did not write: every channel, over a real socket. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ExchangeClient, InfoClient, WebSocketTransport } from "@nktkas/hyperliquid";
import { channelTypes } from "../../src/paper/ws.ts";
import { mismatches } from "./sdk-types.ts";
import { serve } from "./support.ts";

const bench = serve({ tickMs: 10_000 });
const user = bench.owner.address.toLowerCase();
const transport = new WebSocketTransport({ url: `${bench.server.url.replace("http", "ws")}/ws`, timeout: 5_000 });
const infoClient = new InfoClient({ transport });
let nonce = bench.nowMs + 500_000;
const client = new ExchangeClient({ transport, wallet: bench.owner, nonceManager: () => (nonce += 1) });

type Case = { channel: string; request: object; event: string };
const COIN = { coin: "BTC" };
const USER = { user };

/** Requests by subscription type; spot contexts come on a channel of their own. */
// biome-ignore format: one channel a row
const CASES: readonly Case[] = [
  { channel: "allMids", request: { type: "allMids" }, event: "AllMidsEvent" },
  { channel: "allMids", request: { type: "allMids", dex: "xyz" }, event: "AllMidsEvent" },
  { channel: "l2Book", request: { type: "l2Book", ...COIN }, event: "L2BookEvent" },
  { channel: "l2Book", request: { type: "l2Book", coin: "ETH", nSigFigs: 5, mantissa: 2 }, event: "L2BookEvent" },
  { channel: "l2Book", request: { type: "l2Book", coin: "SOL", fast: true }, event: "L2BookEvent" },
  { channel: "bbo", request: { type: "bbo", ...COIN }, event: "BboEvent" },
  { channel: "trades", request: { type: "trades", ...COIN }, event: "TradesEvent" },
  { channel: "candle", request: { type: "candle", ...COIN, interval: "1m" }, event: "CandleEvent" },
  { channel: "activeAssetCtx", request: { type: "activeAssetCtx", ...COIN }, event: "ActiveAssetCtxEvent" },
  { channel: "activeSpotAssetCtx", request: { type: "activeAssetCtx", coin: "@107" }, event: "ActiveSpotAssetCtxEvent" },
  { channel: "assetCtxs", request: { type: "assetCtxs" }, event: "AssetCtxsEvent" },
  { channel: "allDexsAssetCtxs", request: { type: "allDexsAssetCtxs" }, event: "AllDexsAssetCtxsEvent" },
  { channel: "spotAssetCtxs", request: { type: "spotAssetCtxs" }, event: "SpotAssetCtxsEvent" },
  { channel: "orderUpdates", request: { type: "orderUpdates", ...USER }, event: "OrderUpdatesEvent" },
  { channel: "user", request: { type: "userEvents", ...USER }, event: "UserEventsEvent" },
  { channel: "notification", request: { type: "notification", ...USER }, event: "NotificationEvent" },
  { channel: "userFills", request: { type: "userFills", ...USER }, event: "UserFillsEvent" },
  { channel: "userFundings", request: { type: "userFundings", ...USER }, event: "UserFundingsEvent" },
  { channel: "userNonFundingLedgerUpdates", request: { type: "userNonFundingLedgerUpdates", ...USER }, event: "UserNonFundingLedgerUpdatesEvent" },
  { channel: "userHistoricalOrders", request: { type: "userHistoricalOrders", ...USER }, event: "UserHistoricalOrdersEvent" },
  { channel: "userTwapSliceFills", request: { type: "userTwapSliceFills", ...USER }, event: "UserTwapSliceFillsEvent" },
  { channel: "userTwapHistory", request: { type: "userTwapHistory", ...USER }, event: "UserTwapHistoryEvent" },
  { channel: "twapStates", request: { type: "twapStates", ...USER }, event: "TwapStatesEvent" },
  { channel: "clearinghouseState", request: { type: "clearinghouseState", ...USER, dex: "xyz" }, event: "ClearinghouseStateEvent" },
  { channel: "allDexsClearinghouseState", request: { type: "allDexsClearinghouseState", ...USER }, event: "AllDexsClearinghouseStateEvent" },
  { channel: "openOrders", request: { type: "openOrders", ...USER }, event: "OpenOrdersEvent" },
  { channel: "spotState", request: { type: "spotState", ...USER }, event: "SpotStateEvent" },
  { channel: "activeAssetData", request: { type: "activeAssetData", ...USER, ...COIN }, event: "ActiveAssetDataEvent" },
  { channel: "webData2", request: { type: "webData2", ...USER }, event: "WebData2Response" },
  { channel: "webData3", request: { type: "webData3", ...USER }, event: "WebData3Event" },
];

const heard = new Map<string, unknown[]>();

function messagesOf(channel: string): unknown[] {
  return heard.get(channel) ?? [];
}

beforeAll(async () => {
  await transport.ready();
  for (const { channel, request } of CASES) {
    await transport.subscribe(channel, request, ({ detail }) => {
      heard.set(channel, [...messagesOf(channel), detail]);
    });
  }
  const gtc = { limit: { tif: "Gtc" } } as const;
  await client.order({ orders: [{ a: 0, b: true, p: "97000", s: "0.01", r: false, t: gtc }], grouping: "na" });
  await client.order({ orders: [{ a: 0, b: true, p: "93000", s: "0.01", r: false, t: gtc }], grouping: "na" });
  await client.twapOrder({ twap: { a: 0, b: true, s: "0.02", r: false, m: 5, t: false } });
  await client.usdClassTransfer({ amount: "5", toPerp: true });
  bench.pass(60_000);
  bench.paper.setPrice("BTC", 9_200_000_000_000n);
  bench.nowMs = Math.ceil((bench.nowMs + 1) / 3_600_000) * 3_600_000;
  await client
    .order({ orders: [{ a: 1, b: true, p: "1", s: "0.001", r: false, t: gtc }], grouping: "na" })
    .catch(() => {});
  // A reply comes after everything that was sent before it.
  await infoClient.exchangeStatus();
}, 60_000);

afterAll(async () => {
  transport.close();
  await bench.server.stop();
});

describe("the stream", () => {
  test("has a case for every channel", () => {
    const types = CASES.map(({ request }) => ("type" in request ? String(request.type) : ""));
    expect([...new Set(types)].sort()).toEqual([...channelTypes()].sort());
  });

  test.each(CASES.map(({ channel, event }) => [channel, event] as const))(
    "of %s brings only what %s allows",
    (channel, event) => {
      expect([channel, messagesOf(channel).length > 0]).toEqual([channel, true]);
      expect(messagesOf(channel).flatMap((message) => mismatches(event, message))).toEqual([]);
    },
  );

  test("tells of an immediately filled order as open and filled in one message", () => {
    const [first] = messagesOf("orderUpdates");
    expect(first).toMatchObject([
      { status: "open", order: { sz: "0.01", origSz: "0.01" } },
      { status: "filled", order: { sz: "0.0", origSz: "0.01" } },
    ]);
  });

  test("sends snapshots where the exchange does and none where it does not", () => {
    for (const channel of ["userFills", "userFundings", "userHistoricalOrders", "userTwapHistory"]) {
      expect(messagesOf(channel)[0]).toHaveProperty("isSnapshot", true);
    }
    // The first message is about the first order, not about what was there before.
    expect(messagesOf("orderUpdates")[0]).toHaveLength(2);
  });

  test("pops up a resting order that was filled", () => {
    expect(messagesOf("notification")).toEqual([{ notification: "Resting order filled: Bought 0.01 BTC at $93000" }]);
  });

  test("answers actions and reads as HTTP does", async () => {
    expect(await infoClient.userRole({ user })).toEqual({ role: "user" });
    const wrong = transport.request("info", { type: "nothing" });
    await expect(wrong).rejects.toThrow("422 Unprocessable Entity");
  });

  test("refuses what the exchange refuses, in its words", async () => {
    const socket = new WebSocket(`${bench.server.url.replace("http", "ws")}/ws`);
    const next = framesOf(socket);
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    // biome-ignore format: one frame a row, and what comes back
    const TALK: readonly [string, string][] = [
      ['{"method":"ping"}', '{"channel":"pong"}'],
      ['{"method":"subscribe","subscription":{"type":"orderUpdates","user":"0x0000000000000000000000000000000000000009"}}', '{"channel":"subscriptionResponse","data":{"method":"subscribe","subscription":{"type":"orderUpdates","user":"0x0000000000000000000000000000000000000009"}}}'],
      ['{"method":"subscribe","subscription":{"user":"0x0000000000000000000000000000000000000009","type":"orderUpdates"}}', '{"channel":"error","data":"Already subscribed: {\\"type\\":\\"orderUpdates\\",\\"user\\":\\"0x0000000000000000000000000000000000000009\\"}"}'],
      ['{"method":"unsubscribe","subscription":{"type":"orderUpdates","user":"0x0000000000000000000000000000000000000009"}}', '{"channel":"subscriptionResponse","data":{"method":"unsubscribe","subscription":{"type":"orderUpdates","user":"0x0000000000000000000000000000000000000009"}}}'],
      ['{"method":"unsubscribe","subscription":{"type":"orderUpdates","user":"0x0000000000000000000000000000000000000009"}}', '{"channel":"error","data":"Already unsubscribed: {\\"type\\":\\"orderUpdates\\",\\"user\\":\\"0x0000000000000000000000000000000000000009\\"}"}'],
      ['{"method":"subscribe","subscription":{"type":"trades","coin":"NOTHING"}}', '{"channel":"error","data":"Invalid subscription {\\"type\\":\\"trades\\",\\"coin\\":\\"NOTHING\\"}"}'],
      ['{"method":"subscribe","xsubscription":{"type":"bbo","coin":"SOL"}}', '{"channel":"error","data":"Error parsing JSON into valid websocket request: {\\"method\\":\\"subscribe\\",\\"xsubscription\\":{\\"type\\":\\"bbo\\",\\"coin\\":\\"SOL\\"}}"}'],
      ["rubbish", '{"channel":"error","data":"Error parsing JSON into valid websocket request: rubbish"}'],
      ['{"method":"post","id":7,"request":{"type":"info","payload":{"type":"userRole","user":"0x0000000000000000000000000000000000000009"}}}', '{"channel":"post","data":{"id":7,"response":{"type":"info","payload":{"type":"userRole","data":{"role":"missing"}}}}}'],
    ];
    for (const [frame, answer] of TALK) {
      socket.send(frame);
      expect(await next()).toBe(answer);
    }
    socket.close();
  });
});

/** Frames of a socket one by one, in the order in which they came. */
function framesOf(socket: WebSocket): () => Promise<string> {
  const waiting: ((frame: string) => void)[] = [];
  const frames: string[] = [];
  socket.addEventListener("message", ({ data }) => {
    const taker = waiting.shift();
    if (taker === undefined) frames.push(String(data));
    else taker(String(data));
  });
  return () => {
    const frame = frames.shift();
    return frame === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(frame);
  };
}
