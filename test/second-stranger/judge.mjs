// Compares everything that was told, with its time, with the one true log.
import { at, r8 } from "./core.mjs";

const EPS = 1e-8,
  TERMINAL = ["filled", "canceled", "rejected"];
const T = (t, t0) => ((t - t0) / 1000).toFixed(3);

export class Judge {
  constructor({ core, client, t0, calmAt, endAt, skew = 0 }) {
    Object.assign(this, { core, client, t0, calmAt, endAt, skew });
    this.hard = [];
    this.soft = [];
    this.stats = {};
    this.chains = new Map();
  }
  add(list, code, text, data = {}) {
    list.push({ code, text, ...data });
  }
  bad(code, text, d) {
    this.add(this.hard, code, text, d);
  }
  known(code, text, d) {
    this.add(this.soft, `KNOWN-F1-${code}`, text, d);
  }
  odd(code, text, d) {
    this.add(this.soft, code, text, d);
  }
  /** The exchange orders that one order of the gateway is, oldest first. */
  chain(id, oid) {
    const k = id;
    if (this.chains.has(k)) return this.chains.get(k);
    const cloid = `0x${id.replaceAll("-", "")}`;
    let first = (this.core.byCloid.get(cloid) ?? [])[0];
    if (!first && oid) {
      const o = this.core.orders.get(Number(oid));
      if (o && !o.cloid) first = o;
      else if (o && o.origin.kind === "foreign") first = o;
    }
    const legs = [];
    let cur = first;
    while (cur) {
      legs.push(cur);
      cur = [...this.core.orders.values()].find(
        (o) =>
          o.origin.kind === "modify" &&
          o.origin.old === cur.oid &&
          (o.origin.canceledOld || this.adopted?.has(o.oid)) &&
          !legs.includes(o),
      );
    }
    this.chains.set(k, legs);
    return legs;
  }
  truth(legs, t) {
    const known = legs.filter((o) => o.hist.length && o.hist[0].t <= t);
    const live = known.some((o) => at.live(o, t));
    const filled = r8(known.reduce((s, o) => s + at.filled(o, t), 0));
    const last = known[known.length - 1];
    return { known: known.length, live, filled, st: last ? at.row(last, t).st : null };
  }
  ntl(legs) {
    return legs.reduce((s, o) => s + o.fills.reduce((x, f) => x + f.px * f.sz, 0), 0);
  }
  rested(o) {
    return o.hist.some((h) => ["open", "filled", "triggered"].includes(h.st)) || o.fills.length > 0;
  }
  run() {
    // A replacement that went live beside a target that others had ended, and is told as the target; followed as told.
    this.adopted = new Set();
    for (const x of this.client.tells)
      if (x.kind === "order" && x.o.exchange_order_id) {
        const o = this.core.orders.get(Number(x.o.exchange_order_id));
        if (o?.origin.kind === "modify" && !o.origin.canceledOld && o.cloid !== `0x${x.o.id.replaceAll("-", "")}`) {
          this.adopted.add(o.oid);
          this.bad("adopted", `${T(x.b, this.t0)} ${x.o.id} oid ${o.oid}`);
        }
      }
    this.orders();
    this.keys();
    this.positions();
    this.fills();
    this.operations();
    this.cancelAlls();
    this.stops();
    this.trades();
    this.lists();
    return this;
  }

