// A thief who tries at random: two keys of one bot, every door, lost, late and slow answers, fills told late, partial fills, SIGKILL.
// One bot alone on the account.
import { ok, say, sleep } from "./judge.mjs";

let st = 1;
const rnd = () => {
  st = (st * 1664525 + 1013904223) >>> 0;
  return st / 2 ** 32;
};
const pick = (a) => a[Math.floor(rnd() * a.length)];
const chance = (p) => rnd() < p;
const RAILS = {
  max_order: "500 USD",
  max_position: "1000 USD",
  max_exposure: "1500 USD",
  max_turnover_per_day: "40000 USD",
  max_actions_per_day: "400",
  max_open_orders: "9",
  max_distance: "3 %",
};
const P0 = { BTC: 60000, ETH: 2000 };
function worst(ex, c) {
  let net = 0;
  const out = { buys: 0, sells: 0, rob: 0, ros: 0 };
  const count = (isBuy, isReduceOnly, size) => {
    out[isReduceOnly ? (isBuy ? "rob" : "ros") : isBuy ? "buys" : "sells"] += size;
  };
  for (const e of ex.log) if (e.k === "fill" && e.coin === c) net += (e.buy ? 1 : -1) * e.sz;
  for (const o of ex.orders.values()) if (o.live && o.coin === c && !o.twapId) count(o.buy, o.ro, o.sz);
  for (const t of ex.twaps.values()) if (t.live && t.coin === c) count(t.buy, t.ro, t.sz - t.ex);
  for (const f of ex.inflight) {
    const a = f.body.action;
    if (ex.nonces.has(f.body.nonce) || (f.body.expiresAfter ?? Infinity) <= ex.now()) continue;
    for (const w of a.type === "order" ? a.orders : []) if (ex.coinOf(w.a) === c) count(w.b, w.r, Number(w.s));
    for (const m of a.type === "batchModify" ? a.modifies : []) {
      const w = m.order;
      if (ex.coinOf(w.a) !== c || w.r) continue;
      const old = ex.find(m.oid);
      const left = old?.live ? old.sz : 0;
      if (old?.live || a.a) count(w.b, false, Math.max(0, Number(w.s) - left));
    }
  }
  const { buys, sells, rob, ros } = out;
  const lo = net > 0 ? Math.max(0, net - ros) : net,
    hi = net < 0 ? Math.min(0, net + rob) : net;
  return {
    net,
    buys,
    sells,
    rob,
    ros,
    w: Math.max(Math.abs(hi + buys), Math.abs(net + buys), Math.abs(lo - sells), Math.abs(net - sells)),
  };
}
export async function fuzz(R, { seed, secs }) {
  st = seed * 7919 + 17;
  const B = [];
  const kinds = {};
  const ex = R.ex;
  ex.actor = "a";
  const may = "increase,reduce,modify,cancel,twap";
  const ks = [await R.limited("a", { ...RAILS, may }), await R.limited("a", { ...RAILS, may })];
  ex.onlog = (e) => {
    if (e.k !== "accept" || e.ro) return;
    queueMicrotask(() => {
      if (e.rejected) return;
      let sum = 0;
      for (const c of ["BTC", "ETH"]) {
        const w = worst(ex, c);
        sum += w.w * P0[c];
        if (w.w * P0[c] > 1000 * (1 + 1e-9))
          B.push({ rail: "position", c, usd: w.w * P0[c], ...w, n: e.n, via: e.via });
      }
      if (sum > 1500 * (1 + 1e-9)) B.push({ rail: "exposure", sum, n: e.n });
      if (e.via !== "twap" && e.sz * P0[e.coin] > 500 * (1 + 1e-9))
        B.push({ rail: "order", usd: e.sz * P0[e.coin], n: e.n });
      const open = [...ex.orders.values()].filter(
        (o) => o.live && !o.ro && !o.twapId && (o.onBook || (o.trig && !o.fired)),
      ).length;
      if (open > 9) B.push({ rail: "open", open, n: e.n });
      const acts = ex.log.filter((x) => x.k === "accept" && !x.ro).length;
      if (acts > 400) B.push({ rail: "actions", acts });
      const turn = ex.log.filter((x) => x.k === "fill").reduce((t, x) => t + x.sz * x.px, 0);
      if (turn > 40000 * 1.0001) B.push({ rail: "turnover", turn, n: e.n });
    });
  };
  const fails = [];
  const note = (what, r) => {
    if (!r) return;
    if (what === "close" && r.s === 403) say(r.j.error.message);
    const key = `${what}:${r.s}${r.s >= 400 ? ` ${r.j?.error?.code ?? ""}` : ""}`;
    kinds[key] = (kinds[key] ?? 0) + 1;
    if (r.s === 503 && r.j?.error?.code === "internal_error") fails.push({ what, j: r.j });
    return r;
  };
  const ids = [];
  const t0 = Date.now();
  let kills = 0;
  const pend = new Set();
  const go = (what, p) => {
    const q = p
      .then((r) => note(what, r))
      .catch(() => {
        kinds[`${what}:lost`] = (kinds[`${what}:lost`] ?? 0) + 1;
      });
    pend.add(q);
    q.finally(() => pend.delete(q));
    return q;
  };
  const lrg = async (k, o, r) => {
    // the largest that a refusal names passes
    const l = r?.s === 403 && r.j?.error?.message?.match(/Largest size that passes: ([0-9]+(?:\.[0-9]+)?)/)?.[1];
    if (!l || Number(l) === 0 || pend.size > 1) return;
    const px = Number(o.price);
    if (Number(l) * px < 10.5) return;
    const r2 = note("largest", await R.order(k, { ...o, size: l }).catch(() => null));
    if (r2 && r2.s === 403 && pend.size <= 1 && ex.inflight.length === 0)
      fails.push({ what: "largest does not pass", o, said: r.j.error.message, thenSaid: r2.j.error.message });
    if (r2?.s < 300) ids.push(r2.j.id);
  };
  while (Date.now() - t0 < secs * 1000 && B.length < 3) {
    const k = pick(ks);
    const c = pick(["BTC", "BTC", "ETH"]);
    const u = c === "BTC" ? 0.001 : 0.03;
    const size = (n) => String(Math.round(u * n * 1e5) / 1e5).slice(0, 7);
    const q = ex.px[c].mark;
    const px = (f) => (c === "BTC" ? String(Math.round(q * f)) : String(Math.round(q * f * 10) / 10));
    if (chance(0.25))
      ex.faults.push({
        match: (a) => ["order", "batchModify", "twapOrder", "cancel", "cancelByCloid", "twapCancel"].includes(a.type),
        kind: pick(["lose_after", "late", "slow", "slow_answer", "lose_before", "late"]),
        ms: 500 + rnd() * 5000,
      });
    if (ex.faults.length > 2) ex.faults.length = 0;
    if (chance(0.1))
      ex.lag = { fills: pick([0, 0, 800, 4000]), orders: pick([0, 0, 900]), positions: pick([0, 0, 1500]) };
    if (chance(0.15)) {
      const o = pick([...ex.orders.values()].filter((o) => o.live && o.onBook));
      if (o) {
        const dec = c === "BTC" ? 5 : 4;
        ex.makeFill(o, Number(Math.max(10 ** -dec, o.sz * pick([0.3, 1])).toFixed(dec)));
      }
    }
    if (chance(0.04)) {
      ex.setPx("BTC", 61000);
      setTimeout(() => ex.setPx("BTC", 60000), 300);
    }
    if (chance(0.012) && kills < 3) {
      kills++;
      await R.kill();
      await sleep(200);
      await R.serve();
      await R.ready();
      continue;
    }
    const side = pick(["buy", "sell"]);
    const f = side === "buy" ? pick([0.995, 0.999, 1.01]) : pick([1.005, 1.001, 0.99]);
    const x = rnd();
    let p;
    if (x < 0.3) {
      const o = {
        market: c,
        side,
        size: size(1 + rnd() * 9),
        price: px(f),
        time_in_force: pick(["gtc", "gtc", "ioc", "alo"]),
      };
      p = go(
        "place",
        R.order(k, o).then(async (r) => {
          if (r.s < 300) ids.push(r.j.id);
          else await lrg(k, o, r);
          return r;
        }),
      );
    } else if (x < 0.36)
      p = go(
        "ro",
        R.order(k, {
          market: c,
          side,
          size: size(1 + rnd() * 9),
          price: px(side === "buy" ? 1.01 : 0.99),
          time_in_force: pick(["gtc", "ioc"]),
          reduce_only: true,
        }),
      );
    else if (x < 0.4)
      p = go(
        "ro rest",
        R.order(k, {
          market: c,
          side,
          size: size(1 + rnd() * 9),
          price: px(side === "buy" ? 0.99 : 1.01),
          reduce_only: true,
        }).then((r) => {
          if (r.s < 300) ids.push(r.j.id);
          return r;
        }),
      );
    else if (x < 0.46)
      p = go(
        "trigger",
        R.order(k, {
          market: c,
          side: "buy",
          size: size(1 + rnd() * 8),
          price: px(1.02),
          trigger: { kind: "stop_loss", price: px(1.01), market: chance(0.5) },
        }).then((r) => {
          if (r.s < 300) ids.push(r.j.id);
          return r;
        }),
      );
    else if (x < 0.56 && ids.length) {
      p = go(
        "modify",
        R.post(k, `/v1/orders/${pick(ids.slice(-8))}/modify`, {
          ...(chance(0.7) ? { size: size(1 + rnd() * 9) } : {}),
          ...(chance(0.7) ? { price: px(pick([0.996, 1.004, 1.01, 0.99])) } : {}),
          ...(chance(0.4) ? { always_place: true } : {}),
        }),
      );
    } else if (x < 0.66 && ids.length) p = go("cancel", R.post(k, `/v1/orders/${pick(ids.slice(-8))}/cancel`, {}));
    else if (x < 0.7)
      p = go("cancel-all", R.post(k, "/v1/orders/cancel-all", { account: R.account, keep_protection: chance(0.5) }));
    else if (x < 0.75)
      p = go(
        "close",
        R.post(k, "/v1/positions/close", {
          account: R.account,
          market: c,
          ...(chance(0.5) ? { fraction: "0.5" } : {}),
        }),
      );
    else if (x < 0.82)
      p = go(
        "market",
        R.post(k, "/v1/orders/market", { account: R.account, market: c, side, size: size(1 + rnd() * 8) }),
      );
    else if (x < 0.89)
      p = go(
        "batch",
        R.post(k, "/v1/orders/batch", {
          account: R.account,
          orders: Array.from({ length: 1 + Math.floor(rnd() * 4) }, () => ({
            market: pick(["BTC", "ETH"]),
            side: pick(["buy", "sell"]),
          })).map((o) => ({
            ...o,
            size: o.market === "BTC" ? "0.002" : "0.05",
            price: o.market === "BTC" ? (o.side === "buy" ? "59900" : "60900") : o.side === "buy" ? "1990" : "2010",
          })),
        }).then((r) => {
          if (r.s < 300) for (const o of r.j.orders ?? []) ids.push(o.id);
          return r;
        }),
      );
    else if (x < 0.93)
      p = go(
        "twap",
        R.post(k, "/v1/twaps", {
          market: c,
          side,
          size: size(3 + rnd() * 6),
          duration_minutes: 5,
          reduce_only: chance(0.3),
        }).then((r) => {
          if (r.j?.exchange_id) R.tw = [r.j.exchange_id, c];
          return r;
        }),
      );
    else if (x < 0.95 && R.tw)
      p = go("twap cancel", R.post(k, "/v1/twaps/cancel", { market: R.tw[1], twap_id: Number(R.tw[0]) }));
    else if (x < 0.98)
      p = go(
        "trade",
        R.post(k, "/v1/trades", {
          account: R.account,
          market: c,
          side,
          size: size(1 + rnd() * 7),
          entry: { price: px(f) },
          stop_loss: { trigger_price: px(side === "buy" ? 0.95 : 1.05) },
        }),
      );
    else p = go("stop/none", Promise.resolve({ s: 0 }));
    if (chance(0.6) || pend.size > 8) await Promise.race([p ?? sleep(1), sleep(600)]);
  }
  await Promise.race([Promise.all([...pend]), sleep(9000)]);
  say(
    "seed",
    seed,
    "accepted",
    ex.log.filter((e) => e.k === "accept").length,
    "fills",
    ex.fills.length,
    "kills",
    kills,
    JSON.stringify(kinds),
  );
  ok(B.length === 0, `seed ${seed}: rails hold`, B.slice(0, 3));
  ok(fails.length === 0, `seed ${seed}: refusals`, fails.slice(0, 2));
  // all stands again: what the gateway thinks the bot holds is what the exchange's log says
  ex.faults.length = 0;
  ex.lag = { fills: 0, orders: 0, positions: 0 };
  await R.post(ks[0], "/v1/orders/cancel-all", { account: R.account, keep_protection: false }).catch(() => {});
  for (const t of ex.twaps.values()) if (t.live) ex.twapEnd(t, "terminated");
  await sleep(4000);
  const w = (await R.req("GET", "/v1/whoami", undefined, ks[0])).j.limits;
  for (const c of ["BTC", "ETH"]) {
    const n = worst(ex, c).net;
    const said = Number(
      w.use.nets.find((x) => x.market === c)?.size ?? w.use.nets.find((x) => x.market === c)?.net ?? 0,
    );
    if (Math.abs(n - said) > 1e-7)
      ok(false, `seed ${seed}: net of ${c} as the gateway shows it`, { true: n, said, use: w.use });
  }
  const acts = ex.log.filter((x) => x.k === "accept" && !x.ro).length;
  say(
    "open at the end",
    [...ex.orders.values()].filter((o) => o.live).length,
    "actions",
    acts,
    w.use.actions_today,
    "use",
    w.use.turnover_today,
    ex.fills.reduce((t, f) => t + f.px * f.sz, 0),
    JSON.stringify(w.use.nets),
    "net",
    worst(ex, "BTC").net,
    worst(ex, "ETH").net,
  );
}
