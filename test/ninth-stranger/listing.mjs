// What is listed: two dexes beside the native one with a coin name in common, spot by name and by index, and one that is gone.
import { grains, Past } from "./grain.mjs";

const row = (coin, asset, [szDecimals, mid], more = {}) => ({ coin, asset, szDecimals, mid, ...more });

const ROWS = [
  row("BTC", 0, [5, "60000"]),
  row("ETH", 1, [4, "3000"]),
  row("SOL", 2, [2, "150"]),
  row("kPEPE", 3, [0, "0.01"]),
  row("MATIC", 4, [1, "0.5"], { isDelisted: true }),
  row("xyz:GOLD", 110000, [3, "4000"], { dex: "xyz" }),
  row("xyz:TSLA", 110001, [3, "400"], { dex: "xyz" }),
  row("abc:TSLA", 120000, [2, "410"], { dex: "abc" }),
  row("abc:GOLD", 120001, [2, "4100"], { dex: "abc" }),
  row("PURR/USDC", 10000, [0, "0.2"], { spot: true, token: 1 }),
  row("@107", 10107, [2, "30"], { spot: true, token: 150 }),
];

export const TOKENS = [
  { name: "USDC", szDecimals: 8, weiDecimals: 8, index: 0 },
  { name: "PURR", szDecimals: 0, weiDecimals: 5, index: 1 },
  { name: "HYPE", szDecimals: 2, weiDecimals: 8, index: 150 },
];
export const DEXES = ["", "xyz", "abc"];

/** Everything that is traded; what changes of it (decimals, delisting, price) remembers its past. */
export function listing(at) {
  return ROWS.map((of) => ({
    coin: of.coin,
    asset: of.asset,
    dex: of.dex ?? "",
    spot: of.spot ?? false,
    token: of.token ?? null,
    szDecimals: new Past(at, of.szDecimals),
    isDelisted: new Past(at, of.isDelisted ?? false),
    isHalted: false,
    depth: null,
    mid: new Past(at, grains(of.mid)),
  }));
}
