// Keeps everything that was ever told and holds it against what the exchange really did.
import { tidy } from "./ledger.mjs";

const CLOSED = new Set(["filled", "canceled", "rejected"]);

function ordersIn(value, found = []) {
  if (Array.isArray(value)) for (const one of value) ordersIn(one, found);
  else if (value !== null && typeof value === "object") {
    if (value.object === "order") found.push(value);
    else for (const one of Object.values(value)) ordersIn(one, found);
  }
  return found;
}

export class Judge {
  constructor() {
    this.said = [];
    this.roots = new Map();
    this.findings = [];
    this.soft = [];
    this.slack = 1500;
  }
  keep(said) {
    this.said.push(said);
  }
  fail(what, said) {
    const line = `${what}${said ? ` | ${said.method} ${said.path} ${said.status}` : ""}`;
    if (!this.findings.includes(line)) this.findings.push(line);
  }
  rootOf(order) {
    if (this.roots.has(order.id)) return this.roots.get(order.id);
    const { orders } = this.ledger;
    let leg = order.exchange_order_id && orders.get(Number(order.exchange_order_id));
    if (!leg) {
      leg = [...orders.values()].find(
        (o) =>
          o.root === o.oid &&
          o.coin === order.market &&
          o.side === (order.side === "buy" ? "B" : "A") &&
          o.limitPx === Number(order.price) &&
          o.origSz === Number(order.size),
      );
      if (leg && [...this.roots.values()].includes(leg.root)) leg = null;
    }
    if (leg) this.roots.set(order.id, leg.root);
    return leg?.root;
  }
  legs(root) {
    return [...this.ledger.orders.values()].filter((o) => o.root === root);
  }
  filledAt(root, at) {
    return tidy(this.legs(root).reduce((sum, leg) => sum + this.ledger.filledAt(leg, at), 0));
  }
  moments(root, from, to) {
    const times = new Set([from, to]);
    for (const leg of this.legs(root)) {
      for (const e of leg.log) if (e.t >= from && e.t <= to) times.add(e.t).add(e.t - 1);
      for (const f of this.ledger.fills) if (f.oid === leg.oid && f.t >= from && f.t <= to) times.add(f.t).add(f.t - 1);
    }
    return [...times].filter((t) => t >= from && t <= to);
  }
  average(root, at) {
    const oids = new Set(this.legs(root).map((o) => o.oid));
    const fills = this.ledger.fills.filter((f) => oids.has(f.oid) && f.t <= at);
    const size = fills.reduce((s, f) => s + f.sz, 0);
    return size === 0 ? null : fills.reduce((s, f) => s + f.sz * f.px, 0) / size;
  }
  judgeClosed(order, root, said) {
    const legs = root === undefined ? [] : this.legs(root);
    const id = `${order.id.slice(0, 8)} ${order.status} filled ${order.filled_size} error ${order.error}`;
    const isWarned = /ALARM/.test(order.error ?? "");
    const live = legs.filter((o) => this.ledger.isLiveAt(o, said.t1));
    const lived = legs.filter((o) => this.ledger.isLiveAt(o, said.t0) && this.ledger.isLiveAt(o, said.t1));
    const later = legs.filter((o) => o.log[0].t > said.t1);
    if (lived.length > 0 && !isWarned) this.fail(`told ${id}, but leg ${lived[0].oid} rests (${lived[0].sz})`, said);
    if (live.length === 0 && later.length > 0)
      this.fail(`told ${id}, and a leg appeared ${later[0].log[0].t - said.t1} ms later`, said);
    const after = root === undefined ? 0 : this.filledAt(root, Infinity);
    if (order.filled_size !== null && Number(order.filled_size) !== after)
      this.fail(`told ${id}, true sum of fills ${after}`, said);
    if (order.filled_size === null && after > 0) this.fail(`told ${id}, true sum of fills ${after}`, said);
    if (order.status === "rejected" && legs.some((o) => o.log.some((e) => e.status === "open")))
      this.fail(`told ${id}, but it rested or filled`, said);
    if (
      order.status === "filled" &&
      after !== Number(order.size) &&
      order.time_in_force !== "ioc" &&
      !order.reduce_only
    )
      this.fail(`told ${id} of size ${order.size}, true ${after}`, said);
  }
  judgeLive(order, root, said, from) {
    const id = `${order.id.slice(0, 8)} ${order.status} size ${order.size} filled ${order.filled_size} price ${order.price}`;
    const moments = this.moments(root, from, said.t1);
    const isAny = (test) => moments.some(test);
    const legs = this.legs(root);
    if (!isAny((t) => legs.some((o) => this.ledger.isLiveAt(o, t))))
      this.fail(`told ${id}, but nothing of it rested`, said);
    if (order.filled_size !== null && !isAny((t) => this.filledAt(root, t) === Number(order.filled_size)))
      this.fail(`told ${id}, true fills ${[...new Set(moments.map((t) => this.filledAt(root, t)))].join("/")}`, said);
    const fits = (t) => legs.some((o) => this.ledger.isLiveAt(o, t) && o.limitPx === Number(order.price));
    if (!isAny(fits)) this.fail(`told ${id}, no leg with that price rested`, said);
    const whole = (t) => {
      const left = legs
        .filter((o) => this.ledger.isLiveAt(o, t))
        .reduce((s, o) => s + o.origSz - this.ledger.filledAt(o, t), 0);
      return tidy(left + this.filledAt(root, t)) === Number(order.size);
    };
    if (!isAny(whole)) this.fail(`told ${id}, fills and rest are never that size`, said);
  }
  judgeOrder(order, said) {
    const root = this.rootOf(order);
    const from = Math.min(said.asOf ? Date.parse(said.asOf) : said.t0, said.t0) - this.slack;
    if (order.status === "unknown" && order.error === null)
      this.fail(
        `told ${order.id.slice(0, 8)} unknown without a reason (error null), filled ${order.filled_size}, as of ${said.asOf}`,
        said,
      );
    if (CLOSED.has(order.status)) this.judgeClosed(order, root, said);
    else if (said.isReplay) return;
    else if (root !== undefined && (order.status === "open" || order.status === "waiting_for_trigger"))
      this.judgeLive(order, root, said, from);
    if (root !== undefined && order.average_price !== null) {
      const fits = this.moments(root, from, said.t1).some(
        (t) => Math.abs((this.average(root, t) ?? -1) - Number(order.average_price)) < 1e-6,
      );
      if (!fits) this.fail(`told average ${order.average_price}, true ${this.average(root, said.t1)}`, said);
    }
  }
  run() {
    for (const said of this.said) {
      if (said.status >= 400) continue;
      for (const order of ordersIn(said.json)) this.judgeOrder(order, said);
    }
    return this.findings;
  }
  texts() {
    const seen = new Map();
    for (const said of this.said) {
      if (said.status >= 400) seen.set(`${said.status} ${said.json?.error?.code}: ${said.json?.error?.message}`, said);
      for (const o of ordersIn(said.json))
        if (o.error) seen.set(`${o.status} ${o.filled_size}/${o.size}: ${o.error}`, said);
    }
    return [...seen.keys()];
  }
}
