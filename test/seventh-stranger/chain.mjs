// The true exchange: accounts, orders, fills, balances. What it holds is the truth that everything told is judged by.
import { abs, cut, div, min, mul, num, text } from "./codec.mjs";
import { levels, listings } from "./markets.mjs";
import { snapshot } from "./snapshots.mjs";

const RATE = { perp: [num("0.00045"), num("0.00015")], spot: [num("0.0007"), num("0.0004")] };

export class Chain {
  constructor() {
    this.lists = listings();
    this.accounts = new Map();
    this.masters = new Map(); // sub-account or vault -> who signs for it
    this.agents = new Map(); // agent -> {master, name}
    this.nonces = new Map();
    this.nextOid = 500_000_000_000;
    this.nextTwap = 77_000_000;
    this.nextTid = 100_000_000_000;
    this.log = []; // everything that was executed, in order
  }

  fund(address, usd = "100000", more = {}) {
    const account = {
      address,
      cash: {},
      positions: new Map(),
      settings: new Map(),
      spot: new Map(),
      orders: new Map(),
      fills: [],
      history: [],
      updates: [],
      twaps: new Map(),
      twapRows: [],
      lines: new Map(),
      used: 0,
      volume: 0n,
    };
    for (const dex of this.lists.dexes) account.cash[dex.name] = num(usd);
    for (const [token, amount] of Object.entries({ USDC: usd, USDH: usd, ...more }))
      account.spot.set(token, num(amount));
    this.accounts.set(address, account);
    snapshot(this, account);
    return account;
  }

  // ---- margin and balances

  setting(account, market) {
    const only = market.more.onlyIsolated ? "isolated" : "cross";
    return account.settings.get(market.name) ?? { type: only, value: Math.min(20, market.maxLeverage) };
  }

  pnl(position) {
    return mul(position.szi, this.lists.coin(position.coin).price - position.entry);
  }

  used(account, position) {
    const market = this.lists.coin(position.coin);
    if (position.type === "isolated") return position.collateral + this.pnl(position);
    return mul(abs(position.szi), market.price) / BigInt(this.setting(account, market).value);
  }

  held(account, dex) {
    return [...account.positions.values()].filter((p) => this.lists.dexOf(this.lists.coin(p.coin)).name === dex);
  }

  free(account, dex) {
    let free = account.cash[dex];
    for (const p of this.held(account, dex)) if (p.type === "cross") free += this.pnl(p) - this.used(account, p);
    for (const o of account.orders.values()) {
      if (
        o.status !== "open" ||
        o.trigger ||
        o.reduceOnly ||
        o.market.kind !== "perp" ||
        this.lists.dexOf(o.market).name !== dex
      )
        continue;
      free -= mul(o.sz, o.px) / BigInt(this.setting(account, o.market).value);
    }
    return free;
  }

  hold(account, token) {
    let hold = 0n;
    for (const o of account.orders.values()) {
      if (o.status !== "open" || o.market.kind !== "spot") continue;
      const [base, quote] = o.market.tokens.map((t) => this.lists.token(t).name);
      if (o.isBuy && quote === token) hold += mul(o.sz, o.px);
      if (!o.isBuy && base === token) hold += o.sz;
    }
    return hold;
  }

  // ---- orders

  status(order, status, at = Date.now()) {
    order.status = status;
    order.statusAt = at;
    const row = { order: this.front(order), status, statusTimestamp: at };
    order.rows.push({ t: at, row });
    order.account.history.push({ t: at, row });
    const { coin, side, limitPx, sz, oid, timestamp, origSz, cloid, reduceOnly } = row.order;
    const update = {
      order: {
        coin,
        side,
        limitPx,
        sz,
        oid,
        timestamp,
        origSz,
        ...(cloid ? { cloid } : {}),
        ...(reduceOnly ? { reduceOnly } : {}),
      },
      status,
      statusTimestamp: at,
    };
    order.account.updates.push({ t: at, update });
  }

