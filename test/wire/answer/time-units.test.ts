/** A time in another unit would be older, or newer, than everything: what has one cannot be read, whichever answer or frame it is. */
import { expect, test } from "bun:test";
import { parseClearinghouseState, parseExchangeTime, parseExtraAgents } from "../../../src/wire/answer/account.ts";
import { parseBook } from "../../../src/wire/answer/market-data.ts";
import { parseFrame } from "../../../src/wire/answer/stream.ts";
import { parseTwapHistory } from "../../../src/wire/answer/twap.ts";

const AT_MS = 1_795_253_400_123;
const AT_S = 1_795_253_400;
const USER = `0x${"11".repeat(20)}`;

const summary = { accountValue: "1.0", totalNtlPos: "0.0", totalRawUsd: "1.0", totalMarginUsed: "0.0" };

function state(time: number): object {
  const figures = { crossMaintenanceMarginUsed: "0.0", withdrawable: "1.0", assetPositions: [] };
  return { marginSummary: summary, crossMarginSummary: summary, ...figures, time };
}

function twap(time: number, timestamp: number): object {
  const amounts = { sz: "1.0", executedSz: "0.0", executedNtl: "0.0" };
  const shown = { coin: "BTC", user: USER, side: "B", ...amounts, minutes: 30, reduceOnly: false, randomize: false };
  return { time, state: { ...shown, timestamp }, status: { status: "activated" }, twapId: 7 };
}

/** Null where it means nothing. */
function frame(channel: string, data: object): object | null {
  const read = parseFrame(JSON.stringify({ channel, data }));
  return read.kind === "unreadable" || read.kind === "other" ? null : read;
}

function update(statusTimestamp: number): object {
  const order = { coin: "BTC", side: "B", limitPx: "1.0", sz: "1.0", oid: 1, timestamp: AT_MS, origSz: "1.0" };
  return { order, status: "open", statusTimestamp };
}

const MILLISECONDS: [string, (atMs: number) => unknown][] = [
  ["the state of an account", (atMs) => parseClearinghouseState(state(atMs))],
  ["the exchange's time", (atMs) => parseExchangeTime({ time: atMs })],
  ["the end of an agent", (atMs) => parseExtraAgents([{ name: "a", address: USER, validUntil: atMs }])],
  ["a book", (atMs) => parseBook({ coin: "BTC", levels: [[], []], time: atMs })],
  ["the frame of best prices", (atMs) => frame("bbo", { coin: "BTC", bbo: [null, null], time: atMs })],
  ["the frame of an order", (atMs) => frame("orderUpdates", [update(atMs)])],
  ["the beginning of a TWAP", (atMs) => parseTwapHistory([twap(AT_S, atMs)])],
];

test.each(MILLISECONDS)("%s is read with a time in milliseconds alone", (_what, read) => {
  expect(read(AT_MS)).not.toBeNull();
  expect([read(AT_S), read(AT_MS * 1_000), read(AT_MS * 1_000_000)]).toEqual([null, null, null]);
});

test("the time of the exchange's head, which all that names none is dated by, is one in milliseconds", () => {
  const head = (serverTime: number) => {
    const shown = parseFrame(JSON.stringify({ channel: "webData3", data: { userState: { user: USER, serverTime } } }));
    return shown.kind === "account_part" && shown.part === "head" ? shown.value : "no head";
  };
  expect(head(AT_MS)).toEqual({ serverTimeMs: AT_MS, mode: null });
  expect([head(AT_S), head(AT_MS * 1_000)]).toEqual([null, null]);
});

test("a record of a TWAP is read with a time in seconds alone", () => {
  expect(parseTwapHistory([twap(AT_S, AT_MS)])).not.toBeNull();
  expect([parseTwapHistory([twap(AT_MS, AT_MS)]), parseTwapHistory([twap(AT_MS * 1_000, AT_MS)])]).toEqual([
    null,
    null,
  ]);
});
