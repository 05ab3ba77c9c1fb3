// What is listed: markets of three dexes and of spot, and the tokens.
import { d } from "./decimal.mjs";

export function markets() {
  const perp = (coin, a, sz, lev, mid, dex = "") => [
    coin,
    { coin, a, sz, lev, mid: d(mid), oracle: d(mid), dex, kind: "perp", depth: null },
  ];
  const spot = (coin, index, sz, mid, base, quote) => [
    coin,
    { coin, a: 10000 + index, index, sz, mid: d(mid), dex: "", kind: "spot", base, quote, depth: null },
  ];
  return new Map([
    perp("BTC", 0, 5, 40, "64000"),
    perp("ETH", 1, 4, 25, "2500"),
    perp("SOL", 2, 2, 20, "150"),
    perp("HYPE", 3, 2, 10, "40"),
    perp("xyz:TSLA", 110000, 3, 10, "400", "xyz"),
    perp("xyz:SOL", 110001, 2, 10, "151", "xyz"),
    perp("hyna:SOL", 120000, 2, 10, "149", "hyna"),
    perp("hyna:BTC", 120001, 5, 20, "63990", "hyna"),
    spot("PURR/USDC", 0, 0, "0.2", "PURR", "USDC"),
    spot("@107", 107, 2, "40", "HYPE", "USDC"),
    spot("@230", 230, 2, "1", "USDH", "USDC"),
  ]);
}
export function tokens() {
  return {
    USDC: { index: 0, wei: 8, sz: 8 },
    PURR: { index: 1, wei: 5, sz: 0 },
    HYPE: { index: 150, wei: 8, sz: 2 },
    USDH: { index: 360, wei: 8, sz: 2 },
  };
}
