import { dec } from "./decimals.mjs";

const PERPETUALS = [
  { dex: "", coin: "BTC", asset: 0, decimals: 5, leverage: 40, mark: "60000" },
  { dex: "", coin: "ETH", asset: 1, decimals: 4, leverage: 25, mark: "2500" },
  { dex: "xyz", coin: "xyz:GOLD", asset: 110000, decimals: 4, leverage: 20, mark: "4000" },
  { dex: "xyz", coin: "xyz:TSLA", asset: 110001, decimals: 3, leverage: 10, mark: "400" },
  { dex: "abc", coin: "abc:OIL", asset: 120000, decimals: 2, leverage: 10, mark: "80" },
];
const SPOT = [
  { coin: "PURR/USDC", asset: 10000, index: 0, base: 1, decimals: 0, mark: "0.2" },
  { coin: "@107", asset: 10107, index: 107, base: 150, decimals: 2, mark: "40" },
];
export const TOKENS = [
  { name: "USDC", index: 0, szDecimals: 8, weiDecimals: 8 },
  { name: "PURR", index: 1, szDecimals: 0, weiDecimals: 5 },
  { name: "HYPE", index: 150, szDecimals: 2, weiDecimals: 8 },
];
export const DEXES = ["", "xyz", "abc"];

export function makeMarkets() {
  const list = [
    ...PERPETUALS.map((m) => ({ ...m, isSpot: false, mark: dec(m.mark) })),
    ...SPOT.map((m) => ({ ...m, dex: "", isSpot: true, mark: dec(m.mark) })),
  ];
  return new Map(list.map((m) => [m.coin, m]));
}

export function meta(dex) {
  return {
    universe: PERPETUALS.filter((m) => m.dex === dex).map((m) => ({
      szDecimals: m.decimals,
      name: m.coin,
      maxLeverage: m.leverage,
      marginTableId: m.leverage,
    })),
    marginTables: [],
    collateralToken: 0,
  };
}

export function perpDexs() {
  return DEXES.map((name) =>
    name === ""
      ? null
      : {
          name,
          fullName: name.toUpperCase(),
          deployer: "0x8888888888888888888888888888888888888888",
          oracleUpdater: null,
          feeRecipient: null,
          assetToStreamingOiCap: [],
          subDeployers: [],
          deployerFeeScale: "1.0",
          lastDeployerFeeScaleChangeTime: "1970-01-01T00:00:00",
          assetToFundingMultiplier: [],
          assetToFundingInterestRate: [],
        },
  );
}

export function spotMeta() {
  return {
    universe: SPOT.map((m) => ({ tokens: [m.base, 0], name: m.coin, index: m.index, isCanonical: m.index === 0 })),
    tokens: TOKENS.map((t) => ({
      ...t,
      tokenId: `0x${t.index.toString(16).padStart(32, "0")}`,
      isCanonical: true,
      evmContract: null,
      fullName: null,
      deployerTradingFeeShare: "0.0",
    })),
  };
}

export function tokenOf(market) {
  return TOKENS.find((t) => t.index === market.base);
}
