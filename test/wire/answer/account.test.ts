import { describe, expect, test } from "bun:test";
import {
  parseAccountMode,
  parseActiveAssetData,
  parseClearinghouseState,
  parseExchangeTime,
  parseExtraAgents,
  parseMaxBuilderFee,
  parseRateLimit,
  parseSpotState,
  parseUserRole,
} from "../../../src/wire/answer/account.ts";

const SUMMARY = { accountValue: "83.307638", totalNtlPos: "75.652", totalRawUsd: "-7.655638", totalMarginUsed: "7.50" };
const POSITION = {
  coin: "HYPE",
  szi: "-2.0",
  leverage: { type: "isolated", value: 10, rawUsd: "-68.126246" },
  entryPx: "37.829",
  positionValue: "75.652",
  unrealizedPnl: "-0.006",
  returnOnEquity: "-0.0007930424",
  liquidationPx: "35.8559189474",
  marginUsed: "7.525754",
  maxLeverage: 10,
  cumFunding: { allTime: "4.966798", sinceOpen: "0.50", sinceChange: "0.0" },
};
const STATE = {
  marginSummary: SUMMARY,
  crossMarginSummary: { ...SUMMARY, totalNtlPos: "0.0" },
  crossMaintenanceMarginUsed: "0.0",
  withdrawable: "75.781884",
  assetPositions: [{ type: "oneWay", position: POSITION }],
  time: 1754467216357,
};

describe("clearinghouseState", () => {
  test("of an isolated short", () => {
    const state = parseClearinghouseState(STATE);
    expect(state).toMatchObject({ withdrawable: "75.781884", timeMs: 1754467216357, crossMaintenanceMarginUsed: "0" });
    expect(state?.marginSummary).toEqual({
      accountValue: "83.307638" as never,
      totalNotional: "75.652" as never,
      totalRawUsd: "-7.655638" as never,
      totalMarginUsed: "7.5" as never,
    });
    expect(state?.positions[0]).toMatchObject({
      coin: "HYPE",
      signedSize: "-2",
      leverage: { type: "isolated", value: 10, rawUsd: "-68.126246" },
      liquidationPrice: "35.8559189474",
      fundingSinceOpen: "0.5",
    });
  });

  test("of a cross long without a liquidation price", () => {
    const position = { ...POSITION, leverage: { type: "cross", value: 20 }, liquidationPx: null };
    const state = parseClearinghouseState({ ...STATE, assetPositions: [{ type: "oneWay", position }] });
    expect(state?.positions[0]).toMatchObject({ leverage: { type: "cross", rawUsd: null }, liquidationPrice: null });
  });

  test.each<[string, string, (typeof POSITION)[], boolean]>([
    ["all that it adds up", "75.652", [POSITION], true],
    ["what the exchange has rounded", "151.304002", [POSITION, { ...POSITION, coin: "SOL" }], true],
    ["one row less", "75.652", [], false],
    ["one row more", "75.652", [POSITION, { ...POSITION, coin: "SOL" }], false],
    ["another row", "75.652", [{ ...POSITION, positionValue: "75.552" }], false],
    ["no row, and nothing to add up", "0.0", [], true],
  ])("with %s", (_what, totalNtlPos, positions, isRead) => {
    const assetPositions = positions.map((position) => ({ type: "oneWay", position }));
    const state = parseClearinghouseState({ ...STATE, marginSummary: { ...SUMMARY, totalNtlPos }, assetPositions });
    expect(state !== null).toBe(isRead);
  });

  test("without a time, or with a position of another form, is unreadable", () => {
    expect(parseClearinghouseState({ ...STATE, time: undefined })).toBeNull();
    expect(parseClearinghouseState({ ...STATE, assetPositions: [{}] })).toBeNull();
    expect(parseClearinghouseState({ ...STATE, withdrawable: "NaN" })).toBeNull();
    for (const json of [null, [], "x", 1, undefined]) expect(parseClearinghouseState(json)).toBeNull();
  });
});