  orders() {
    const seen = new Map();
    for (const x of this.client.tells.filter((y) => y.kind === "order").sort((p, q) => p.b - q.b)) {
      const o = x.o,
        legs = this.chain(o.id, o.exchange_order_id);
      const now = this.truth(legs, x.b + 2),
        ev = x.via.startsWith("EVENT");
      const when = `${T(x.a, this.t0)}..${T(x.b, this.t0)} ${x.via}`;
      const F = o.filled_size === null ? null : +o.filled_size;
      const d = { id: o.id, n: x.n };
      const replay = x.replayed; // a stored answer speaks of when it was made
      if (o.exchange_order_id !== null && !legs.some((l) => String(l.oid) === o.exchange_order_id)) {
        const or = this.core.orders.get(Number(o.exchange_order_id));
        const beside =
          or?.origin.kind === "modify" && !or.origin.canceledOld && legs.some((l) => l.oid === or.origin.old);
        if (beside) {
          this.bad("foreign-oid-beside", when, d);
        } else
          this.bad(
            "foreign-oid",
            `${when}: order ${o.id} told with oid ${o.exchange_order_id}, which is ${or ? `another order ${JSON.stringify(or.origin)} of cloid ${or.cloid}` : "none"}`,
            d,
          );
      }
      if (F !== null && F > now.filled + EPS)
        this.bad("filled-ahead", `${when}: order ${o.id} told filled_size ${F}, truth ${now.filled}`, d);
      if (o.status === "rejected") {
        const l = legs.find(
          (y) => y.fills.length || (this.rested(y) && !/Rejected$/.test(y.hist[y.hist.length - 1].st)),
        );
        if (l)
          this.bad(
            "rejected-but-ran",
            `${when}: told rejected (${o.error}); truth oid ${l.oid} ${l.hist.map((h) => `${h.st}@${T(h.t, this.t0)}`)} filled ${l.filled}`,
            d,
          );
      }
      if (o.status === "filled") {
        if (now.live) this.bad("filled-but-live", `${when}: told filled, truth live ${now.filled}/${o.size}`, d);
        else if (F !== null && Math.abs(F - now.filled) > EPS)
          this.odd("filled-size-short", `${when}: told filled ${F}, truth ${now.filled}`, d);
        if (F !== null && Math.abs(F - +o.size) > EPS)
          this.odd("filled-not-size", `${when}: told filled with filled_size ${F} of size ${o.size}`, d);
        if (!now.known) this.bad("filled-from-nothing", `${when}: told filled, exchange has no order`, d);
      }
      if (o.status === "canceled") {
        if (now.live)
          this.bad(
            "canceled-but-live",
            `${when}: told canceled (${o.error}), truth live ${JSON.stringify(legs.map((l) => [l.oid, at.row(l, x.b)?.st]))}`,
            d,
          );
        const later = legs.find((l) => l.t0 > x.b + 2 && this.rested(l));
        if (later)
          this.bad("canceled-but-came", `${when}: told canceled, oid ${later.oid} came at ${T(later.t0, this.t0)}`, d);
        if (F !== null && F < now.filled - EPS)
          this.odd("canceled-size-short", `${when}: told canceled with ${F}, truth ${now.filled}`, d);
        if (!legs.length && o.exchange_order_id === null)
          this.odd("canceled-from-nothing", `${when}: told canceled, the exchange never had it (${o.error})`, d);
      }
      if (["open", "waiting_for_trigger"].includes(o.status) && !replay) {
        if (!legs.some((l) => this.rested(l) && l.hist[0].t <= x.b + 2))
          this.bad("open-from-nothing", `${when}: told ${o.status}, truth ${JSON.stringify(now)}`, d);
        else if (!now.live && !ev) {
          const ended = Math.max(...legs.filter((l) => l.hist[0].t <= x.b).map((l) => l.hist[l.hist.length - 1].t));
          const age = x.a - ended;
          if (age > 0) {
            this.stats.maxOpenAge = Math.max(this.stats.maxOpenAge ?? 0, age);
            if (x.a > this.calmAt + 12000 && age > 12000)
              this.bad(
                "open-long-after",
                `${when}: told ${o.status}, ended ${age} ms before it was asked (calm since ${T(this.calmAt, this.t0)})`,
                d,
              );
            else if (age > 20000) this.odd("open-long-after", `${when}: told ${o.status}, ended ${age} ms before`, d);
          }
        }
      }
      const prev = seen.get(o.id);
      if (prev && prev.b < x.a && !replay && !ev) {
        const p = prev.o;
        const pending = o.status === "unknown" && /\/modify$/.test(x.via);
        if (TERMINAL.includes(p.status) && o.status !== p.status && !pending)
          this.bad(
            "terminal-changed",
            `${when}: order ${o.id} ${p.status} (${prev.via} ${T(prev.b, this.t0)}) became ${o.status}`,
            d,
          );
        if (p.filled_size !== null && F !== null && F < +p.filled_size - EPS)
          this.bad("filled-shrank", `${when}: order ${o.id} filled ${p.filled_size} -> ${F}`, d);
        if (p.exchange_order_id !== null && o.exchange_order_id === null)
          (o.status === "processing" && !prev.via.includes("status=open") ? this.bad : this.odd).call(
            this,
            "oid-lost",
            `${when}: (before: ${prev.via} ${T(prev.a, this.t0)}..${T(prev.b, this.t0)}) oid ${p.exchange_order_id} -> null, ${p.status} -> ${o.status}`,
            d,
          );
      }
      if (!replay && (!prev || !ev) && !(o.status === "unknown" && /\/modify$/.test(x.via))) seen.set(o.id, x);
    }
    // the end: every order as it was told last by a read of it must be the whole truth
    for (const x of this.client.finals ?? []) {
      const o = x.o,
        legs = this.chain(o.id, o.exchange_order_id),
        when = x.asOf ? Math.min(x.b + 2, Date.parse(x.asOf) - (this.skew ?? 0)) : x.b + 2;
      if (x.asOf && x.a - Date.parse(x.asOf) > 12000) this.odd("final-old", `${o.id} as of ${x.asOf}`, { id: o.id });
      const n = this.truth(legs, when),
        whole = this.truth(legs, x.b + 2);
      if (x.asOf && JSON.stringify(n) !== JSON.stringify(whole)) continue;
      const d = { id: o.id };
      const F = o.filled_size === null ? 0 : +o.filled_size;
      const head = `final ${o.id} ${o.market} ${o.side} ${o.size} told ${o.status} ${o.filled_size} @${o.average_price} err=${o.error};`;
      if (["unknown", "processing"].includes(o.status)) {
        const word = /whatNot|AtDawn/.test(n.st ?? "");
        (word ? (c, t, y) => this.add(this.soft, `KNOWN-F3-${c}`, t, y) : (c, t, y) => this.bad(c, t, y))(
          "unknown-forever",
          `${head} truth ${JSON.stringify(n)} ${legs.map((l) => l.oid)}`,
          d,
        );
        continue;
      }
      const soon = this.truth(legs, x.a - 1500).live !== n.live;
      if (n.live !== ["open", "waiting_for_trigger"].includes(o.status) && !soon)
        this.bad("final-liveness", `${head} truth ${JSON.stringify(n)}`, d);
      if (Math.abs(F - n.filled) > EPS)
        this.bad(
          "final-filled",
          `${head} truth filled ${n.filled} legs ${JSON.stringify(legs.map((l) => [l.oid, l.filled, l.hist[l.hist.length - 1].st]))}`,
          d,
        );
      else if (F > 0) {
        const avg = this.ntl(legs) / n.filled;
        if (Math.abs(avg - +o.average_price) > 1e-6 + avg * 1e-8)
          this.bad("final-average", `${head} truth average ${avg}`, d);
      }
      if (o.status === "canceled" && n.known && ["filled"].includes(n.st) && Math.abs(n.filled - +o.size) < EPS)
        this.bad("final-status", `${head} truth filled whole`, d);
      if (o.status === "filled" && Math.abs(n.filled - +o.size) > EPS)
        this.odd("final-filled-short", `${head} truth ${n.filled}`, d);
      if (n.filled > +o.size + EPS) this.odd("oversize", `${head} filled ${n.filled}`, d);
    }
    for (const x of this.client.tells.filter((y) => y.kind === "removed")) {
      const l = this.chain(x.o.id)[0];
      if (l && l.t0 < x.b)
        this.bad("removed-but-ran", `${T(x.b, this.t0)}: order.removed of ${x.o.id}, truth oid ${l.oid}`, {
          id: x.o.id,
        });
    }
  }

