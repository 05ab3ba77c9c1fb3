// A client that keeps everything it is told, with the exchange's time before it asked and after it was told.
import { brief } from "./chains.mjs";
import { MARKETS, units } from "./markets.mjs";

export function makeClient(world) {
  const { ex, log, find, base, apiKey } = world;
  const AUTH = { authorization: `Bearer ${apiKey}` };
  const exNow = () => ex.now();
  const obs = []; // every order object ever told
  const keys = new Map(); // key → { kind, path, body, price, m, target, answers }
  const ids = new Map(); // order id → { first, key }
  const positionsSeen = [],
    openSeen = [];
  const tell = (src, o, x) => {
    if (o?.object !== "order") return;
    obs.push({ src, o, ...x });
    if (!ids.has(o.id)) ids.set(o.id, { first: x.t1 });
    if (/^.{14}8/.test(o.id) && !ex.outsideIds.has(o.id)) {
      const h = BigInt(`0x${o.id.slice(0, 8)}${o.id.slice(9, 13)}${o.id.slice(15, 18)}`);
      let root = ex.orders.find(
        (z) => !z.cloid && BigInt(z.oid) >> 4n === h && (z.oid & 15) === (parseInt(o.id[19] + o.id[20], 16) % 64) >> 2,
      );
      root ??= ex.orders.find((z) => !z.cloid && String(z.oid) === o.exchange_order_id);
      if (root) ex.outsideIds.set(o.id, root.oid);
      else log("outside?", { id: o.id, oid: o.exchange_order_id });
    }
  };
  async function call(method, path, { key, body, timeout = 16000 } = {}) {
    const t0 = exNow();
    const h = { ...AUTH };
    if (key) h["idempotency-key"] = key;
    if (body !== undefined) h["content-type"] = "application/json";
    try {
      const x = await fetch(base + path, {
        method,
        headers: h,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(timeout),
      });
      const text = await x.text(),
        t1 = exNow();
      let j = null;
      try {
        j = JSON.parse(text);
      } catch {}
      return {
        t0,
        t1,
        status: x.status,
        text,
        j,
        asOf: x.headers.get("x-data-as-of"),
        replayed: x.headers.get("idempotent-replayed"),
        retry: x.headers.get("retry-after"),
      };
    } catch (e) {
      return { t0, t1: exNow(), status: 0, text: String(e.message), j: null };
    }
  }
  async function write(key, timeout) {
    const k = keys.get(key);
    const x = await call("POST", k.path, { key, body: k.body, timeout });
    k.answers.push(x);
    log("write", {
      key,
      kind: k.kind,
      path: k.path,
      body: k.answers.length === 1 ? k.body : undefined,
      st: x.status,
      rep: x.replayed,
      o: brief(x.j),
      err: x.j?.error?.code ? x.j.error : undefined,
    });
    if (x.status >= 200 && x.status < 300 && x.j) {
      for (const o of x.j.object === "order" ? [x.j] : (x.j.orders ?? [])) {
        tell(`write:${k.kind}`, o, { t0: x.t0, t1: x.t1, status: x.status, replay: !!x.replayed, key });
        if (k.kind === "place") {
          const e = ids.get(o.id);
          e.key = key;
          k.id = o.id;
        }
      }
    }
    if (x.status === 500 || (x.status === 503 && x.j?.error?.code === "internal_error"))
      find("high", "internal error", { key, text: x.text });
    return x;
  }
  async function get(id, src = "get") {
    const x = await call("GET", `/v1/orders/${id}`);
    if (x.status === 200) {
      tell(src, x.j, { t0: x.t0, t1: x.t1, status: 200, asOf: x.asOf });
      log("get", { o: brief(x.j), asOf: x.asOf ?? undefined });
    } else {
      log("get!", { id, st: x.status, e: x.j?.error });
      if (x.status === 404)
        find(/^.{14}8/.test(id) ? "soft" : "high", "order told before is 404", {
          id,
          text: x.text,
          oid: ex.outsideIds.get(id),
          truth: ex.byOid.get(ex.outsideIds.get(id))?.status,
          lastTold: brief(last(id)),
        });
    }
    return x;
  }
  const liveIds = () => [...ids.keys()];
  const last = (id) => {
    for (let i = obs.length - 1; i >= 0; i--) if (obs[i].o.id === id && !obs[i].replay) return obs[i].o;
    return null;
  };
  const readLists = async () => {
    const a = await call("GET", "/v1/orders?limit=500");
    if (a.status === 200) for (const o of a.j.data) tell("list", o, { t0: a.t0, t1: a.t1, status: 200, asOf: a.asOf });
    const b = await call("GET", "/v1/orders?status=open&limit=500");
    if (b.status === 200) {
      for (const o of b.j.data) tell("open-list", o, { t0: b.t0, t1: b.t1, status: 200, asOf: b.asOf });
      openSeen.push(b);
    }
    const c = await call("GET", "/v1/positions");
    if (c.status === 200) positionsSeen.push(c);
    const f = await call("GET", "/v1/fills?limit=500");
    log("lists", {
      a: a.status,
      b: b.status,
      bAsOf: b.asOf ?? undefined,
      c: c.status,
      cAsOf: c.asOf ?? undefined,
      f: f.status,
      pos: c.j?.data?.map((p) => [p.market, p.side, p.size]),
      open: b.j?.data?.map((o) => o.exchange_order_id),
    });
    if (f.status === 200)
      for (const row of f.j.data) {
        const t = ex.fills.find((z) => String(z.oid) === row.exchange_order_id && row.id.endsWith(`-${z.tid}`));
        if (!t || units(MARKETS[row.market], row.size) !== t.u)
          find("high", "a fill that never was", { id: row.id, row });
      }
    return { a, b, c, f };
  };
  return { AUTH, obs, keys, ids, positionsSeen, openSeen, tell, call, write, get, liveIds, last, readLists };
}
