// Three markets, their numbers as text and as whole units, and the numbers that are drawn.
export function rng(seed) {
  let a = seed >>> 0;
  const f = () => {
    a |= 0;
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  f.int = (n) => Math.floor(f() * n);
  f.pick = (xs) => xs[f.int(xs.length)];
  f.chance = (p) => f() < p;
  f.range = (a, b) => a + f() * (b - a);
  return f;
}

export const MARKETS = {
  BTC: { coin: "BTC", asset: 0, szDec: 5, pxDec: 0, bid: 60000, ask: 60010, tick: 1, maxLev: 40 },
  ETH: { coin: "ETH", asset: 1, szDec: 4, pxDec: 1, bid: 3000, ask: 3000.5, tick: 0.1, maxLev: 25 },
  "PURR/USDC": {
    coin: "PURR/USDC",
    asset: 10000,
    szDec: 0,
    pxDec: 5,
    bid: 0.2,
    ask: 0.2001,
    tick: 0.00001,
    spot: true,
  },
};
export const byAsset = new Map(Object.values(MARKETS).map((m) => [m.asset, m]));
export const units = (m, s) => {
  const [i, f = ""] = String(s).split(".");
  return (
    Number(i + f.padEnd(m.szDec, "0").slice(0, m.szDec)) *
    (f.length > m.szDec && /[1-9]/.test(f.slice(m.szDec)) ? NaN : 1)
  );
};
export const fmt = (n, dec) => {
  let s = (Math.round(n * 10 ** dec) / 10 ** dec).toFixed(dec);
  if (s.includes(".")) s = s.replace(/0+$/, "").replace(/\.$/, "");
  return s.includes(".") ? s : `${s}.0`;
};
export const szStr = (m, u) => fmt(u / 10 ** m.szDec, m.szDec);
export const pxStr = (m, p) => fmt(Number(p), m.pxDec);
export const sleep = (ms) => new Promise((ok) => setTimeout(ok, ms));