test("spot balances, with and without a token number", () => {
  const usdc = { coin: "USDC", token: 0, total: "19.9969993", hold: "0.0", entryNtl: "0.0" };
  expect(parseSpotState({ balances: [usdc, { coin: "+10", total: "1.0", hold: "0.5" }] })).toEqual([
    { coin: "USDC", token: 0, total: "19.9969993" as never, hold: "0" as never, entryNotional: "0" as never },
    { coin: "+10", token: null, total: "1" as never, hold: "0.5" as never, entryNotional: "0" as never },
  ]);
  expect(parseSpotState({ balances: [] })).toEqual([]);
  expect(parseSpotState({})).toBeNull();
});

test("account modes, of which three words mean standard", () => {
  for (const word of ["default", "disabled", "dexAbstraction"]) expect(parseAccountMode(word)).toBe("standard");
  expect(parseAccountMode("unifiedAccount")).toBe("unified");
  expect(parseAccountMode("portfolioMargin")).toBe("portfolio_margin");
  for (const other of ["", "new", null, {}]) expect(parseAccountMode(other)).toBeNull();
});

test("activeAssetData gives leverage without a position", () => {
  const answer = {
    user: "0xab",
    coin: "HYPE",
    leverage: { type: "cross", value: 10 },
    maxTradeSzs: ["72.42", "72.40"],
    availableToTrade: ["680.955673", "680.0"],
    markPx: "94.017",
  };
  expect(parseActiveAssetData(answer)).toMatchObject({
    leverage: { type: "cross", value: 10, rawUsd: null },
    maxTradeSizes: ["72.42", "72.4"],
    availableToTrade: ["680.955673", "680"],
  });
  expect(parseActiveAssetData({ ...answer, maxTradeSzs: ["1"] })).toBeNull();
  expect(parseActiveAssetData({ ...answer, leverage: { type: "other", value: 1 } })).toBeNull();
});

test("userRateLimit", () => {
  const answer = { cumVlm: "2854574.593578", nRequestsUsed: 2890, nRequestsCap: 2864574 };
  expect(parseRateLimit(answer)).toMatchObject({ requestsUsed: 2890, requestsCap: 2864574, requestsSurplus: 0 });
  expect(parseRateLimit({ ...answer, nRequestsSurplus: 7 })?.requestsSurplus).toBe(7);
  expect(parseRateLimit({ ...answer, nRequestsCap: "1" })).toBeNull();
});

test("extraAgents, addresses in lower case", () => {
  const agent = { name: "postern-1", address: `0x${"AB".repeat(20)}`, validUntil: 1771174068515 };
  const want = { name: "postern-1", address: `0x${"ab".repeat(20)}`, validUntilMs: 1771174068515 };
  expect(parseExtraAgents([agent])).toEqual([want]);
  expect(parseExtraAgents([agent, {}])).toBeNull();
});

test("maxBuilderFee is a bare number", () => {
  expect(parseMaxBuilderFee(50)).toBe(50);
  expect(parseMaxBuilderFee(0)).toBe(0);
  for (const other of ["50", null, 1.5]) expect(parseMaxBuilderFee(other)).toBeNull();
});

test("userRole", () => {
  for (const role of ["user", "missing", "vault"] as const) expect(parseUserRole({ role })).toEqual({ role });
  expect(parseUserRole({ role: "agent", data: { user: "0xAB" } })).toEqual({ role: "agent", user: "0xab" });
  expect(parseUserRole({ role: "subAccount", data: { master: "0xAB" } })).toEqual({
    role: "subAccount",
    master: "0xab",
  });
  for (const other of [{ role: "agent" }, { role: "king" }, null]) expect(parseUserRole(other)).toBeNull();
});

test("exchangeStatus", () => {
  expect(parseExchangeTime({ time: 1790358575700, specialStatuses: null })).toBe(1790358575700);
  expect(parseExchangeTime({ time: "1" })).toBeNull();
});