  keys() {
    for (const [cloid, l] of this.core.byCloid) {
      if (l.filter((o) => this.rested(o)).length > 1)
        this.bad("DOUBLE", `cloid ${cloid} ran ${l.length} times: ${l.map((o) => `${o.oid}@${T(o.t0, this.t0)}`)}`, {
          id: cloid,
        });
    }
    const print = (coin, side, sz) => `${coin}|${side}|${r8(+sz)}`;
    const by = new Map();
    for (const o of this.core.orders.values())
      if (o.origin.kind === "order" && !o.trigger && !o.ro) {
        const k = print(o.coin, o.side, o.sz);
        if (!by.has(k)) by.set(k, []);
        by.get(k).push(o);
      }
    for (const w of this.client.writes) {
      const rs = w.reqs;
      const known = rs.filter((r) => !r.lost && (r.status === 200 || r.status === 201));
      const d = { id: w.key };
      for (let i = 1; i < known.length; i++) {
        const f = known[0];
        if (
          known[i].text !== f.text &&
          known[i].a > f.b &&
          !w.path.includes("cancel-all") &&
          !w.path.startsWith("/v1/trades")
        ) {
          this.bad(
            "replay-differs",
            `key ${w.key} ${w.path}: ${f.text.slice(0, 500)} THEN ${known[i].text.slice(0, 500)}`,
            d,
          );
          break;
        }
      }
      const reused = rs.find((r) => r.status === 409 && r.text?.includes("idempotency_key_reused"));
      if (reused) this.bad("key-reused", `key ${w.key}: ${reused.text}`, d);
      const wanted =
        w.path === "/v1/orders" || w.path === "/v1/orders/market"
          ? [w.body]
          : w.path === "/v1/orders/batch"
            ? w.body.orders.map((o) => o)
            : w.path === "/v1/trades"
              ? [w.body]
              : [];
      for (const o of wanted) {
        if (o.reduce_only || o.trigger) continue;
        const hits = by.get(print(o.market, o.side === "buy" ? "B" : "A", o.size)) ?? [];
        const ran = hits.filter((h) => this.rested(h));
        if (ran.length > 1)
          this.bad(
            "DOUBLE",
            `key ${w.key} ${w.path} ran ${ran.length} times: ${ran.map((h) => `${h.oid}/${h.cloid}@${T(h.t0, this.t0)}`)}`,
            d,
          );
        const said = rs.length && rs.every((r) => !r.lost && r.status >= 400);
        if (said && hits.length)
          this.bad(
            "nothing-sent-but-was",
            `key ${w.key}: answers ${rs.map((r) => `${r.status} ${r.json?.error?.code}`)}; exchange has oid ${hits[0].oid}`,
            d,
          );
      }
      for (const r of rs)
        if (!r.lost && ![200, 201, 202, 400, 401, 403, 404, 409, 429, 503].includes(r.status))
          this.bad("odd-http", `key ${w.key}: ${r.status} ${r.text?.slice(0, 200)}`, d);
      for (const r of rs)
        if (!r.lost && r.status === 400)
          this.odd("http-400", `${w.path} ${JSON.stringify(w.body)}: ${r.text?.slice(0, 300)}`, d);
      for (const r of rs)
        if (
          !r.lost &&
          r.json?.object === "order" &&
          (r.status === 202) !== (r.json.status === "unknown") &&
          !r.replayed
        )
          this.odd("202-and-status", `key ${w.key}: ${r.status} ${r.json.status}`, d);
      // what a settled stored answer says must not contradict the truth that was already there
      const f = known[0];
      if (f?.json?.object === "order" && f.json.status === "rejected") {
        const l = this.chain(f.json.id, f.json.exchange_order_id).find(
          (y) => y.fills.length || (this.rested(y) && !/Rejected$/.test(y.hist[y.hist.length - 1].st)),
        );
        if (l) this.bad("stored-rejected-but-ran", `key ${w.key}: ${f.text.slice(0, 400)} truth ${l.oid}`, d);
      }
    }
    const mods = new Map();
    for (const a of this.core.acts)
      if (a.fresh && a.action.type === "batchModify")
        for (const m of a.action.modifies) {
          const c = m.order.c;
          mods.set(c, (mods.get(c) ?? 0) + 1);
        }
  }