  front(o) {
    const t = o.trigger;
    const above = t && (t.tpsl === "tp") === !o.isBuy;
    const kind = o.twapId
      ? "Twap Slice"
      : t
        ? `${t.tpsl === "tp" ? "Take Profit" : "Stop"} ${t.isMarket ? "Market" : "Limit"}`
        : "Limit";
    return {
      coin: o.market.name,
      side: o.isBuy ? "B" : "A",
      limitPx: text(o.px),
      sz: text(o.sz),
      oid: o.oid,
      timestamp: o.at,
      triggerCondition: t ? `Price ${above ? "above" : "below"} ${text(t.px)}` : "N/A",
      isTrigger: !!t && !o.fired,
      triggerPx: t ? text(t.px) : "0.0",
      children: [],
      isPositionTpsl: false,
      reduceOnly: o.reduceOnly,
      orderType: kind,
      origSz: text(o.orig),
      tif: t ? null : o.tif,
      cloid: o.cloid ?? null,
    };
  }

  make(account, market, wire) {
    const trigger = wire.t.trigger;
    return {
      oid: this.nextOid++,
      account,
      market,
      isBuy: wire.b,
      px: num(wire.p),
      sz: num(wire.s),
      orig: num(wire.s),
      tif: wire.t.limit?.tif ?? null,
      reduceOnly: wire.r,
      trigger: trigger ? { isMarket: trigger.isMarket, px: num(trigger.triggerPx), tpsl: trigger.tpsl } : null,
      cloid: wire.c?.toLowerCase(),
      at: Date.now(),
      rows: [],
      fills: [],
      status: "new",
      fired: false,
    };
  }

  close(order, status) {
    if (order.status !== "open") return;
    this.status(order, status);
    this.settle(order.account);
  }

  /** What a taker finds at once, up to its price; returns what was filled. */
  take(order, limit = order.px) {
    let got = 0n;
    for (const level of levels(order.market, order.isBuy)) {
      if (order.sz === 0n || (order.isBuy ? level.px > limit : level.px < limit)) break;
      const sz = min(order.sz, level.sz);
      if (sz === 0n) continue;
      this.fill(order, { sz, px: level.px, crossed: true });
      got += sz;
    }
    return got;
  }

  /** One execution: `more` goes into what the fill shows. */
  fill(order, execution) {
    const { sz, px, crossed, more = {} } = execution;
    const { account, market } = order;
    order.sz -= sz;
    order.account.volume += mul(sz, px);
    const now = Date.now();
    const cost = market.kind === "spot" ? this.fillSpot(order, execution) : this.fillPerp(order, execution);
    const fill = {
      coin: market.name,
      px: text(px),
      sz: text(sz),
      side: order.isBuy ? "B" : "A",
      time: now,
      startPosition: text(cost.start),
      dir: cost.dir,
      closedPnl: text(cost.closed),
      hash: order.twapId ? `0x${"0".repeat(64)}` : `0x${String(this.nextTid).padStart(64, "a")}`,
      oid: order.oid,
      crossed,
      fee: text(cost.fee),
      tid: this.nextTid++,
      feeToken: cost.token,
      twapId: order.twapId ?? null,
      ...(order.cloid ? { cloid: order.cloid } : {}),
      ...more,
    };
    order.fills.push({ sz, px });
    account.fills.push({ t: now, fill });
    this.log.push({ t: now, what: "fill", account: account.address, oid: order.oid, sz: text(sz), px: text(px) });
  }

  fillSpot(order, { sz, px, crossed }) {
    const { account, market } = order;
    const [base, quote] = market.tokens.map((t) => this.lists.token(t));
    const rate = RATE.spot[crossed ? 0 : 1];
    const gross = mul(sz, px);
    const start = account.spot.get(base.name) ?? 0n;
    const add = (token, amount) => account.spot.set(token, (account.spot.get(token) ?? 0n) + amount);
    if (order.isBuy) {
      const fee = cut(mul(sz, rate), Math.min(base.weiDecimals, 10));
      add(base.name, sz - fee);
      add(quote.name, -gross);
      return { start, dir: "Buy", closed: 0n, fee, token: base.name };
    }
    const fee = cut(mul(gross, rate), 8);
    add(base.name, -sz);
    add(quote.name, gross - fee);
    return { start, dir: "Sell", closed: 0n, fee, token: quote.name };
  }

