// Everything told against the true log.
const iso = (t) => new Date(t).toISOString().slice(11, 23);
export function check(A, ex) {
  const a = A.acc,
    F = [];
  const add = (hard, rule, text, t) => F.push({ hard, rule, text: `${A.name} ${t ? `${iso(t)} ` : ""}${text}`, t });
  const log = a.log;
  const rec = (oid) => ex.cur(a, oid);
  const root = (oid) => {
    let r = rec(oid);
    while (r?.replaces && rec(r.replaces)) r = rec(r.replaces);
    return r;
  };
  const ownerOf = (oid) => {
    const c = root(oid)?.cloid;
    return c ? A.whoseCloid.get(c) : undefined;
  };
  // 0 one cloid, one order
  for (const [c, l] of a.cloids)
    if (l.length > 1) add(true, "double", `cloid ${c} has ${l.length} orders at the exchange: ${l}`);
  // 1 stops
  const stops = new Map();
  const seeStop = (b, t) => {
    if (b?.object !== "stop") return;
    const s = stops.get(b.id) ?? {
      id: b.id,
      scope: b.scope,
      key: b.key_hash,
      cause: b.cause,
      created: Date.parse(b.created_at),
      told: null,
      resumed: null,
      keep: b.keep_protection,
    };
    if (b.status === "stopped" && !s.told) {
      s.told = t;
      s.stoppedAt = Date.parse(b.stopped_at);
    }
    if (b.status === "resumed" && !s.resumed) s.resumed = Date.parse(b.resumed_at);
    s.last = b;
    stops.set(b.id, s);
  };
  for (const e of [
    ...A.told.filter((x) => x.status >= 200 && x.status < 300).map((x) => ({ t: x.t1, b: x.body })),
    ...A.evs.map((x) => ({ t: x.t, b: x.e.data })),
  ].sort((x, y) => x.t - y.t)) {
    seeStop(e.b, e.t);
    if (e.b?.object === "list") for (const b of e.b.data ?? []) seeStop(b, e.t);
  }
  A.stops = stops;
  const flatSeen = new Set();
  for (const s of stops.values()) {
    const covers = (oid) => s.scope === "account" || (A.keyOfHash[s.key] && ownerOf(oid) === A.keyOfHash[s.key]);
    if (s.told) {
      const end = s.cause === "asked" ? (s.resumed ?? Infinity) : Infinity;
      const T = s.told;
      for (const oid of a.orders.keys()) {
        const r = ex.at(a, oid, T);
        if (r?.live && r.src === "gw" && !r.r && covers(oid) && (s.cause === "asked" || r.ts < s.created))
          add(
            true,
            "stopped",
            `stop ${s.id} (${s.scope}, ${s.cause}) told stopped while gateway order ${oid} (${r.side} ${r.coin} sz ${r.sz} ${r.live}) rests`,
            T,
          );
      }
      if (s.cause === "asked")
        for (const tw of a.twaps.values()) {
          const h = [...tw.hist].reverse().find((x) => x.t <= T);
          if (h?.st === "activated" && !tw.r && s.scope === "account")
            add(true, "stopped", `stop ${s.id} told stopped while TWAP ${tw.id} runs`, T);
        }
      for (const e of log) {
        if (e.t <= T || e.t > end) continue;
        if (
          e.kind === "place" &&
          e.src === "gw" &&
          !e.r &&
          covers(e.oid) &&
          (s.cause === "asked" || e.nonce < s.created)
        )
          add(
            true,
            "stopped",
            `order action executed after stop ${s.id} (${s.cause}) told stopped at ${iso(T)}: oid ${e.oid} ${e.side} ${e.lots} nonce ${iso(e.nonce)}`,
            e.t,
          );
        if (
          e.kind === "fill" &&
          e.src === "gw" &&
          Math.abs(e.after) > Math.abs(e.before) &&
          covers(e.oid) &&
          (s.cause === "asked" || e.nonce < s.created)
        )
          add(
            true,
            "stopped",
            `increase filled after told stopped: oid ${e.oid} ${e.before}->${e.after} ${e.coin}`,
            e.t,
          );
      }
    } else if (!s.resumed && A.settled)
      add(
        false,
        "stop-never",
        `stop ${s.id} (${s.scope},${s.cause}) never told stopped; created ${iso(s.created)}; last ${JSON.stringify(s.last?.remaining ?? s.last?.status)}`,
      );
    if (s.cause === "asked" && s.scope === "account")
      for (const e of log)
        if (
          e.kind === "recv" &&
          e.inc &&
          e.nonce > s.created + 30 &&
          e.t > s.created + 30 &&
          e.nonce < (s.resumed ?? Infinity)
        )
          add(
            true,
            "signed-after-stop",
            `increasing ${e.type} signed ${iso(e.nonce)} after stop of ${iso(s.created)}: ${JSON.stringify(e.action).slice(0, 200)}`,
            e.t,
          );
  }
  for (const e of A.told)
    if (
      e.status === 200 &&
      e.body?.object === "stop" &&
      e.body.scope === "account" &&
      e.body.flatten?.status === "flat" &&
      !flatSeen.has(e.body.id)
    ) {
      flatSeen.add(e.body.id);
      const T = Date.parse(e.body.flatten.ended_at);
      const p = [...ex.posAt(a, T)].filter(([, x]) => x.szi);
      if (p.length)
        add(true, "flat-told", `stop ${e.body.id} told flat at ${iso(T)} while held ${JSON.stringify(p)}`, T);
      else A.notes.push("flat told and true");
    }
  // 2 protection removed by the gateway
  const sl = new Map();
  const pos = {};
  const cov = (coin, side) => {
    let c = 0;
    for (const x of sl.values()) if (x.coin === coin && x.side === side) c += x.sz;
    return c;
  };
  const evsByT = log;
  A.unprot = [];
  const unp = {};
  const look = (coin, t) => {
    const p = pos[coin] ?? 0;
    const c = cov(coin, p > 0 ? "A" : "B");
    const need = Math.abs(p);
    if (need > c && (A.protectedCoins ?? []).includes(coin)) {
      if (!unp[coin]) unp[coin] = { t, need, c };
    } else if (unp[coin]) {
      A.unprot.push({ coin, from: unp[coin].t, to: t, ms: t - unp[coin].t, need: unp[coin].need, c: unp[coin].c });
      delete unp[coin];
    }
  };
  for (const e of evsByT) {
    if (e.kind === "fill") {
      pos[e.coin] = e.after;
      if (sl.has(e.oid)) {
        const x = sl.get(e.oid);
        x.sz -= e.lots;
      }
      look(e.coin, e.t);
      if (e.src === "gw" && e.before !== 0 && Math.sign(e.after) === -Math.sign(e.before) && !A.mayFlip)
        add(
          true,
          "reversed",
          `position ${e.coin} turned round by gateway's order ${e.oid}: ${e.before}->${e.after}`,
          e.t,
        );
    }
    if (e.kind === "status") {
      if (e.status === "open" && e.trig === "sl" && e.r) {
        const r = ex.at(a, e.oid, e.t);
        if (r?.live !== "child") sl.set(e.oid, { coin: e.coin, side: e.side, sz: e.sz });
        look(e.coin, e.t);
      } else if (sl.has(e.oid) && !["open", "triggered"].includes(e.status)) {
        const x = sl.get(e.oid);
        const p = pos[e.coin] ?? 0;
        const rel = p > 0 ? "A" : "B";
        const b = Math.min(Math.abs(p), cov(e.coin, rel));
        sl.delete(e.oid);
        const n = Math.min(Math.abs(p), cov(e.coin, rel));
        look(e.coin, e.t);
        if (
          p !== 0 &&
          n < b &&
          ["gw", "parent", "modify"].includes(e.why) &&
          !A.askedOids.has(e.oid) &&
          !A.askedOids.has(e.cloid) &&
          !A.noProtectRule
        )
          add(
            true,
            "protection-removed",
            `gateway canceled reduce-only stop ${e.oid} (${e.side} ${x.sz} ${e.coin}, why ${e.why}) while ${p} held; covered ${b}->${n}`,
            e.t,
          );
      } else if (e.why === "gw" && !e.trig) {
        const r = rec(e.oid);
        const kids = r?.children ?? [];
        if (kids.length && (r.got ?? 0) > 0 && !A.askedOids.has(e.oid)) {
          const rel = r.side === "B" ? "A" : "B";
          const c = cov(e.coin, rel);
          const need = Math.min(r.got, Math.abs(pos[e.coin] ?? 0));
          if (c < need)
            add(
              true,
              "parent-canceled",
              `gateway canceled partly filled parent ${e.oid} (${r.got} filled of ${r.origSz}), children died, standing stop ${c} of ${need}`,
              e.t,
            );
        }
      }
    }
    if (e.kind === "childlive") {
      const r = ex.at(a, e.oid, e.t);
      sl.set(e.oid, { coin: r.coin, side: r.side, sz: r.sz });
    }
  }
  const T1 = Date.now();
  for (const coin of Object.keys(unp))
    A.unprot.push({
      coin,
      from: unp[coin].t,
      to: T1,
      ms: T1 - unp[coin].t,
      need: unp[coin].need,
      c: unp[coin].c,
      open: true,
    });
  // unsettled protection burnt under a stop that keeps it; orders of others withdrawn by a bot's stop
  const sent = new Map();
  for (const e of log)
    if (e.kind === "recv" && e.type === "order" && e.action.orders.every((o) => o.r && o.t.trigger))
      sent.set(e.nonce, e);
  for (const e of log)
    if (e.kind === "exec" && e.type === "noop" && sent.has(e.nonce))
      for (const s of stops.values())
        if (s.keep && e.t > s.created && e.t < (s.told ?? Infinity) && sent.get(e.nonce).t < s.created && !A.trades) {
          add(
            false,
            "protection-burnt",
            `under stop ${s.id} (${s.cause}) the number of an unsettled reduce-only trigger was burnt before it was executed: nonce ${iso(e.nonce)} ${JSON.stringify(sent.get(e.nonce).action.orders[0]).slice(0, 160)}`,
            e.t,
          );
          break;
        }
  if (A.onlyBots)
    for (const e of log)
      if (
        e.kind === "status" &&
        e.why === "gw" &&
        !e.trig &&
        ownerOf(e.oid) &&
        !A.onlyBots.includes(ownerOf(e.oid)) &&
        !A.askedOids.has(e.cloid)
      )
        add(
          true,
          "foreign-canceled",
          `order ${e.oid} of ${ownerOf(e.oid)} was canceled by the stop of ${A.onlyBots}`,
          e.t,
        );
  // final orders
  if (A.finalOrders)
    for (const o of A.finalOrders) {
      const c = `0x${o.id.replaceAll("-", "")}`;
      const base =
        (a.cloids.get(c) ?? [])[0] ??
        (/^00000/.test(o.id) && o.exchange_order_id ? Number(o.exchange_order_id) : undefined);
      const chain = [];
      if (base) {
        chain.push(base);
        for (let i = 0; i < chain.length; i++)
          for (const [oid, h] of a.orders) if (h[0].r.replaces === chain[i]) chain.push(oid);
      }
      const m = ex.byCoin.get(o.market);
      let got = 0;
      for (const f of a.fills) if (chain.includes(f.oid)) got += Math.round(Number(f.sz) * m.f);
      const toldGot = o.filled_size === null ? 0 : Math.round(Number(o.filled_size) * m.f);
      const lastR = chain.length ? rec(chain[chain.length - 1]) : null;
      const live = chain.some((x) => rec(x)?.live);
      const final = ["filled", "canceled", "rejected"].includes(o.status);
      if (final && live)
        add(
          true,
          "order-told",
          `order ${o.id} told ${o.status} while ${chain} lives at the exchange (${rec(chain.find((x) => rec(x).live)).live})`,
        );
      if (!final && !live && chain.length && A.settled)
        add(false, "order-stale", `order ${o.id} told ${o.status} while over at the exchange (${lastR.status})`);
      if (!chain.length && ["open", "filled", "waiting_for_trigger"].includes(o.status))
        add(true, "order-told", `order ${o.id} told ${o.status}, the exchange never had it`);
      if (o.status === "unknown")
        add(
          false,
          "unknown-left",
          `order ${o.id} still unknown at the end (${chain.length ? lastR.status : "never there"})`,
        );
      if (final && toldGot !== got)
        add(true, "filled-told", `order ${o.id} (${o.status}) told filled ${o.filled_size}, true ${got / m.f}`);
      else if (!final && A.settled && o.status !== "unknown" && toldGot !== got)
        add(false, "filled-stale", `order ${o.id} (${o.status}) told filled ${o.filled_size}, true ${got / m.f}`);
      if (o.status === "rejected" && got > 0) add(true, "order-told", `order ${o.id} told rejected, filled ${got}`);
    }
  // events about orders: closed then another final
  // order final told earlier in contradiction
  const fin = new Map();
  for (const x of A.evs) {
    const d = x.e.data;
    if (d?.object !== "order") continue;
    const p = fin.get(d.id);
    if (p && p !== d.status && !(p === "rejected"))
      add(true, "terminal-changed", `order ${d.id} told ${p} then ${d.status} in events`, x.t);
    if (["filled", "canceled"].includes(d.status)) fin.set(d.id, d.status);
  }
  if (A.extra) A.extra(add, { pos, cov, sl });
  return F;
}
