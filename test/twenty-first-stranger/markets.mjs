// What is listed: three native perpetuals, two of a builder's dex, two pairs of spot.

import { units } from "./decimal.mjs";

export const MARKETS = {
  BTC: { kind: "perp", dex: "", asset: 0, decimals: 5, mid: 60000, lot: "0.001" },
  ETH: { kind: "perp", dex: "", asset: 1, decimals: 4, mid: 3000, lot: "0.02" },
  SOL: { kind: "perp", dex: "", asset: 2, decimals: 2, mid: 200, lot: "0.3" },
  "xyz:TSLA": { kind: "perp", dex: "xyz", asset: 110000, decimals: 3, mid: 400, lot: "0.1" },
  "xyz:GOLD": { kind: "perp", dex: "xyz", asset: 110001, decimals: 3, mid: 4000, lot: "0.02" },
  "PURR/USDC": {
    kind: "spot",
    dex: "",
    asset: 10000,
    decimals: 0,
    mid: 2,
    lot: "20",
    base: "PURR",
    token: 1,
    startBase: units("100000"),
  },
  "@107": {
    kind: "spot",
    dex: "",
    asset: 10107,
    decimals: 2,
    mid: 30,
    lot: "2",
    base: "HYPE",
    token: 150,
    startBase: units("5000"),
  },
};
export const COINS = Object.keys(MARKETS);
const BY_ASSET = new Map(COINS.map((coin) => [MARKETS[coin].asset, coin]));

export function coinOf(asset) {
  return BY_ASSET.get(asset);
}

export function meta(dex) {
  const universe = COINS.filter((coin) => MARKETS[coin].kind === "perp" && MARKETS[coin].dex === dex).map((name) => ({
    szDecimals: MARKETS[name].decimals,
    name,
    maxLeverage: 20,
    marginTableId: 20,
  }));
  return { universe, marginTables: [], collateralToken: 0 };
}

export function spotMeta() {
  return {
    universe: [
      { tokens: [1, 0], name: "PURR/USDC", index: 0, isCanonical: true },
      { tokens: [150, 0], name: "@107", index: 107, isCanonical: false },
    ],
    tokens: [token("USDC", 8, 0, "6d"), token("PURR", 0, 1, "c1"), token("HYPE", 2, 150, "0d")],
  };
}

function token(name, szDecimals, index, byte) {
  return {
    name,
    szDecimals,
    weiDecimals: 8,
    index,
    tokenId: `0x${byte.repeat(16)}`,
    isCanonical: index < 2,
    evmContract: null,
    fullName: null,
    deployerTradingFeeShare: "0.0",
  };
}

export function contexts(dex, kind) {
  return COINS.filter((coin) => MARKETS[coin].kind === kind && (kind === "spot" || MARKETS[coin].dex === dex)).map(
    (coin) => context(coin),
  );
}

export function context(coin) {
  const px = price(coin);
  const shared = { prevDayPx: px, dayNtlVlm: "1000000.0", markPx: px, midPx: px, dayBaseVlm: "1000.0" };
  return MARKETS[coin].kind === "spot"
    ? { ...shared, coin, circulatingSupply: "1000000.0", totalSupply: "1000000.0" }
    : { ...shared, funding: "0.0000125", openInterest: "1000.0", premium: "0.0", oraclePx: px, impactPxs: [px, px] };
}

export function price(coin) {
  return `${MARKETS[coin].mid}.0`;
}

export function mids(dex) {
  return Object.fromEntries(COINS.filter((coin) => MARKETS[coin].dex === dex).map((coin) => [coin, price(coin)]));
}
