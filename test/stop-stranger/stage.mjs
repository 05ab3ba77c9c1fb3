// What all scenes use: sizes, prices, keys, lags, and fates.
import { now, sleep } from "./random.mjs";
export const S = (m, lots) => (lots / m.f).toFixed(m.sz).replace(/\.?0+$/, "") || "0";
export const PX = (m, mult) => String(Number((Math.round((m.mark * mult) / m.tick) * m.tick).toFixed(4)));
let n = 0;
export const K = (p = "k") => `${p}-${process.pid}-${now()}-${n++}`;
export function rough(r, p = {}) {
  const q = { lost: 0.1, answerlost: 0.12, late: 0.14, twice: 0.05, twicelost: 0.04, refused: 0.03, slow: 0.04, ...p };
  return () => {
    let x = r();
    for (const [k, v] of Object.entries(q)) {
      if (x < v) return { kind: k, delay: 20 + r() * 150 };
      x -= v;
    }
    return { kind: "ok", delay: 20 + r() * 200 };
  };
}
export function lags(A, r, max) {
  for (const k of Object.keys(A.acc.cfg.lag)) A.acc.cfg.lag[k] = max === null ? r.pick([0, 1000, 5000, 15000]) : max;
}
export const calm = (A) => {
  A.acc.cfg.fate = null;
  A.acc.cfg.infoFail = 0;
  for (const k of Object.keys(A.acc.cfg.lag)) A.acc.cfg.lag[k] = 400;
};
export const lots = (m, usd) => Math.max(1, Math.round((usd / m.mark) * m.f));
export const body = (A, m, [side, l, mult], x = {}) => ({
  account: A.id,
  market: m.coin,
  side,
  size: S(m, l),
  price: PX(m, mult),
  ...x,
});
export async function waitUntil(f, ms, every = 500) {
  const t = now();
  while (now() - t < ms) {
    const x = await f();
    if (x) return x;
    await sleep(every);
  }
  return null;
}
// The order of somebody at the exchange's own page.
export const wire = (m, [isBuy, at, size], t, r = false) => ({
  a: m.asset,
  b: isBuy,
  p: PX(m, at),
  s: S(m, size),
  r,
  t,
});
export function netOf(A, who, coin) {
  let net = 0;
  for (const e of A.acc.log)
    if (e.kind === "fill" && e.coin === coin && e.src === "gw") {
      let r = A.ex.cur(A.acc, e.oid);
      while (r?.replaces) r = A.ex.cur(A.acc, r.replaces);
      if (A.whoseCloid.get(r?.cloid) === who) net += e.side === "B" ? e.lots : -e.lots;
    }
  return net;
}