  positions() {
    const _told = new Map();
    for (const r of this.client.reqs) {
      if (r.path !== "/v1/positions" || r.status !== 200 || r.lost) continue;
      const from = Math.min(r.a, r.asOf ? Date.parse(r.asOf) : r.a - 1000) - 1500 - (r.asOf ? 500 : 0);
      for (const [coin, list] of this.core.pos) {
        const p = r.json.data.find((x) => x.market === coin);
        const v = p ? (p.side === "long" ? 1 : -1) * +p.size : 0;
        const set = new Set();
        const first = at.list(list, from);
        set.add(r8(first.szi));
        for (const x of list) if (x.t > from && x.t <= r.b + 5) set.add(r8(x.szi));
        if (!set.has(r8(v))) {
          const ever = list.filter((x) => x.t <= r.b + 5).find((x) => Math.abs(x.szi - v) < EPS);
          this.bad(
            ever ? "position-stale" : "position-never",
            `${T(r.a, this.t0)}..${T(r.b, this.t0)} ${coin} told ${v} as of ${r.asOf ? T(Date.parse(r.asOf), this.t0) : "now"}, truth in the window ${[...set]}${ever ? ` (true at ${T(ever.t, this.t0)})` : ""}`,
            { n: r.n },
          );
        }
      }
    }
    for (const e of this.client.events)
      if (e.type === "position.updated") {
        const p = e.d.data;
        const v = +p.size === 0 ? 0 : (p.side === "long" ? 1 : -1) * +p.size;
        const l = this.core.pos.get(p.market);
        if (!l.some((x) => x.t <= e.t + 5 && Math.abs(x.szi - v) < EPS))
          this.bad(
            "position-event-never",
            `${T(e.t, this.t0)} event ${p.market} ${v}; truth up to then ${l
              .filter((x) => x.t <= e.t)
              .map((x) => x.szi)
              .slice(-6)}`,
            {},
          );
      }
  }

