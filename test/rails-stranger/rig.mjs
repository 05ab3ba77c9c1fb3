// The owner and the clients of a gateway: keys granted by signatures, requests, and the true worst case by the exchange's log.
import crypto from "node:crypto";
import { Gateway } from "./gateway.mjs";

export class Rig extends Gateway {
  // `by` is a key, or { key, idem, h }: an Idempotency-Key and further headers.
  async req(m, p, b, by) {
    const { key, idem, h = {} } = typeof by === "string" ? { key: by } : (by ?? {});
    const t0 = Date.now();
    const r = await fetch(this.base + p, {
      method: m,
      headers: {
        ...(key ? { Authorization: `Bearer ${key}` } : {}),
        ...(b !== undefined ? { "Content-Type": "application/json" } : {}),
        ...(idem ? { "Idempotency-Key": idem } : {}),
        ...h,
      },
      body: b !== undefined ? JSON.stringify(b) : undefined,
      signal: AbortSignal.timeout(30000),
    });
    const tx = await r.text();
    let j;
    try {
      j = JSON.parse(tx);
    } catch {
      j = tx;
    }
    return { s: r.status, j, ms: Date.now() - t0, h: r.headers };
  }
  async get(p, key) {
    return (await this.req("GET", p, undefined, key)).j;
  }
  newKey() {
    const k = `api_trade_${crypto.randomBytes(32).toString("hex")}`;
    return { key: k, hash: crypto.createHash("sha256").update(k).digest("hex") };
  }
  async plain() {
    const k = this.newKey();
    const g = {
      audience: this.audience(),
      account: this.account,
      network: "exchange_mainnet",
      keyHash: `0x${k.hash}`,
      scopes: "trading:read,trading:write",
      issuedAt: BigInt(Date.now()),
      expiresAt: 0n,
    };
    const t = this.tdOf("ApiKeyGrant");
    const sig = await this.owner.signTypedData({
      domain: t.domain,
      types: t.types,
      primaryType: "ApiKeyGrant",
      message: g,
    });
    const r = await this.req("POST", "/v1/api-keys", {
      consent: {
        account: this.account,
        network: "exchange_mainnet",
        key_hash: k.hash,
        policy: { scopes: ["trading:read", "trading:write"] },
        issued_at: Number(g.issuedAt),
        expires_at: null,
      },
      signature: sig,
    });
    if (r.s !== 201) throw new Error(JSON.stringify(r));
    return k.key;
  }
  tdOf(name) {
    const all = this.td.data ?? this.td;
    const find = (o) => {
      if (!o || typeof o !== "object") return null;
      if (o.types?.[name]) return o;
      for (const v of Object.values(o)) {
        const x = find(v);
        if (x) return x;
      }
      return null;
    };
    const x = find(all);
    const types = { ...x.types };
    delete types.EIP712Domain;
    return { domain: x.domain ?? all.domain, types: { [name]: types[name] }, audience: x.audience ?? all.audience };
  }
  audience() {
    return this.td.audience ?? this.tdOf("LimitedKeyGrant").audience;
  }
  async limited(bot, over = {}, opt = {}) {
    const k = opt.key ?? this.newKey();
    const now = Date.now();
    const iso = (t) => new Date(t).toISOString();
    const g = {
      account: this.account,
      network: "paper",
      owner: this.owner.address.toLowerCase(),
      trading_address: this.owner.address.toLowerCase(),
      key_hash: k.hash,
      scopes: "trading:read,trading:write",
      bot,
      may: "increase,reduce,modify,cancel",
      markets: "BTC,ETH",
      max_order: "500 USD",
      max_position: "1000 USD",
      max_exposure: "1500 USD",
      max_turnover_per_day: "any",
      max_loss_per_day: "any",
      max_actions_per_day: "any",
      max_distance: "2 %",
      max_stop_distance: "10 %",
      max_leverage: "any",
      max_open_orders: "any",
      touches: "own",
      sources: "any",
      issued_at: iso(opt.issued ?? now),
      expires_at: iso(opt.expires ?? now + 864e5 * 30),
      ...over,
    };
    const r = await this.grant(g, opt);
    if (r.s !== 201 && !opt.raw) throw new Error(JSON.stringify(r.j));
    return opt.raw ? { r, k } : k.key;
  }
  async grant(g, opt = {}) {
    const t = this.tdOf("LimitedKeyGrant");
    const camel = (s) => s.replace(/_([a-z])/g, (_, c) => c.toUpperCase());
    const msg = { audience: this.audience() };
    for (const f of t.types.LimitedKeyGrant) {
      if (f.name === "audience") continue;
      const k = Object.keys(g).find((x) => camel(x) === f.name);
      let v = g[k];
      if (f.type === "bytes32") v = `0x${v}`;
      if (f.type.startsWith("uint")) v = BigInt(Date.parse(v));
      msg[f.name] = v;
    }
    const sig = await this.owner.signTypedData({
      domain: t.domain,
      types: t.types,
      primaryType: "LimitedKeyGrant",
      message: msg,
    });
    return this.req("POST", "/v1/api-keys/limited", { grant: { ...g, ...opt.after }, signature: sig });
  }
  async order(key, o, idem = crypto.randomUUID()) {
    return this.req("POST", "/v1/orders", { account: this.account, market: "BTC", ...o }, { key, idem });
  }
  async post(key, p, b, idem = crypto.randomUUID()) {
    return this.req("POST", p, b, { key, idem });
  }
  // The true worst case of everything live of one actor (or of all) in a market, in size
  worst(c, actor) {
    const ex = this.ex;
    const isOurs = (who) => !actor || who === actor;
    let net = 0;
    const out = { buys: 0, sells: 0 };
    const count = (isBuy, size) => {
      out[isBuy ? "buys" : "sells"] += size;
    };
    for (const e of ex.log) if (e.k === "fill" && e.coin === c && isOurs(e.who)) net += (e.buy ? 1 : -1) * e.sz;
    for (const o of ex.orders.values()) if (o.live && o.coin === c && !o.ro && isOurs(o.actor)) count(o.buy, o.sz);
    for (const t of ex.twaps.values())
      if (t.live && t.coin === c && !t.ro && isOurs(t.actor)) count(t.buy, t.sz - t.ex);
    for (const { body } of ex.inflight) {
      const isDead = ex.nonces.has(body.nonce) || (body.expiresAfter ?? Infinity) <= ex.now();
      if (isDead || body.action.type !== "order") continue;
      for (const w of body.action.orders) if (ex.coinOf(w.a) === c && !w.r) count(w.b, Number(w.s));
    }
    const { buys, sells } = out;
    return { net, buys, sells, w: Math.max(Math.abs(net + buys), Math.abs(net - sells)) };
  }
}
