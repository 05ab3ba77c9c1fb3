import { describe, expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import { parseBook, parsePerpMarks, parseSpotMarks } from "../../../src/wire/answer/market-data.ts";
import { parseFrame } from "../../../src/wire/answer/stream.ts";

const TIME_MS = 1_790_358_575_700;
const BOOK = {
  coin: "BTC",
  time: TIME_MS,
  levels: [[{ px: "83767.0", sz: "6.87634", n: 45 }], [{ px: "83768.0", sz: "0.30543", n: 3 }]],
};
const READ_BOOK = {
  market: "BTC",
  timeMs: TIME_MS,
  book: {
    bids: [{ price: decimal("83767"), size: decimal("6.87634"), orders: 45 }],
    asks: [{ price: decimal("83768"), size: decimal("0.30543"), orders: 3 }],
  },
};
const CONTEXT = {
  funding: "0.0000125",
  openInterest: "39338.76246",
  prevDayPx: "84086.0",
  dayNtlVlm: "3096053627.56182",
  premium: null,
  oraclePx: "83778.1",
  markPx: "83757.0",
  midPx: null,
  impactPxs: null,
};
const FIGURES = {
  mark: decimal("83757"),
  oracle: decimal("83778.1"),
  fundingRate: decimal("0.0000125"),
  openInterest: decimal("39338.76246"),
  dayVolume: decimal("3096053627.56182"),
  previousDayPrice: decimal("84086"),
};
const SPOT_CONTEXT = { prevDayPx: "28.1", dayNtlVlm: "7.0", markPx: "28.711", midPx: null, coin: "@107" };
const SPOT_FIGURES = {
  mark: decimal("28.711"),
  oracle: null,
  fundingRate: null,
  openInterest: null,
  dayVolume: decimal("7"),
  previousDayPrice: decimal("28.1"),
};

function frame(channel: string, data: unknown) {
  return parseFrame(JSON.stringify({ channel, data }));
}

describe("frames of markets", () => {
  test("a book, best first, with the exchange's time", () => {
    expect(frame("l2Book", BOOK)).toEqual({ kind: "book", ...READ_BOOK });
  });

  test("best prices, and sides that are empty", () => {
    const bbo = [{ px: "83767.0", sz: "6.8", n: 45 }, null];
    expect(frame("bbo", { coin: "BTC", time: TIME_MS, bbo })).toEqual({
      kind: "best_prices",
      market: "BTC",
      timeMs: TIME_MS,
      best: { bid: { price: decimal("83767"), size: decimal("6.8") }, ask: null },
    });
  });

  test("mark and what stands beside it, of which spot has a part", () => {
    expect(frame("activeAssetCtx", { coin: "BTC", ctx: CONTEXT })).toEqual({
      kind: "mark_figures",
      market: "BTC",
      figures: FIGURES,
    });
    expect(frame("activeSpotAssetCtx", { coin: "@107", ctx: SPOT_CONTEXT })).toEqual({
      kind: "mark_figures",
      market: "@107",
      figures: SPOT_FIGURES,
    });
  });

  test("mids of the native dex, which is not named, and of another", () => {
    const mids = { BTC: "30135.0" };
    const read = new Map([["BTC", decimal("30135")]]);
    expect(frame("allMids", { mids })).toEqual({ kind: "mid_prices", dex: "", mids: read });
    expect(frame("allMids", { dex: "xyz", mids })).toEqual({ kind: "mid_prices", dex: "xyz", mids: read });
  });

  test.each([
    ["l2Book", { ...BOOK, levels: [BOOK.levels[0]] }],
    ["l2Book", { ...BOOK, time: "now" }],
    ["l2Book", { ...BOOK, levels: [[{ px: "1e5", sz: "1", n: 1 }], []] }],
    ["bbo", { coin: "BTC", bbo: [null, null] }],
    ["bbo", { coin: "BTC", time: TIME_MS, bbo: {} }],
    ["bbo", { coin: "BTC", time: TIME_MS, bbo: [null] }],
    ["activeAssetCtx", { coin: "BTC", ctx: { ...CONTEXT, markPx: null } }],
    ["activeAssetCtx", { ctx: CONTEXT }],
    ["allMids", { mids: [] }],
    ["allMids", { mids: { BTC: null } }],
  ])("%s of another shape is unreadable", (channel, data) => {
    expect(frame(channel, data)).toEqual({ kind: "unreadable" });
  });
});

describe("reads of markets", () => {
  test("a book; null where there is no such market", () => {
    expect(parseBook(BOOK)).toEqual(READ_BOOK);
    expect(parseBook(null)).toBeNull();
  });

  test.each<[what: string, bids: string[], asks: string[], isRead: boolean]>([
    ["best first on each side", ["99", "98.5", "98"], ["100", "101"], true],
    ["one side alone", [], ["100", "101"], true],
    ["worst bid first", ["98", "99"], ["100", "101"], false],
    ["worst ask first", ["99"], ["101", "100"], false],
    ["asks where bids stand", ["100", "101"], ["99", "98"], false],
    ["one level each, asks first", ["100"], ["99"], false],
    ["a level twice, and sides that meet", ["99", "99"], ["99"], true],
  ])("a book is read where it is in order: %s", (_what, bids, asks, isRead) => {
    const levels = [bids, asks].map((side) => side.map((px) => ({ px, sz: "1", n: 1 })));
    expect(parseBook({ ...BOOK, levels }) !== null).toBe(isRead);
  });

  test("figures of perpetuals stand in the order of their markets; one that lacks some leaves the others as they are", () => {
    const universe = ["BTC", "OLD", "ETH"].map((name) => ({ name }));
    const contexts = [CONTEXT, { ...CONTEXT, markPx: null }, { ...CONTEXT, markPx: "5.0", midPx: "5.1" }];
    const read = parsePerpMarks([{ universe }, contexts]);
    expect([...(read ?? [])].map(([name, { figures, mid }]) => [name, String(figures.mark), String(mid)])).toEqual([
      ["BTC", "83757", "null"],
      ["ETH", "5", "5.1"],
    ]);
    expect(parsePerpMarks([{ universe }, contexts.slice(1)])).toBeNull();
  });

  test("figures of spot say of which market they are", () => {
    expect(parseSpotMarks([{ universe: [{ name: "PURR/USDC" }] }, [SPOT_CONTEXT]])).toEqual(
      new Map([["@107", SPOT_FIGURES]]),
    );
  });
});