  fills() {
    const byTid = new Map(this.core.fills.map((f) => [f.tid, f]));
    const check = (x) => {
      const f = byTid.get(Number(x.o.id.split("-").pop()));
      const o = x.o;
      if (!f || f.t > x.b + 5)
        return this.bad("fill-invented", `${T(x.b, this.t0)} ${JSON.stringify(o).slice(0, 300)}`, {});
      if (
        Math.abs(f.px - +o.price) > 1e-9 ||
        Math.abs(f.sz - +o.size) > EPS ||
        (f.side === "B" ? "buy" : "sell") !== o.side ||
        String(f.oid) !== o.exchange_order_id
      )
        this.bad("fill-wrong", `${JSON.stringify(o)} truth ${JSON.stringify(f)}`, {});
      if (o.order_id) {
        const legs = this.chain(o.order_id, null);
        const t = this.core.orders.get(f.oid)?.origin;
        if (!legs.some((l) => l.oid === f.oid))
          (!x.final && t?.kind === "modify" && legs.some((l) => l.oid === t.old) ? this.known : this.bad).call(
            this,
            "fill-of-another",
            `fill ${o.id} oid ${f.oid} told of order ${o.order_id} with legs ${legs.map((l) => l.oid)}`,
            {},
          );
      }
    };
    for (const x of this.client.tells) if (x.kind === "fill") check(x);
    for (const o of this.client.finalFills ?? []) check({ o, b: this.endAt, final: true });
    if (this.client.finalFills) {
      const got = new Map();
      for (const f of this.client.finalFills) {
        const t = Number(f.id.split("-").pop());
        if (got.has(t)) this.bad("fill-twice", f.id, {});
        got.set(t, f);
      }
      for (const f of this.core.fills) {
        const g = got.get(f.tid);
        if (!g)
          (this.core.orders.get(f.oid).origin.kind === "foreign" || f.twapId ? this.odd : this.bad).call(
            this,
            "fill-missing",
            `${f.coin} ${f.sz}@${f.px} oid ${f.oid} at ${T(f.t, this.t0)}`,
            {},
          );
        else if (!g.order_id && ["order", "modify"].includes(this.core.orders.get(f.oid).origin.kind))
          this.bad("fill-orphan", `fill ${g.id} of our oid ${f.oid} told with order_id null`, {});
      }
    }
  }

