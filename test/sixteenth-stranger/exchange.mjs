// An exchange after PROTOCOL alone: what it does, and a log of all that it did. What it shows is in shown.mjs.
import { createHash } from "node:crypto";
import { abs, cut, d, over, plain, random, times, wire } from "./decimal.mjs";
import { markets, tokens } from "./listed.mjs";

function least(one, other) {
  if (one > other) return other;
  return one;
}

const ZERO_HASH = `0x${"0".repeat(64)}`;
export class Exchange {
  constructor(owner, seed = 1) {
    Object.assign(this, {
      owner: owner.toLowerCase(),
      markets: markets(),
      tokens: tokens(),
      rnd: random(seed),
      skew: 0,
      oid: 500_000_000_000 + seed * 1000,
      tid: 7_000_000,
    });
    Object.assign(this, {
      orders: new Map(),
      fills: [],
      funding: [],
      ledger: [],
      twaps: new Map(),
      twapRows: [],
      nonces: new Set(),
      agents: [],
      log: [],
      snaps: [],
      cumFunding: new Map(),
    });
    Object.assign(this, {
      leverage: new Map(),
      positions: new Map(),
      cash: new Map([
        ["", 0n],
        ["xyz", 0n],
        ["hyna", 0n],
      ]),
      spot: new Map(),
      lag: {},
      listeners: new Set(),
      mode: "default",
      cloids: new Map(),
    });
    Object.assign(this, {
      before: null,
      after: null,
      feeRates: { taker: d("0.00045"), maker: d("0.00015") },
      collateral: { "": 0, xyz: 0, hyna: 360 },
      replacedBy: new Map(),
    });
  }
  now() {
    return Date.now() + this.skew;
  }
  note(what, more) {
    this.log.push({ t: Date.now(), what, ...more });
  }
  market(a) {
    for (const m of this.markets.values()) if (m.a === a) return m;
    return null;
  }
  tell(kind, data) {
    for (const listener of this.listeners) listener(kind, data);
  }
  bid(m) {
    return m.mid - this.tick(m);
  }
  ask(m) {
    return m.mid + this.tick(m);
  }
  tick(m) {
    const digits = plain(m.mid).split(".")[0].replace(/^0$/, "").length;
    return digits >= 5
      ? d("1")
      : d(`0.${"0".repeat(Math.max(0, Math.min(5 - digits, (m.kind === "perp" ? 6 : 8) - m.sz) - 1))}1`);
  }
  holding(coin) {
    return this.positions.get(coin) ?? { szi: 0n, cost: 0n, since: 0n };
  }
  balance(token, by = 0n, entry = 0n) {
    const row = this.spot.get(token) ?? { total: 0n, entry: 0n };
    this.spot.set(token, { total: row.total + by, entry: row.entry + entry });
  }
  set(order, status, at = this.now()) {
    order.status = status;
    order.statuses.push({ t: Date.now(), at, status, sz: order.sz });
    this.note("status", { oid: order.oid, status, sz: plain(order.sz) });
    this.tell("order", { order, status, at, sz: order.sz });
  }
  live(order) {
    return order.status === "open" || order.status === "triggered";
  }
  // What a fill does to position and cash; returns what the fill's row says of it.
  book(m, buy, sz, px, fee, feeToken) {
    const signed = buy ? sz : -sz;
    if (m.kind === "spot") {
      const start = this.spot.get(m.base)?.total ?? 0n;
      this.balance(m.base, signed, buy ? times(sz, px) : 0n);
      this.balance(m.quote, -times(signed, px));
      this.balance(feeToken, -fee);
      return { start, pnl: 0n, dir: buy ? "Buy" : "Sell" };
    }
    const p = this.holding(m.coin);
    const start = p.szi;
    const opens = p.szi === 0n || p.szi > 0n === signed > 0n;
    const most = abs(p.szi);
    const closed = opens ? 0n : least(abs(signed), most);
    const entry = p.szi === 0n ? 0n : over(p.cost, p.szi);
    const pnl = times(closed, px - entry) * (p.szi > 0n ? 1n : -1n);
    const szi = p.szi + signed;
    const flipped = p.szi !== 0n && szi !== 0n && p.szi > 0n !== szi > 0n;
    const cost = opens ? p.cost + times(signed, px) : flipped ? times(szi, px) : szi === 0n ? 0n : times(szi, entry);
    if (szi === 0n) this.positions.delete(m.coin);
    else
      this.positions.set(m.coin, {
        szi,
        cost,
        since: opens && start !== 0n ? p.since : flipped || start === 0n ? 0n : p.since,
      });
    this.cash.set(m.dex, this.cash.get(m.dex) + cut(pnl, 6) - fee);
    const dir = flipped
      ? start > 0n
        ? "Long > Short"
        : "Short > Long"
      : `${opens ? "Open" : "Close"} ${opens === buy ? "Long" : "Short"}`;
    return { start, pnl: cut(pnl, 6), dir };
  }
  fee(m, buy, sz, px, crossed) {
    const rate = crossed ? this.feeRates.taker : this.feeRates.maker;
    if (m.kind === "perp")
      return { fee: cut(times(times(sz, px), rate), 6), feeToken: m.dex === "hyna" ? "USDH" : "USDC" };
    const quote = times(times(sz, px), d("0.0007"));
    return buy
      ? { fee: cut(over(quote, px), this.tokens[m.base].wei), feeToken: m.base }
      : { fee: cut(quote, 8), feeToken: m.quote };
  }
  fill(order, sz, px, more = {}) {
    const m = this.markets.get(order.coin);
    const crossed = more.crossed ?? false;
    const buy = order.side === "B";
    const paid =
      more.fee === undefined ? this.fee(m, buy, sz, px, crossed) : { fee: more.fee, feeToken: more.feeToken ?? "USDC" };
    const builder = order.builder
      ? cut(times(times(sz, px), over(BigInt(order.builder.f) * 10n ** 12n, 100000n * 10n ** 12n)), 6)
      : 0n;
    const fee = paid.fee + builder;
    const how = this.book(m, buy, sz, px, fee, paid.feeToken);
    if (!more.keep) order.sz -= sz;
    order.filled = (order.filled ?? 0n) + sz;
    const row = {
      coin: m.coin,
      px: wire(px),
      sz: wire(sz),
      side: order.side,
      time: more.time ?? this.now(),
      startPosition: wire(how.start),
      dir: more.dir ?? how.dir,
      closedPnl: wire(how.pnl),
    };
    Object.assign(row, {
      hash:
        more.hash ??
        `0x${createHash("sha256")
          .update(String(++this.tid))
          .digest("hex")}`,
      oid: order.oid,
      crossed,
      fee: wire(fee),
      tid: more.tid ?? this.tid * 1009,
      feeToken: paid.feeToken,
      twapId: more.twapId ?? null,
    });
    if (order.cloid && !more.noCloid) row.cloid = order.cloid;
    if (builder) row.builderFee = wire(builder);
    if (more.liquidation) row.liquidation = more.liquidation;
    this.fills.push({ t: Date.now(), row });
    this.note("fill", {
      oid: order.oid,
      coin: m.coin,
      sz: plain(sz),
      px: plain(px),
      side: order.side,
      fee: plain(fee),
    });
    this.tell("fill", row);
    if (!more.keep && order.sz === 0n) this.set(order, "filled");
    if (!more.quiet) this.reduceOnlyCheck(m.coin);
    this.snap();
    return row;
  }
  reduceOnlyCheck(coin) {
    const szi = this.holding(coin).szi;
    for (const o of this.orders.values()) {
      if (o.coin !== coin || !o.reduceOnly || o.trigger || o.status !== "open") continue;
      if (szi === 0n || szi > 0n === (o.side === "B")) this.set(o, "reduceOnlyCanceled");
    }
  }
  make(want) {
    const m = this.markets.get(want.coin);
    const order = {
      oid: ++this.oid,
      timestamp: this.now(),
      born: Date.now(),
      statuses: [],
      status: "new",
      filled: 0n,
      dex: m.dex,
      ...want,
      origSz: want.sz,
    };
    this.orders.set(order.oid, order);
    if (order.cloid) this.cloids.set(order.cloid, order.oid);
    this.note("order", {
      oid: order.oid,
      coin: order.coin,
      side: order.side,
      sz: plain(order.sz),
      px: plain(order.px),
      cloid: order.cloid ?? null,
      reduceOnly: order.reduceOnly,
      trigger: order.trigger ?? null,
      tif: order.tif,
    });
    return order;
  }
  // The owner by their own hand, on the exchange's site.
  hand(coin, side, sz, px, more = {}) {
    const order = this.make({ coin, side, px: d(px), sz: d(sz), tif: "FrontendMarket", reduceOnly: false });
    this.fill(order, d(sz), d(px), { crossed: true, ...more });
    return order;
  }
  refuse(order, status, text) {
    this.set(order, status);
    return { error: `${text} asset=${this.markets.get(order.coin).a}` };
  }
  // One order of an action, after static checks; answers its status entry.
  place(w, builder, grouping, _live = true) {
    const m = this.market(w.a);
    const trigger = w.t.trigger
      ? { px: d(w.t.trigger.triggerPx), tpsl: w.t.trigger.tpsl, market: w.t.trigger.isMarket }
      : null;
    const order = this.make({
      coin: m.coin,
      side: w.b ? "B" : "A",
      px: d(w.p),
      sz: d(w.s),
      tif: trigger ? null : w.t.limit.tif,
      reduceOnly: w.r,
      cloid: w.c?.toLowerCase(),
      trigger,
      builder,
      grouping,
    });
    const ref = w.c ? { oid: order.oid, cloid: order.cloid } : { oid: order.oid };
    if (m.delisted || m.halted) return this.refuse(order, "rejected", "Trading is halted.");
    if (trigger) {
      this.set(order, "open");
      this.snap();
      if (this.met(order)) this.fire(order);
      return grouping === "na" ? { resting: ref } : "waitingForTrigger";
    }
    const szi = this.holding(m.coin).szi;
    if (w.r && (szi === 0n || szi > 0n === w.b))
      return this.refuse(order, "reduceOnlyRejected", "Reduce only order would increase position.");
    if (times(order.sz, order.px) < d("10") && !(w.r && order.sz >= abs(szi)))
      return this.refuse(order, "minTradeNtlRejected", "Order must have minimum value of $10.");
    const best = w.b ? this.ask(m) : this.bid(m);
    const crosses = w.b ? order.px >= best : order.px <= best;
    if (order.tif === "Alo" && crosses)
      return this.refuse(
        order,
        "badAloPxRejected",
        `Post only order would have immediately matched, bbo was ${plain(this.bid(m))}@${plain(this.ask(m))}.`,
      );
    const ioc = order.tif === "Ioc" || order.tif === "FrontendMarket";
    if (ioc && (!crosses || m.depth === 0n))
      return this.refuse(order, "iocCancelRejected", "Order could not immediately match against any resting orders.");
    if (!ioc || crosses) this.set(order, "open");
    if (crosses) {
      let take = m.depth !== null && m.depth < order.sz ? m.depth : order.sz;
      if (w.r && take > abs(szi)) take = abs(szi);
      if (take > 0n) this.fill(order, take, best, { crossed: true });
      if (ioc && order.status === "open") this.set(order, "filled");
      if (order.filled > 0n && (ioc || order.status === "filled"))
        return { filled: { totalSz: plain(order.filled), avgPx: plain(best), ...ref } };
    }
    this.snap();
    return { resting: ref };
  }
  cancelOne(order, status = "canceled") {
    if (!order || !this.live(order)) return false;
    this.set(order, status);
    this.snap();
    return true;
  }
  setMid(coin, px) {
    const m = this.markets.get(coin);
    m.mid = d(px);
    m.oracle = m.mid;
    this.note("mid", { coin, px });
    for (const o of [...this.orders.values()]) {
      if (o.coin !== coin || o.status !== "open") continue;
      if (o.trigger) {
        if (this.met(o)) this.fire(o);
      } else if (o.side === "B" ? o.px >= this.ask(m) : o.px <= this.bid(m)) this.fill(o, o.sz, o.px);
    }
    this.snap();
    this.tell("mid", coin);
  }
  met(o) {
    const { mid } = this.markets.get(o.coin);
    return (o.trigger.tpsl === "tp") === (o.side === "A") ? mid >= o.trigger.px : mid <= o.trigger.px;
  }
  fire(o) {
    const m = this.markets.get(o.coin);
    const szi = this.holding(o.coin).szi;
    this.set(o, "triggered");
    if (o.reduceOnly && (szi === 0n || szi > 0n === (o.side === "B"))) return this.set(o, "reduceOnlyRejected");
    const take = o.reduceOnly && o.sz > abs(szi) ? abs(szi) : o.sz;
    const px = o.side === "B" ? this.ask(m) : this.bid(m);
    if (!o.trigger.market) return this.set(o, "open");
    if (take < o.sz) o.sz = take;
    this.fill(o, take, px, { crossed: true });
  }
  pay(coin, usdc, rate, time = this.now(), szi = null) {
    const m = this.markets.get(coin);
    this.cash.set(m.dex, this.cash.get(m.dex) + d(usdc));
    const p = this.positions.get(coin);
    if (p) p.since -= d(usdc);
    const row = {
      time,
      hash: ZERO_HASH,
      delta: {
        type: "funding",
        coin,
        usdc: wire(d(usdc)),
        szi: wire(szi === null ? this.holding(coin).szi : d(szi)),
        fundingRate: rate,
        nSamples: null,
      },
    };
    this.funding.push({ t: Date.now(), row });
    this.note("funding", { coin, usdc });
    this.tell("funding", row);
    this.snap();
  }
  move(delta, apply, time = this.now()) {
    const row = {
      time,
      hash: `0x${createHash("sha256").update(`l${this.ledger.length}${time}`).digest("hex")}`,
      delta,
    };
    this.ledger.push({ t: Date.now(), row });
    apply?.();
    this.note("ledger", { delta });
    this.tell("ledger", row);
    this.snap();
  }
  snap() {
    this.snaps.push({ t: Date.now(), state: this.capture() });
    this.tell("state", null);
  }
  capture() {
    const open = [...this.orders.values()].filter((o) => o.status === "open").map((o) => ({ ...o }));
    return {
      open,
      positions: new Map([...this.positions].map(([k, v]) => [k, { ...v }])),
      cash: new Map(this.cash),
      spot: new Map(this.spot),
      leverage: new Map(this.leverage),
    };
  }
}
