// What each store of the exchange shows at a moment T: record, open list, history, fills, state, spot, TWAPs.
import { cut, text, tidy } from "./ledger.mjs";

export class Views {
  constructor(ledger) {
    this.ledger = ledger;
  }
  frontend(o, sz) {
    const above = o.trigger && (o.trigger.tpsl === "tp") === (o.side === "A");
    const kind = o.trigger
      ? `${o.trigger.tpsl === "tp" ? "Take Profit" : "Stop"} ${o.trigger.isMarket ? "Market" : "Limit"}`
      : "Limit";
    return {
      coin: o.coin,
      side: o.side,
      limitPx: text(o.limitPx),
      sz: text(sz),
      oid: o.oid,
      timestamp: o.ts,
      triggerCondition: o.trigger ? `Price ${above ? "above" : "below"} ${o.trigger.px}` : "N/A",
      isTrigger: o.trigger !== null,
      triggerPx: o.trigger ? text(o.trigger.px) : "0.0",
      children: [],
      isPositionTpsl: false,
      reduceOnly: o.reduceOnly,
      orderType: o.twapId ? "Twap Slice" : kind,
      origSz: text(o.origSz),
      tif: o.tif,
      cloid: o.cloid ?? null,
    };
  }
  all() {
    return [...this.ledger.orders.values()];
  }
  record(o, at) {
    const entry = this.ledger.entryAt(o, at);
    if (!entry) return null;
    return { order: this.frontend(o, entry.sz), status: entry.status, statusTimestamp: entry.t };
  }
  remaining(o, at) {
    return tidy(o.origSz - this.ledger.filledAt(o, at));
  }
  openList(dex, at) {
    return this.all()
      .filter((o) => this.ledger.dexOf(o.coin) === dex && this.ledger.isLiveAt(o, at))
      .map((o) => this.frontend(o, this.remaining(o, at)));
  }
  plainOpen(dex, at) {
    return this.openList(dex, at).map((o) => ({
      coin: o.coin,
      side: o.side,
      limitPx: o.limitPx,
      sz: o.sz,
      oid: o.oid,
      timestamp: o.timestamp,
      origSz: o.origSz,
      ...(o.reduceOnly ? { reduceOnly: true } : {}),
      ...(o.cloid ? { cloid: o.cloid } : {}),
    }));
  }
  history(at) {
    const rows = [];
    for (const o of this.all()) {
      if (o.twapId) continue;
      for (const e of o.log)
        if (e.t <= at) rows.push({ order: this.frontend(o, e.sz), status: e.status, statusTimestamp: e.t });
    }
    return rows.sort((a, b) => b.statusTimestamp - a.statusTimestamp).slice(0, 2000);
  }
  fill(f) {
    const isSpot = this.ledger.isSpot(f.coin);
    const d = f.side === "B";
    const dir = isSpot
      ? d
        ? "Buy"
        : "Sell"
      : `${f.startPosition * (d ? 1 : -1) < 0 ? "Close" : "Open"} ${(f.startPosition * (d ? 1 : -1) < 0) === d ? "Short" : "Long"}`;
    return {
      coin: f.coin,
      px: text(f.px),
      sz: text(f.sz),
      side: f.side,
      time: f.t,
      startPosition: text(f.startPosition),
      dir,
      closedPnl: text(f.closedPnl),
      hash: f.twapId ? `0x${"0".repeat(64)}` : `0x${f.tid.toString(16).padStart(64, "a")}`,
      oid: f.oid,
      crossed: f.crossed,
      fee: text(f.fee),
      tid: f.tid,
      feeToken: this.feeToken(f),
      ...(f.cloid ? { cloid: f.cloid } : {}),
      twapId: f.twapId,
    };
  }
  feeToken(f) {
    if (this.ledger.dexOf(f.coin) === "xyz") return "USDE";
    return f.coin === "@107" && f.side === "B" ? "HYPE" : "USDC";
  }
  fills(at, from = 0, to = Infinity) {
    return this.ledger.fills.filter((f) => f.t <= at && f.t >= from && f.t <= to).map((f) => this.fill(f));
  }
  position(coin, at) {
    const { szi, entry } = this.ledger.position(coin, at);
    if (szi === 0) return null;
    const set = this.ledger.leverage(coin, at);
    const mark = this.ledger.mark(coin, at);
    const value = Math.abs(szi) * mark;
    const pnl = szi * (mark - entry);
    const base = (Math.abs(szi) * entry) / set.leverage;
    const raw = base - entry * szi;
    return {
      coin,
      szi,
      value,
      pnl,
      set,
      entry,
      mark,
      base,
      marginUsed: set.isCross ? value / set.leverage : raw + szi * mark,
      raw,
      max: this.ledger.info(coin).maxLeverage,
    };
  }
  state(dex, at) {
    const l = this.ledger;
    const held = l.universes[dex].map((m) => this.position(m.name, at)).filter(Boolean);
    let cash = l.cash.filter((c) => c.where === dex && c.t <= at).reduce((s, c) => s + c.amount, 0);
    for (const f of l.fills) if (l.dexOf(f.coin) === dex && !l.isSpot(f.coin) && f.t <= at) cash += f.closedPnl - f.fee;
    const sum = (rows, of) => rows.reduce((s, r) => s + of(r), 0);
    const cross = held.filter((p) => p.set.isCross);
    const total = cash + sum(held, (p) => p.pnl);
    const crossValue =
      total -
      sum(
        held.filter((p) => !p.set.isCross),
        (p) => p.marginUsed,
      );
    const maintenance = sum(cross, (p) => p.value / (2 * p.max));
    const used = sum(cross, (p) => p.marginUsed);
    const withdrawable = Math.max(0, crossValue - Math.max(used, 0.1 * sum(cross, (p) => p.value)));
    const summary = (value, rows) => ({
      accountValue: cut(value, 6),
      totalNtlPos: cut(
        sum(rows, (p) => p.value),
        6,
      ),
      totalRawUsd: cut(value - sum(rows, (p) => p.szi * p.mark), 6),
      totalMarginUsed: cut(
        sum(rows, (p) => p.marginUsed),
        6,
      ),
    });
    return {
      marginSummary: summary(total, held),
      crossMarginSummary: summary(crossValue, cross),
      crossMaintenanceMarginUsed: cut(maintenance, 6),
      withdrawable: cut(withdrawable, 6),
      assetPositions: held.map((p) => ({ type: "oneWay", position: this.shown(p, crossValue - maintenance) })),
      time: Math.min(at, Date.now()),
    };
  }
  shown(p, crossFree) {
    const l = 1 / (2 * p.max);
    const side = Math.sign(p.szi);
    const free = p.set.isCross ? crossFree : p.marginUsed - p.value * l;
    const liquidation = p.mark - (side * free) / Math.abs(p.szi) / (1 - l * side);
    return {
      coin: p.coin,
      szi: text(p.szi),
      leverage: p.set.isCross
        ? { type: "cross", value: p.set.leverage }
        : { type: "isolated", value: p.set.leverage, rawUsd: cut(p.raw, 6) },
      entryPx: text(p.entry, 6),
      positionValue: cut(p.value, 6),
      unrealizedPnl: cut(p.pnl, 6),
      returnOnEquity: cut(p.pnl / p.base, 10),
      liquidationPx: liquidation > 0 ? cut(liquidation, 10) : null,
      marginUsed: cut(p.marginUsed, 6),
      maxLeverage: p.max,
      cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
    };
  }
  spotState(at) {
    const l = this.ledger;
    const totals = { USDC: 0, HYPE: 0, PURR: 0, USDE: 0 };
    for (const c of l.cash) if (c.t <= at && totals[c.where] !== undefined) totals[c.where] += c.amount;
    const holds = { USDC: 0, HYPE: 0, PURR: 0, USDE: 0 };
    for (const o of this.all().filter((one) => l.isSpot(one.coin))) {
      const base = o.coin === "@107" ? "HYPE" : "PURR";
      for (const f of l.fills.filter((one) => one.oid === o.oid && one.t <= at)) {
        const d = f.side === "B" ? 1 : -1;
        totals[base] += d * f.sz - (f.side === "B" ? f.fee : 0);
        totals.USDC -= d * f.sz * f.px + (f.side === "A" ? f.fee : 0);
      }
      if (!l.isLiveAt(o, at)) continue;
      const left = this.remaining(o, at);
      if (o.side === "B") holds.USDC += left * o.limitPx;
      else holds[base] += left;
    }
    const rows = l.tokens.map(([token, coin]) => ({
      coin,
      token,
      total: text(totals[coin]),
      hold: text(holds[coin]),
      entryNtl: "0.0",
    }));
    return { balances: rows.filter((r) => r.total !== "0.0") };
  }
  twapState(w, e) {
    return {
      coin: w.coin,
      user: this.user,
      side: w.side,
      sz: text(w.sz),
      executedSz: text(e.executedSz),
      executedNtl: text(e.executedNtl),
      minutes: w.minutes,
      reduceOnly: w.reduceOnly,
      randomize: w.randomize,
      stopPx: null,
      trigger: null,
      timestamp: w.t,
    };
  }
  twapHistory(at) {
    const rows = [];
    for (const w of this.ledger.twaps) {
      const seen = new Set();
      for (const e of w.log) {
        if (e.t > at || seen.has(e.status)) continue;
        seen.add(e.status);
        rows.push({
          time: Math.floor(e.t / 1000),
          state: this.twapState(w, e),
          status: { status: e.status },
          twapId: w.id,
        });
      }
    }
    return rows.reverse();
  }
  twapStates(at) {
    const running = this.ledger.twaps.filter((w) => w.log.findLast((e) => e.t <= at)?.status === "activated");
    return running.map((w) => [
      w.id,
      this.twapState(
        w,
        w.log.findLast((e) => e.t <= at),
      ),
    ]);
  }
}