  operations() {
    const acts = this.core.acts;
    const okRes = (a) => a.fresh && a.result?.status === "ok";
    for (const w of this.client.writes) {
      const answers = w.reqs.filter((r) => r.json?.object === "operation").map((r) => r.json);
      const lastTold = this.client.finalOps?.get(answers[0]?.id) ?? answers[answers.length - 1];
      const all = [...answers, ...(lastTold ? [lastTold] : [])];
      const d = { id: w.key };
      const m = this.core.m.get(w.body?.market);
      let did = [];
      if (w.path === "/v1/leverage")
        did = acts.filter(
          (a) =>
            okRes(a) &&
            a.action.type === "updateLeverage" &&
            a.action.asset === m.asset &&
            a.action.leverage === w.body.leverage,
        );
      else if (w.path === "/v1/margin")
        did = acts.filter(
          (a) =>
            okRes(a) &&
            a.action.type === "updateIsolatedMargin" &&
            a.action.asset === m.asset &&
            a.action.ntli === Math.round(+w.body.amount * 1e6),
        );
      else if (w.path === "/v1/twaps")
        did = this.core.twaps.filter((t) => t.coin === w.body.market && Math.abs(t.sz - +w.body.size) < EPS);
      else if (w.path === "/v1/twaps/cancel")
        did = this.core.twaps.filter((t) => t.id === w.body.twap_id && t.hist.some((h) => h.st === "terminated"));
      else continue;
      if (did.length > 1) this.bad("DOUBLE-op", `key ${w.key} ${w.path} ran ${did.length} times`, d);
      for (const o of all) {
        if (o.status === "succeeded" && !did.length)
          this.bad("op-succeeded-never", `${w.key} ${w.path} ${JSON.stringify(w.body)} ${JSON.stringify(o)}`, d);
        if (o.status === "rejected" && did.length && w.path !== "/v1/twaps/cancel")
          this.bad("op-rejected-but-ran", `${w.key} ${w.path} ${JSON.stringify(w.body)} ${JSON.stringify(o)}`, d);
        if (o.status === "succeeded" && w.path === "/v1/twaps" && Number(o.exchange_id) !== did[0]?.id)
          this.bad("op-wrong-twap", `${JSON.stringify(o)} truth ${did[0]?.id}`, d);
      }
      if (
        w.reqs.length &&
        w.reqs.every((r) => !r.lost && r.status >= 400) &&
        did.length &&
        w.path !== "/v1/twaps/cancel"
      )
        this.bad(
          "op-nothing-sent-but-was",
          `${w.key} ${w.path} ${w.reqs.map((r) => r.status + r.text?.slice(0, 100))}`,
          d,
        );
      const f = this.client.finalOps?.get(answers[0]?.id);
      if (f && ["unknown", "processing"].includes(f.status))
        (w.path === "/v1/margin" || w.path === "/v1/leverage" ? this.odd : this.bad).call(
          this,
          "op-unknown-forever",
          `${w.key} ${w.path} ${JSON.stringify(w.body)} ${JSON.stringify(f)} did=${did.length}`,
          d,
        );
    }
  }