  fillPerp(order, { sz, px, crossed }) {
    const { account, market } = order;
    const dex = this.lists.dexOf(market);
    const set = this.setting(account, market);
    const p = account.positions.get(market.name) ?? {
      coin: market.name,
      szi: 0n,
      entry: 0n,
      type: set.type,
      collateral: 0n,
    };
    const start = p.szi;
    const delta = order.isBuy ? sz : -sz;
    const fee = cut(mul(mul(sz, px), RATE.perp[crossed ? 0 : 1]), 6);
    const closing = start !== 0n && start > 0n !== delta > 0n ? min(abs(start), sz) : 0n;
    const closed = closing === 0n ? 0n : mul(start > 0n ? closing : -closing, px - p.entry);
    account.cash[dex.name] += closed - fee;
    if (closing > 0n && p.type === "isolated") {
      const released = (p.collateral * closing) / abs(start);
      p.collateral -= released;
      account.cash[dex.name] += released;
    }
    const opening = sz - closing;
    p.szi = start + delta;
    if (opening > 0n) {
      const before = closing > 0n ? 0n : abs(start);
      p.entry = div(mul(before, p.entry) + mul(opening, px), before + opening);
      if (before === 0n) p.type = set.type;
      if (p.type === "isolated") {
        const moved = cut(mul(opening, px) / BigInt(set.value), 6);
        p.collateral += moved;
        account.cash[dex.name] -= moved;
      }
    }
    if (p.szi === 0n) account.positions.delete(market.name);
    else account.positions.set(market.name, p);
    const long = order.isBuy;
    const dir =
      closing === 0n
        ? `Open ${long ? "Long" : "Short"}`
        : opening > 0n
          ? long
            ? "Short > Long"
            : "Long > Short"
          : `Close ${long ? "Short" : "Long"}`;
    return { start, dir, closed: cut(closed, 6), fee, token: this.lists.token(dex.collateral).name };
  }

  /** Reduce-only orders shrink with what is left to reduce, or go. */
  settle(account) {
    for (const o of [...account.orders.values()]) {
      if (o.status !== "open" || !o.reduceOnly || (o.trigger && !o.fired)) continue;
      const szi = account.positions.get(o.market.name)?.szi ?? 0n;
      if (szi === 0n || szi > 0n === o.isBuy) this.status(o, "reduceOnlyCanceled");
      else if (o.sz > abs(szi)) o.sz = abs(szi);
    }
    snapshot(this, account);
  }

  // ---- what the world does

  /** The mark moves; what rests and is crossed fills, at most half of it where `partly`; what waits for it fires. */
  move(market, price, partly = false) {
    market.price = price;
    for (const account of this.accounts.values()) {
      for (const o of [...account.orders.values()]) {
        if (o.status !== "open" || o.market !== market) continue;
        if (o.trigger && !o.fired) this.fire(o);
        else if (o.isBuy ? price <= o.px : price >= o.px) this.rested(o, partly);
      }
      this.settle(account);
    }
  }

  rested(o, partly) {
    const half = cut(o.sz / 2n, o.market.szDecimals);
    const sz = partly && half > 0n ? half : o.sz;
    if (sz > 0n) this.fill(o, { sz, px: o.px, crossed: false });
    if (o.sz === 0n) this.status(o, "filled");
  }

  fire(o) {
    const { px, tpsl, isMarket } = o.trigger;
    const above = (tpsl === "tp") === !o.isBuy;
    if (above ? o.market.price < px : o.market.price > px) return;
    o.fired = true;
    this.status(o, "triggered");
    o.status = "open";
    const szi = o.account.positions.get(o.market.name)?.szi ?? 0n;
    if (o.reduceOnly) {
      if (szi === 0n || szi > 0n === o.isBuy) return this.status(o, "reduceOnlyRejected");
      o.sz = min(o.sz, abs(szi));
    }
    const got = this.take(o);
    if (o.sz === 0n) this.status(o, "filled");
    else if (isMarket) this.status(o, got > 0n ? "filled" : "marketOrderNoLiquidityRejected");
    return undefined;
  }

  /** Taken by the exchange at the mark, orders of the market canceled; isolated margin goes with it. */
  liquidate(account, coin) {
    const position = account.positions.get(coin);
    if (!position) return;
    const market = this.lists.coin(coin);
    for (const o of account.orders.values())
      if (o.status === "open" && o.market === market) this.status(o, "liquidatedCanceled");
    const wire = {
      b: position.szi < 0n,
      p: text(market.price),
      s: text(abs(position.szi)),
      r: true,
      t: { limit: { tif: "Ioc" } },
    };
    const order = this.make(account, market, wire);
    order.tif = "LiquidationMarket";
    account.orders.set(order.oid, order);
    this.fill(order, {
      sz: abs(position.szi),
      px: market.price,
      crossed: true,
      more: {
        liquidation: { liquidatedUser: account.address, markPx: text(market.price), method: "market" },
      },
    });
    this.status(order, "filled");
    this.settle(account);
  }
}
