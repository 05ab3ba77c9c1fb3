// The markets of the fake exchange, and how it writes numbers.

export const MARKETS = [
  { coin: "BTC", asset: 0, dex: "", szDecimals: 5, maxLeverage: 40, px: 60000, tick: 1 },
  { coin: "ETH", asset: 1, dex: "", szDecimals: 4, maxLeverage: 25, px: 2000, tick: 0.1 },
  { coin: "SOL", asset: 2, dex: "", szDecimals: 2, maxLeverage: 20, px: 100, tick: 0.01 },
  { coin: "xyz:TSLA", asset: 110000, dex: "xyz", szDecimals: 3, maxLeverage: 10, px: 250, tick: 0.01 },
  { coin: "xyz:GOLD", asset: 110001, dex: "xyz", szDecimals: 3, maxLeverage: 10, px: 2500, tick: 0.1 },
  { coin: "PURR/USDC", asset: 10000, dex: "spot", szDecimals: 0, maxLeverage: 1, px: 0.2, tick: 0.0001 },
];

export const byAsset = new Map(MARKETS.map((market) => [market.asset, market]));
export const byCoin = new Map(MARKETS.map((market) => [market.coin, market]));

export const round = (value, decimals = 8) => Number(Number(value).toFixed(decimals));

// As the exchange writes figures: no trailing zeros, but integers keep ".0".
export function text(value, decimals = 8) {
  const fixed = Number(value)
    .toFixed(decimals)
    .replace(/\.?0+$/, "");
  const plain = fixed === "-0" || fixed === "" ? "0" : fixed;
  return plain.includes(".") ? plain : `${plain}.0`;
}

const universe = (dex) =>
  MARKETS.filter((market) => market.dex === dex).map(({ coin, szDecimals, maxLeverage }) => ({
    szDecimals,
    name: coin,
    maxLeverage,
    marginTableId: maxLeverage,
  }));

export const meta = (dex) => ({ universe: universe(dex), marginTables: [], collateralToken: 0 });

export const spotMeta = () => ({
  universe: [{ tokens: [1, 0], name: "PURR/USDC", index: 0, isCanonical: true }],
  tokens: [
    token({ name: "USDC", index: 0, szDecimals: 8, weiDecimals: 8, tokenId: "0x6d1e7cde53ba9467b783cb7c530ce054" }),
    token({ name: "PURR", index: 1, szDecimals: 0, weiDecimals: 5, tokenId: "0xc1fb593aeffbeb02f85e0308e9956a90" }),
  ],
});

function token(own) {
  return { ...own, isCanonical: true, evmContract: null, fullName: null, deployerTradingFeeShare: "0.0" };
}

export const perpDexs = () => [
  null,
  {
    name: "xyz",
    fullName: "XYZ",
    deployer: "0x8888888888888888888888888888888888888880",
    oracleUpdater: null,
    feeRecipient: null,
    assetToStreamingOiCap: [],
    subDeployers: [],
    deployerFeeScale: "1.0",
    lastDeployerFeeScaleChangeTime: "1970-01-01T00:00:00",
    assetToFundingMultiplier: [],
    assetToFundingInterestRate: [],
  },
];