  cancelAlls() {
    const done = new Map();
    for (const x of this.client.tells)
      if (x.kind === "cancel_all" && x.o.status === "done" && !done.has(x.o.id)) done.set(x.o.id, x);
    for (const x of done.values()) {
      const c = x.o,
        made = Date.parse(c.created_at);
      const doneAt = Date.parse(c.done_at);
      for (const r of c.results) {
        const legs = this.chain(r.order_id, null);
        if (r.status === "canceled" || r.status === "rejected" || r.status === "filled") {
          if (this.truth(legs, x.b + 2).live)
            this.bad(
              "cancel-all-live",
              `${T(x.b, this.t0)} cancel-all ${c.id} done, order ${r.order_id} told ${r.status} lives`,
              {},
            );
          const l = legs.find((y) => y.t0 > x.b + 2 && this.rested(y));
          if (l) this.bad("cancel-all-came", `order ${r.order_id} came later`, {});
        }
        if (+r.filled_size > this.truth(legs, x.b + 2).filled + EPS)
          this.bad("cancel-all-ahead", JSON.stringify(r), {});
      }
      for (const o of this.core.orders.values())
        if (
          ["order"].includes(o.origin.kind) &&
          o.t0 < made - 1500 &&
          !o.ro &&
          !(c.keep_protection && o.coin.includes("/") && o.side === "A") &&
          (!c.market || c.market === o.coin) &&
          (!c.side || (c.side === "buy") === (o.side === "B"))
        ) {
          const legs = [...(this.client.ids.map((i) => this.chain(i, null)).find((l) => l.includes(o)) ?? [o])];
          if (legs.some((l) => l.t0 < made && at.live(l, doneAt)))
            this.bad(
              "cancel-all-missed",
              `cancel-all ${c.id} ${c.market} ${c.side} done at ${T(doneAt, this.t0)}, oid ${legs.map((l) => `${l.oid} ${at.row(l, doneAt)?.st}`)} of before lives`,
              {},
            );
        }
    }
    for (const id of this.client.cancelAlls)
      if (this.client.finalAlls?.get(id) === "canceling") this.bad("cancel-all-forever", id, {});
  }

  stops() {
    const first = this.client.tells
      .filter((x) => x.kind === "stop" && x.o.status === "stopped" && x.o.scope === "account")
      .sort((p, q) => p.b - q.b)[0];
    if (!first) return;
    this.stats.stopped = 1;
    for (const o of this.core.orders.values())
      if (
        ["order", "modify"].includes(o.origin.kind) &&
        !o.ro &&
        !(o.coin.includes("/") && o.side === "A") &&
        this.rested(o)
      ) {
        if (o.t0 > first.b + 2)
          this.bad(
            "placed-after-stopped",
            `stopped told at ${T(first.b, this.t0)}, oid ${o.oid} ${o.coin} ${o.side} ${o.sz} came at ${T(o.t0, this.t0)}`,
            {},
          );
        else if (at.live(o, first.b + 2))
          this.bad(
            "lives-after-stopped",
            `stopped told at ${T(first.b, this.t0)}, oid ${o.oid} ${o.coin} ${o.side} lives`,
            {},
          );
      }
  }

