// The truth of an order of the interface: the chain of orders at the exchange which replaced one another.
import { szStr, units } from "./markets.mjs";

export const CLOSED = new Set(["filled", "canceled", "rejected"]);
export const brief = (o) =>
  o?.object === "order"
    ? {
        id: o.id,
        s: o.status,
        f: o.filled_size,
        a: o.average_price,
        oid: o.exchange_order_id,
        sz: o.size,
        px: o.price,
        e: o.error ?? undefined,
      }
    : undefined;
export const uuidOf = (cloid) => cloid?.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
export class Chain {
  constructor(root) {
    this.legs = [root];
    for (let o = root; o.replacedBy; o = o.replacedBy) this.legs.push(o.replacedBy);
  }
  m() {
    return this.legs[0].m;
  }
  filled(T = Infinity) {
    let s = 0;
    for (const l of this.legs) for (const f of l.fills) if (f.time <= T) s += f.u;
    return s;
  }
  status(T = Infinity) {
    let leg = null,
      i = -1,
      st = null;
    this.legs.forEach((l, n) => {
      let h = null;
      for (const e of l.hist) if (e.t <= T) h = e;
      if (h) {
        leg = l;
        i = n;
        st = h.status;
      }
    });
    if (!leg) return "absent";
    if (/Rejected$/.test(st)) return i === 0 ? "rejected" : "canceled";
    if (st === "open") return "open";
    if (st === "filled") return leg.fills.reduce((a, f) => a + f.u, 0) < leg.orig ? "canceled" : "filled";
    return "canceled";
  }
  size() {
    let s = 0,
      last = null;
    for (const l of this.legs) {
      if (/Rejected$/.test(l.status) && l !== this.legs[0]) continue;
      last = l;
    }
    for (const l of this.legs) {
      if (l === last) {
        s += l.orig;
        break;
      }
      s += l.fills.reduce((a, f) => a + f.u, 0);
    }
    return s;
  }
  avg(T = Infinity) {
    let q = 0n,
      n = 0n;
    for (const l of this.legs)
      for (const f of l.fills)
        if (f.time <= T) {
          n += BigInt(f.u);
          q += BigInt(f.u) * BigInt(Math.round(Number(f.px) * 1e6));
        }
    if (!n) return null;
    const v = (q * 10n ** 8n) / (n * 10n ** 6n);
    const s = v.toString().padStart(9, "0");
    return `${s.slice(0, -8)}.${s.slice(-8)}`.replace(/0+$/, "").replace(/\.$/, "");
  }
  brief() {
    return {
      status: this.status(),
      filled: szStr(this.m(), this.filled()),
      avg: this.avg(),
      legs: this.legs.map((l) => ({
        oid: l.oid,
        st: l.status,
        px: l.px,
        orig: szStr(l.m, l.orig),
        tif: l.tif,
        ro: l.reduceOnly,
        via: l.via,
        fills: l.fills.map((f) => [f.time, f.sz, f.px]),
        hist: l.hist.map((h) => [h.t, h.status]),
      })),
    };
  }
}
export function chains(ex) {
  const C = new Map();
  for (const o of ex.orders) if (!o.replaces) C.set(o.cloid ? uuidOf(o.cloid) : nativeUuid(ex, o), new Chain(o));
  return C;
}
const nativeUuid = (ex, o) => {
  for (const [id, oid] of ex.outsideIds) if (oid === o.oid) return id;
  return `outside-${o.oid}`;
};
/** One server refused what another has carried out: who was told so is told otherwise once it is shown, as the documents say. */
export function isRefusedElsewhere(ex, c) {
  return ex.actions.some(
    (a) =>
      a.fate === "refusedElsewhere" && a.type === "order" && JSON.stringify(a.body.action).includes(c.legs[0].cloid),
  );
}
export function compare(c, o, T) {
  // null if the order as told is the truth of T
  if (!c)
    return o.status === "rejected" || (o.status === "canceled" && (o.filled_size === "0" || o.filled_size === null))
      ? null
      : `told ${o.status}, never on the exchange`;
  const m = c.m(),
    st = c.status(T),
    F = c.filled(T);
  if (st !== o.status) return `told ${o.status}, truly ${st}`;
  const told = o.filled_size === null ? (o.status === "rejected" ? 0 : NaN) : units(m, o.filled_size);
  if (told !== F) return `told filled ${o.filled_size}, truly ${szStr(m, F)}`;
  if (o.status !== "rejected") {
    const av = c.avg(T);
    // The `avgPx` of an answer counts, and has no more digits than the exchange gives it.
    if (!near(o.average_price ?? null, av)) return `told average ${o.average_price}, truly ${av}`;
  }
  if (o.status !== "rejected" && !c.legs.some((l) => String(l.oid) === o.exchange_order_id))
    return `told exchange id ${o.exchange_order_id}`;
  return null;
}

export const near = (a, b) =>
  a === null || b === null ? a === b : Math.abs(Number(a) - Number(b)) <= 1.01e-6 * Math.max(1, Number(b));
export const count = (xs) => {
  const c = {};
  for (const x of xs) c[x] = (c[x] ?? 0) + 1;
  return c;
};
