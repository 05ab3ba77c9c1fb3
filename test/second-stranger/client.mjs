// Bots as they are written: they place, lose answers, repeat keys, ask, and write down everything that they are told.
import { r8 } from "./core.mjs";

const FOCUS = {
  hot: { place: 2, modify: 12, cancel: 3, market: 0.5, close: 0.5, batch: 0.3 },
  trades: { place: 2, trade: 6, tradeCancel: 2, tradeModify: 3, close: 1.5 },
  sweep: { place: 10, all: 5, close: 5, cancel: 4, batch: 3 },
  batch: { place: 1, batch: 8 },
};

export class Client {
  constructor({ base, key, account, rng, core, profile }) {
    Object.assign(this, { base, key, account, rng, core, p: profile });
    this.reqs = [];
    this.tells = [];
    this.events = [];
    this.seq = 0;
    this.uniq = 0;
    this.writes = [];
    this.ids = [];
    this.twaps = [];
    this.ops = [];
    this.trades = [];
    this.cancelAlls = [];
    this.lastEvent = null;
    this.stopped = false;
    this.levUsed = {};
    this.pending = new Set();
  }
  newKey() {
    return `key-${String(++this.seq).padStart(5, "0")}`;
  }
  /** One request; whatever comes is written down. */
  async call(method, path, { body, key, timeout = 12000, note } = {}) {
    const rec = {
      n: this.reqs.length,
      method,
      path,
      body,
      key,
      note,
      a: Date.now(),
      b: null,
      status: 0,
      text: null,
      lost: false,
    };
    this.reqs.push(rec);
    const work = (async () => {
      try {
        const r = await fetch(this.base + path, {
          method,
          headers: {
            authorization: `Bearer ${this.key}`,
            ...(body ? { "content-type": "application/json" } : {}),
            ...(key ? { "idempotency-key": key } : {}),
          },
          body: body ? JSON.stringify(body) : undefined,
          signal: AbortSignal.timeout(timeout),
        });
        const text = await r.text();
        rec.b = Date.now();
        rec.status = r.status;
        rec.text = text;
        rec.asOf = r.headers.get("x-data-as-of");
        rec.replayed = r.headers.get("idempotent-replayed") === "true";
        try {
          rec.json = JSON.parse(text);
        } catch {
          rec.json = null;
        }
      } catch (e) {
        rec.b = Date.now();
        rec.lost = true;
        rec.error = `${e.name} ${e.cause?.code ?? ""}`;
      }
      if (rec.json && rec.status < 300) this.collect(rec.json, rec, path);
      return rec;
    })();
    this.pending.add(work);
    const r = await work;
    this.pending.delete(work);
    return r;
  }
  collect(x, rec, via) {
    if (!x || typeof x !== "object") return;
    if (Array.isArray(x)) return x.forEach((y) => this.collect(y, rec, via));
    if (x.object === "order" && !x.status) {
      this.tells.push({ kind: "removed", o: x, a: rec.a, b: rec.b, via: `${rec.method} ${via}`, n: rec.n });
      return;
    }
    if (x.object === "order") {
      this.tells.push({
        kind: "order",
        o: x,
        a: rec.a,
        b: rec.b,
        via: `${rec.method} ${via}`,
        n: rec.n,
        asOf: rec.asOf,
        replayed: rec.replayed,
        write: rec.method === "POST",
      });
      if (!this.ids.includes(x.id)) this.ids.push(x.id);
      return;
    }
    if (["fill", "position", "operation", "trade", "stop", "cancel_all"].includes(x.object))
      this.tells.push({
        kind: x.object,
        o: x,
        a: rec.a,
        b: rec.b,
        via: `${rec.method} ${via}`,
        n: rec.n,
        asOf: rec.asOf,
      });
    for (const v of Object.values(x)) if (v && typeof v === "object") this.collect(v, rec, via);
  }
  market() {
    return this.rng.pick([...this.core.m.values()]);
  }
  /** A size that no other request of this run has: so the log tells which request an order came of. */
  sz(m, usd) {
    const lot = 10 ** -m.sz,
      used = ((this.used ??= {})[m.coin] ??= new Set());
    let n = Math.ceil(usd / m.mid / lot);
    while (used.has(n)) n++;
    used.add(n);
    const v = r8(n * lot);
    return String(v).includes("e") ? v.toFixed(m.sz) : String(v);
  }
  px(m, x) {
    const k = Math.round(x / m.tick);
    const v = r8(k * m.tick);
    return v < 0.001 ? v.toFixed(6) : String(v);
  }
  plain(m = this.market()) {
    const buy = this.rng.chance(0.5),
      kind = this.rng.weighted({ near: 4, far: 3, ioc: 4, alo: 2, trigger: m.dex === null ? 0 : 2, cross: 2, miss: 1 });
    const s = buy ? 1 : -1;
    const far = m.mid * this.rng.range(0.02, 0.05),
      near = m.tick * this.rng.int(1, 6);
    const b = {
      account: this.account,
      market: m.coin,
      side: buy ? "buy" : "sell",
      size: this.sz(m, m.dex === null ? 11 : this.rng.range(15, 300)),
    };
    if (kind === "near") b.price = this.px(m, m.mid - s * near);
    if (kind === "far") b.price = this.px(m, m.mid - s * far);
    if (kind === "cross") b.price = this.px(m, m.mid + s * m.mid * 0.003);
    if (kind === "ioc") {
      b.price = this.px(m, m.mid + s * m.mid * 0.003);
      b.time_in_force = "ioc";
    }
    if (kind === "miss") {
      b.price = this.px(m, m.mid - s * far);
      b.time_in_force = "ioc";
    }
    if (kind === "alo") {
      b.price = this.px(m, m.mid - s * m.tick * this.rng.int(0, 6));
      b.time_in_force = "alo";
    }
    if (kind === "trigger") {
      const sl = this.rng.chance(0.6),
        d = m.mid * this.rng.range(0.0003, 0.01);
      const T = sl ? m.mid + s * d : m.mid - s * d;
      b.trigger = { kind: sl ? "stop_loss" : "take_profit", price: this.px(m, T), market: this.rng.chance(0.6) };
      b.price = this.px(m, T * (1 + s * 0.02));
      b.reduce_only = this.rng.chance(0.6);
    } else if (m.dex !== null && this.rng.chance(0.2) && this.core.position(m.coin) !== 0) {
      b.reduce_only = true;
      b.side = this.core.position(m.coin) > 0 ? "sell" : "buy";
    }
    return b;
  }
  /** A write, and what a bot does about its answer: repeat under the same key, sometimes at once, sometimes much later. */
  async write(method, path, body, note) {
    const key = this.newKey(),
      w = { key, path, body, note, reqs: [] };
    this.writes.push(w);
    const go = async (timeout) => {
      const r = await this.call(method, path, { body, key, timeout, note });
      w.reqs.push(r);
      return r;
    };
    const t = () => (this.rng.chance(0.2) ? this.rng.range(5, 700) : 12000);
    const first = go(t());
    if (this.rng.chance(0.12)) {
      await new Promise((r) => setTimeout(r, this.rng.range(0, 300)));
      void go(t());
    }
    let r = await first;
    let tries = 0;
    while (
      !this.stopped &&
      tries++ < 6 &&
      (r.lost || r.status === 202 || r.status === 503 || r.status === 429
        ? this.rng.chance(0.75)
        : this.rng.chance(0.08))
    ) {
      await new Promise((x) => setTimeout(x, this.rng.range(50, 2500)));
      r = await go(t());
    }
    w.final = r;
    return r;
  }
  anyOrder() {
    if (this.p.focus === "hot" && this.ids.length)
      return this.ids[Math.max(0, this.ids.length - 1 - this.rng.int(0, 1))];
    return this.ids.length
      ? this.rng.chance(0.7)
        ? this.ids[Math.max(0, this.ids.length - 1 - this.rng.int(0, 5))]
        : this.rng.pick(this.ids)
      : null;
  }
  async step() {
    const id = this.anyOrder();
    const F = FOCUS[this.p.focus] ?? {};
    const kind = this.rng.weighted({
      place: 10,
      cancel: id ? 5 : 0,
      modify: id ? 5 : 0,
      market: 2,
      close: 2,
      batch: 1.5,
      all: 0.5,
      trade: 1,
      lev: 0.6,
      twap: 0.6,
      twapCancel: this.twaps.length ? 0.5 : 0,
      margin: 0.6,
      spot: 0,
      tradeCancel: this.trades.length ? 0.5 : 0,
      tradeModify: this.trades.length ? 0.5 : 0,
      ...(this.ids.length > 2 ? F : {}),
      ...(F.tradeCancel && !this.trades.length ? { tradeCancel: 0, tradeModify: 0 } : {}),
    });
    const m = this.market();
    switch (kind) {
      case "place":
        return this.write("POST", "/v1/orders", this.plain(), kind);
      case "cancel":
        return this.write("POST", `/v1/orders/${id}/cancel`, {}, kind);
      case "modify": {
        const t = [...this.tells].reverse().find((x) => x.kind === "order" && x.o.id === id).o;
        const mm = this.core.m.get(t.market);
        if (!mm) return;
        const s = t.side === "buy" ? 1 : -1;
        const b = {};
        if (this.rng.chance(0.8))
          b.price = this.px(
            mm,
            this.rng.chance(0.25)
              ? mm.mid + s * mm.mid * 0.002
              : mm.mid - s * (this.rng.chance(0.5) ? mm.tick * this.rng.int(1, 5) : mm.mid * 0.02),
          );
        if (this.rng.chance(0.35) || !b.price) b.size = this.sz(mm, this.rng.range(15, 200));
        if (this.rng.chance(0.3)) b.always_place = true;
        if (t.trigger && this.rng.chance(0.8)) {
          b.always_place = true;
          const T = mm.mid * (1 + (t.trigger.kind === "stop_loss" ? s : -s) * 0.01);
          b.trigger = { ...t.trigger, price: this.px(mm, T) };
          b.price = this.px(mm, T * (1 + s * 0.02));
        }
        return this.write("POST", `/v1/orders/${id}/modify`, b, kind);
      }
      case "market":
        return this.write(
          "POST",
          "/v1/orders/market",
          { account: this.account, market: m.coin, side: this.rng.chance(0.5) ? "buy" : "sell", size: this.sz(m, 20) },
          kind,
        );
      case "close": {
        const held = [...this.core.pos.keys()].filter((c) => this.core.position(c) !== 0);
        const c = held.length ? this.rng.pick(held) : m.coin;
        if (c.includes("/")) return;
        const b = { account: this.account, market: c };
        if (this.rng.chance(0.4)) b.fraction = this.rng.pick(["0.5", "0.3", "0.75"]);
        if (this.rng.chance(0.3)) b.keep_triggers = true;
        return this.write("POST", "/v1/positions/close", b, kind);
      }
      case "batch": {
        const mm = this.rng.pick(["BTC", "ETH", "SOL", "DOGE"].map((c) => this.core.m.get(c)));
        const n = this.rng.int(2, 5);
        return this.write(
          "POST",
          "/v1/orders/batch",
          {
            account: this.account,
            orders: Array.from({ length: n }, () => {
              const { account, ...o } = this.plain(mm);
              return o;
            }),
          },
          kind,
        );
      }
      case "all": {
        const b = { account: this.account };
        if (this.rng.chance(0.5)) b.market = m.coin;
        if (this.rng.chance(0.3)) b.side = this.rng.pick(["buy", "sell"]);
        if (this.rng.chance(0.3)) b.keep_protection = false;
        const r = await this.write("POST", "/v1/orders/cancel-all", b, kind);
        if (r.json?.object === "cancel_all") this.cancelAlls.push(r.json.id);
        return r;
      }
      case "trade": {
        if (m.dex === null) return;
        const s = this.rng.chance(0.5) ? 1 : -1;
        const b = {
          account: this.account,
          market: m.coin,
          side: s > 0 ? "buy" : "sell",
          size: this.sz(m, this.rng.range(30, 100)),
          entry: { price: this.px(m, m.mid * (1 + s * this.rng.pick([0.002, -0.0005, -0.002]))) },
          stop_loss: { trigger_price: this.px(m, m.mid * (1 - s * this.rng.pick([0.004, 0.02]))) },
        };
        if (this.rng.chance(0.5))
          b.take_profit = { trigger_price: this.px(m, m.mid * (1 + s * this.rng.pick([0.005, 0.02]))) };
        const r = await this.write("POST", "/v1/trades", b, kind);
        if (r.json?.object === "trade") this.trades.push(r.json.id);
        return r;
      }
      case "tradeCancel":
        return this.write("POST", `/v1/trades/${this.rng.pick(this.trades)}/cancel`, {}, kind);
      case "tradeModify": {
        const id2 = this.rng.pick(this.trades);
        const t = [...this.tells].reverse().find((x) => x.kind === "trade" && x.o.id === id2)?.o;
        if (!t) return;
        const mm = this.core.m.get(t.market),
          s = t.side === "buy" ? 1 : -1;
        return this.write(
          "POST",
          `/v1/trades/${id2}/modify`,
          { stop_loss: { trigger_price: this.px(mm, mm.mid * (1 - s * this.rng.range(0.003, 0.02))) } },
          kind,
        );
      }
      case "lev": {
        const perps = [...this.core.m.values()].filter((x) => x.dex !== null);
        const mm = this.rng.pick(perps);
        const used = (this.levUsed[mm.coin] ??= new Set([20]));
        const v = Array.from({ length: mm.max }, (_, i) => i + 1).filter((x) => !used.has(x));
        if (!v.length) return;
        const lev = this.rng.pick(v);
        used.add(lev);
        return this.write(
          "POST",
          "/v1/leverage",
          { market: mm.coin, leverage: lev, margin_type: this.rng.chance(0.6) ? "cross" : "isolated" },
          kind,
        );
      }
      case "margin": {
        const mm = [...this.core.pos.keys()];
        const c = this.rng.pick(mm);
        this.uniq++;
        return this.write(
          "POST",
          "/v1/margin",
          { market: c, amount: `${this.rng.chance(0.7) ? "" : "-"}1.${String(this.uniq).padStart(4, "0")}` },
          kind,
        );
      }
      case "twap": {
        const mm = this.rng.pick([...this.core.m.values()].filter((x) => x.dex !== null));
        const r = await this.write(
          "POST",
          "/v1/twaps",
          {
            market: mm.coin,
            side: this.rng.chance(0.5) ? "buy" : "sell",
            size: this.sz(mm, 400),
            duration_minutes: this.rng.int(5, 30),
          },
          kind,
        );
        if (r.json?.exchange_id) this.twaps.push([mm.coin, Number(r.json.exchange_id)]);
        return r;
      }
      case "twapCancel": {
        const [c, id2] = this.rng.pick(this.twaps);
        return this.write("POST", "/v1/twaps/cancel", { market: c, twap_id: id2 }, kind);
      }
    }
  }
  async read() {
    const id = this.anyOrder();
    const kind = this.rng.weighted({
      get: id ? 8 : 0,
      open: 3,
      list: 1,
      pos: 4,
      fills: 2,
      ops: 1,
      trades: 1,
      all: this.cancelAlls.length ? 1 : 0,
      twaps: 0.5,
      account: 0.5,
      story: id ? 0.5 : 0,
    });
    switch (kind) {
      case "get":
        return this.call("GET", `/v1/orders/${id}`);
      case "open":
        return this.call("GET", "/v1/orders?status=open&limit=500");
      case "list":
        return this.call("GET", "/v1/orders?limit=100");
      case "pos":
        return this.call("GET", "/v1/positions");
      case "fills":
        return this.call("GET", "/v1/fills?limit=100");
      case "ops":
        return this.call("GET", "/v1/operations");
      case "trades":
        return this.call("GET", "/v1/trades");
      case "all":
        return this.call("GET", `/v1/cancel-alls/${this.rng.pick(this.cancelAlls)}`);
      case "twaps":
        return this.call("GET", "/v1/twaps");
      case "account":
        return this.call("GET", "/v1/account");
      case "story":
        return this.call("GET", `/v1/orders/${id}/story`);
    }
  }
  /** The stream of events, over broken connections and restarts. */
  async follow() {
    while (!this.over) {
      try {
        const r = await fetch(`${this.base}/v1/events`, {
          headers: {
            authorization: `Bearer ${this.key}`,
            ...(this.lastEvent ? { "last-event-id": this.lastEvent } : {}),
          },
        });
        if (!r.ok) throw new Error(String(r.status));
        let buf = "";
        const dec = new TextDecoder();
        for await (const chunk of r.body) {
          buf += dec.decode(chunk, { stream: true });
          let i;
          while ((i = buf.indexOf("\n\n")) >= 0) {
            const block = buf.slice(0, i);
            buf = buf.slice(i + 2);
            const e = {};
            for (const l of block.split("\n")) {
              const k = l.indexOf(":");
              if (k > 0) e[l.slice(0, k)] = l.slice(k + 1).trim();
            }
            if (e.id) this.lastEvent = e.id;
            if (e.data) {
              const b = Date.now();
              let d;
              try {
                d = JSON.parse(e.data);
              } catch {
                continue;
              }
              this.events.push({ t: b, id: e.id, type: e.event, d });
              this.collect(d, { a: b, b, method: "EVENT", n: -1, asOf: null }, e.event);
            }
          }
          if (this.over) break;
        }
      } catch {}
      await new Promise((r) => setTimeout(r, 300));
    }
  }
}
