// What is asked of the exchange's log, what is said, and what counts as a finding.
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
export const findings = [];
export const talk = { isVerbose: false };
export const ok = (isSo, what, extra) => {
  if (isSo) {
    if (talk.isVerbose) console.log("   ok   ", what);
  } else {
    findings.push({ what, extra });
    console.log("   ****FAIL", what, extra !== undefined ? JSON.stringify(extra).slice(0, 900) : "");
  }
  return isSo;
};
export const say = (...words) =>
  console.log("  ", ...words.map((word) => (typeof word === "string" ? word : JSON.stringify(word))));

// An answer in short.
export const m = (r) =>
  r.s +
  ":" +
  (r.j?.error?.message ?? r.j?.error?.code ?? r.j?.status ?? "") +
  (r.s < 300 && r.j?.error ? ` [${JSON.stringify(r.j.error)}]` : "");
// What a bot (or all of them) truly has in a market.
export const netOf = (R, who, c = "BTC") =>
  R.ex.log
    .filter((e) => e.k === "fill" && (!who || e.who === who) && e.coin === c)
    .reduce((t, e) => t + (e.buy ? 1 : -1) * e.sz, 0);
export const largest = (r) => r.j?.error?.message?.match(/Largest size that passes: ([0-9]+(?:\.[0-9]+)?)/)?.[1];
export const as = async (R, a, f) => {
  R.ex.actor = a;
  const r = await f();
  return r;
};
export const byId = (R, o) => R.ex.byCloid.get(`0x${o.j.id.replaceAll("-", "")}`);

// At each acceptance of what increases, is the true worst case within the rails?
export function audit(R, { pos = 1000, exp = 1500, order = 500, coins = ["BTC", "ETH"], who } = {}) {
  R.breaches = [];
  R.ex.onlog = (e) => {
    if (e.k !== "accept" || e.ro) return;
    queueMicrotask(() => {
      if (e.rejected) return;
      let sum = 0;
      for (const c of coins) {
        const ref = Math.max(R.ex.px[c].mark, R.ex.px[c].oracle);
        const w = R.worst(c, who);
        sum += w.w * ref;
        if (w.w * ref > pos * (1 + 1e-9) + 1e-6) R.breaches.push({ c, usd: w.w * ref, rail: pos, ...w, at: e.n });
      }
      if (sum > exp * (1 + 1e-9) + 1e-6) R.breaches.push({ exposure: sum, rail: exp, at: e.n });
      const ref = Math.max(R.ex.px[e.coin].mark, R.ex.px[e.coin].oracle);
      if (e.sz * ref > order * (1 + 1e-9) + 1e-6 && e.via !== "twap")
        R.breaches.push({ order: e.sz * ref, rail: order, at: e.n });
    });
  };
}
export const clean = (R, what) =>
  ok(R.breaches.length === 0, `${what}: no acceptance beyond the rails`, R.breaches.slice(0, 3));
export async function hammer(R, k, o, n = 30) {
  let acc = 0,
    last;
  for (let i = 0; i < n; i++) {
    const r = await R.order(k, o);
    last = r;
    if (r.s >= 400) break;
    acc++;
  }
  return { acc, last };
}
export async function tryLargest(R, { k, o, r, what }) {
  const l = largest(r);
  if (l === undefined) {
    ok(
      /[Nn]o size passes|nothing|none/i.test(r.j?.error?.message ?? ""),
      `${what}: refusal names the largest that passes`,
      r.j,
    );
    return;
  }
  if (Number(l) === 0) return;
  const r2 = await R.order(k, { ...o, size: l });
  ok(r2.s < 300, `${what}: largest ${l} passes`, r2.j);
  return r2;
}
