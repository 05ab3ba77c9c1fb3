// What can be traded: two perpetuals, two of a HIP-3 dex, one spot pair.
export const MARKETS = [
  { coin: "BTC", dex: "", asset: 0, szDecimals: 5, maxLeverage: 40, kind: "perp", price: "60000" },
  { coin: "ETH", dex: "", asset: 1, szDecimals: 4, maxLeverage: 25, kind: "perp", price: "2000" },
  { coin: "xyz:XYZ100", dex: "xyz", asset: 110000, szDecimals: 4, maxLeverage: 20, kind: "perp", price: "25000" },
  { coin: "xyz:TSLA", dex: "xyz", asset: 110001, szDecimals: 3, maxLeverage: 10, kind: "perp", price: "400" },
  { coin: "@107", dex: "", asset: 10107, szDecimals: 2, maxLeverage: 1, kind: "spot", price: "40", base: "HYPE" },
];

export function meta(dex) {
  const universe = MARKETS.filter((market) => market.kind === "perp" && market.dex === dex).map((market) => ({
    szDecimals: market.szDecimals,
    name: market.coin,
    maxLeverage: market.maxLeverage,
    marginTableId: market.maxLeverage,
  }));
  return { universe, marginTables: [], collateralToken: 0 };
}

export function spotMeta() {
  const token = (name, index, szDecimals, weiDecimals) => ({
    name,
    szDecimals,
    weiDecimals,
    index,
    tokenId: `0x${String(index).padStart(32, "0")}`,
    isCanonical: index === 0,
    evmContract: null,
    fullName: null,
    deployerTradingFeeShare: "0.0",
  });
  return {
    universe: [{ tokens: [150, 0], name: "@107", index: 107, isCanonical: false }],
    tokens: [token("USDC", 0, 8, 8), token("HYPE", 150, 2, 8)],
  };
}

export const PERP_DEXS = [
  null,
  {
    name: "xyz",
    fullName: "XYZ",
    deployer: `0x${"8".repeat(40)}`,
    oracleUpdater: null,
    feeRecipient: `0x${"9".repeat(40)}`,
    assetToStreamingOiCap: [],
    subDeployers: [],
    deployerFeeScale: "1.0",
    lastDeployerFeeScaleChangeTime: "1970-01-01T00:00:00",
    assetToFundingMultiplier: [],
    assetToFundingInterestRate: [],
  },
];