  trades() {
    for (const x of this.client.tells)
      if (x.kind === "trade") {
        const t = x.o;
        if (t.entry.order) {
          const n = this.truth(this.chain(t.entry.order, null), x.b + 2);
          if (+t.filled_size > n.filled + EPS)
            this.bad("trade-ahead", `${T(x.b, this.t0)} ${t.id} filled ${t.filled_size} truth ${n.filled}`, {});
        } else if (+t.filled_size > 0) this.bad("trade-from-nothing", JSON.stringify(t), {});
      }
    for (const t of this.client.finalTrades ?? []) {
      if (t.entry.order) {
        const n = this.truth(this.chain(t.entry.order, null), this.endAt);
        if (Math.abs(+t.filled_size - n.filled) > EPS)
          this.bad("trade-final-filled", `${t.id} ${t.status} told ${t.filled_size} truth ${n.filled}`, {});
        if (n.live && !["entering", "arming"].includes(t.status))
          this.bad("trade-entry-live", `${t.id} ${t.status}, entry lives`, {});
      }
      if (["open", "entering"].includes(t.status) && t.protected && +t.held_size > 0) {
        const stops = [...this.core.orders.values()].filter(
          (o) =>
            o.coin === t.market &&
            o.live &&
            o.ro &&
            o.trigger0 &&
            o.trigger.tpsl === "sl" &&
            (o.side === "A") === (t.side === "buy"),
        );
        const sum = stops.reduce((s, o) => s + o.rem, 0);
        if (sum < +t.held_size - EPS)
          this.bad(
            "trade-not-protected",
            `${t.id} ${t.status} held ${t.held_size} told protected, live stops ${sum}`,
            {},
          );
      }
      if (["open", "entering"].includes(t.status) && !t.protected)
        this.odd("trade-unprotected", `${t.id} ${t.status} held ${t.held_size}: ${t.unprotected_because}`, {});
    }
  }

  lists() {
    for (const r of this.client.reqs) {
      if (!r.path.startsWith("/v1/orders?status=open") || r.status !== 200 || r.lost) continue;
      const ids = new Set(r.json.data.map((o) => o.exchange_order_id));
      const told = this.client.tells.filter(
        (x) => x.kind === "order" && x.b < r.a && !x.via.startsWith("EVENT") && !x.replayed,
      );
      const last = new Map();
      for (const x of told) last.set(x.o.id, x);
      for (const x of last.values()) {
        if (!["open", "waiting_for_trigger"].includes(x.o.status)) continue;
        const legs = this.chain(x.o.id, x.o.exchange_order_id);
        const lived = legs.some((l) => at.live(l, r.a - 300) && at.live(l, r.b + 2));
        const whole = legs.every(
          (l) => l.hist[l.hist.length - 1].t <= x.b || l.live || l.hist[l.hist.length - 1].t > r.b,
        );
        const busy = this.client.reqs.some(
          (q) =>
            q.method === "POST" &&
            q.a < r.b &&
            (q.b === null || q.b > x.b - 20000) &&
            (q.path.includes(x.o.id) || /trades|cancel-all|stop|close/.test(q.path)),
        );
        if (lived && whole && !legs.some((l) => ids.has(String(l.oid))))
          (busy ? this.odd : this.bad).call(
            this,
            "open-list-lacks",
            `${T(r.a, this.t0)}..${T(r.b, this.t0)} order ${x.o.id} told ${x.o.status} at ${T(x.b, this.t0)}, lives, not in the list (asOf ${r.asOf})`,
            { id: x.o.id, n: r.n },
          );
      }
    }
    if (this.client.finalOpen) {
      const told = new Set(this.client.finalOpen.map((o) => o.exchange_order_id));
      for (const o of this.core.orders.values())
        if (at.live(o, this.client.finalOpenA - 1500) && at.live(o, this.client.finalOpenB) && !told.has(String(o.oid)))
          this.bad("final-open-lacks", `oid ${o.oid} ${o.coin} ${o.origin.kind}`, {});
      for (const o of this.client.finalOpen) {
        const t = this.core.orders.get(Number(o.exchange_order_id));
        if (!t || !(at.live(t, this.client.finalOpenA - 1500) || at.live(t, this.client.finalOpenB)))
          this.bad("final-open-dead", `${o.id} oid ${o.exchange_order_id} ${t?.hist.map((h) => h.st)}`, {});
      }
    }
  }
}
