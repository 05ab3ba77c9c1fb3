/** A market in which spot is traded for USDC. */
import type { Market } from "../../src/core/market.ts";

export const PURR: Market = {
  name: "PURR/USDC",
  kind: "spot",
  dex: "",
  assetId: 10_000,
  sizeDecimals: 0,
  maxLeverage: null,
  marginMode: "any",
  isDelisted: false,
  pairName: "PURR/USDC",
};
