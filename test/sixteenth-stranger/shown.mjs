// What the exchange shows: each store as it was some time ago, by a lag of its own.
import { abs, cut, d, over, plain, times, wire } from "./decimal.mjs";
import { Rare } from "./rare.mjs";

export class Shown extends Rare {
  asOf(store) {
    const lag = this.x.lag[store] ?? this.x.lag.all ?? 0;
    return Date.now() - (typeof lag === "function" ? lag() : lag);
  }
  snap(store) {
    const t = this.asOf(store);
    const list = this.x.snaps;
    for (let i = list.length - 1; i >= 0; i--)
      if (list[i].t <= t)
        return { state: list[i].state, time: (list[i].t === t || t < Date.now() ? t : t - 1) + this.x.skew };
    return { state: list[0].state, time: t + this.x.skew };
  }
  position(coin, p, leverage) {
    const m = this.x.markets.get(coin);
    const lev = leverage.get(coin) ?? { type: "cross", value: m.lev };
    const value = times(abs(p.szi), m.mid);
    const pnl = times(p.szi, m.mid) - p.cost;
    const margin = cut(value / BigInt(lev.value), 6);
    const roe = p.cost === 0n ? 0n : cut(over(pnl, abs(p.cost) / BigInt(lev.value)), 10);
    const liquidation = p.liq ?? null;
    const leverageShown =
      lev.type === "isolated"
        ? { type: "isolated", value: lev.value, rawUsd: wire(margin - p.cost) }
        : { type: "cross", value: lev.value };
    const f = wire(-(this.x.cumFunding.get(coin) ?? 0n));
    return {
      type: "oneWay",
      position: {
        coin,
        szi: wire(p.szi),
        leverage: leverageShown,
        entryPx: wire(cut(over(p.cost, p.szi), 6)),
        positionValue: wire(cut(value, 6)),
        unrealizedPnl: wire(cut(pnl, 6)),
        returnOnEquity: wire(roe),
        liquidationPx: liquidation,
        marginUsed: wire(margin),
        maxLeverage: m.lev,
        cumFunding: { allTime: f, sinceOpen: wire(p.since), sinceChange: "0.0" },
      },
    };
  }
  clearinghouse(dex, store = "positions") {
    const { state, time } = this.snap(store);
    const rows = [...state.positions].filter(([c]) => this.x.markets.get(c).dex === dex);
    const shown = rows.map(([coin, p]) => this.position(coin, p, state.leverage));
    let [value, ntl, pnl, used, raw] = [0n, 0n, 0n, 0n, state.cash.get(dex) ?? 0n];
    for (const [coin, p] of rows) {
      const m = this.x.markets.get(coin);
      ntl += cut(times(abs(p.szi), m.mid), 6);
      pnl += times(p.szi, m.mid) - p.cost;
      raw -= p.cost;
    }
    for (const s of shown) used += d(s.position.marginUsed);
    value = (state.cash.get(dex) ?? 0n) + pnl;
    const maintenance = rows.reduce(
      (a, [c, p]) => a + times(abs(p.szi), this.x.markets.get(c).mid) / BigInt(2 * this.x.markets.get(c).lev),
      0n,
    );
    const hold = used > ntl / 10n ? used : ntl / 10n;
    const free = value - hold;
    const summary = {
      accountValue: wire(cut(value, 6)),
      totalNtlPos: wire(ntl),
      totalRawUsd: wire(cut(raw, 6)),
      totalMarginUsed: wire(used),
    };
    return {
      marginSummary: summary,
      crossMarginSummary: summary,
      crossMaintenanceMarginUsed: wire(cut(maintenance, 6)),
      withdrawable: wire(free > 0n ? cut(free, 6) : 0n),
      assetPositions: shown,
      time,
    };
  }
  spotState(store = "spot") {
    const { state } = this.snap(store);
    const holds = new Map();
    for (const o of state.open) {
      const m = this.x.markets.get(o.coin);
      if (m.kind !== "spot") continue;
      const [token, held] = o.side === "B" ? [m.quote, times(o.sz, o.px)] : [m.base, o.sz];
      holds.set(token, (holds.get(token) ?? 0n) + held);
    }
    return {
      balances: [...state.spot].map(([coin, b]) => ({
        coin,
        token: this.x.tokens[coin].index,
        hold: wire(holds.get(coin) ?? 0n),
        total: wire(cut(b.total, 8)),
        entryNtl: wire(cut(b.entry, 8)),
      })),
    };
  }
  row(o, sz = o.sz) {
    const condition = o.trigger
      ? `Price ${(o.trigger.tpsl === "tp") === (o.side === "A") ? "above" : "below"} ${plain(o.trigger.px)}`
      : "N/A";
    const type = o.trigger
      ? `${o.trigger.tpsl === "tp" ? "Take Profit" : "Stop"} ${o.trigger.market ? "Market" : "Limit"}`
      : o.tif === "FrontendMarket"
        ? "Market"
        : "Limit";
    return {
      coin: o.coin,
      side: o.side,
      limitPx: wire(o.px),
      sz: wire(sz),
      oid: o.oid,
      timestamp: o.timestamp,
      triggerCondition: condition,
      isTrigger: !!o.trigger,
      triggerPx: o.trigger ? wire(o.trigger.px) : "0.0",
      children: [],
      isPositionTpsl: o.grouping === "positionTpsl",
      reduceOnly: !!o.reduceOnly,
      orderType: type,
      origSz: wire(o.origSz),
      tif: o.trigger ? null : o.tif,
      cloid: o.cloid ?? null,
    };
  }
  open(dex, store = "open") {
    const { state } = this.snap(store);
    return state.open.filter((o) => o.dex === (dex ?? "")).map((o) => this.row(o));
  }
  record(o, store = "status") {
    const t = this.asOf(store);
    const seen = o.statuses.filter((s) => s.t <= t);
    if (seen.length === 0) return null;
    const last = seen[seen.length - 1];
    return { order: this.row(o, last.sz), status: last.status, statusTimestamp: last.at };
  }
  orderStatus(oid) {
    const text = String(oid).toLowerCase();
    const o = text.startsWith("0x") ? this.x.orders.get(this.x.cloids.get(text)) : this.x.orders.get(Number(oid));
    const record = o && !o.forgotten && this.record(o);
    return record ? { status: "order", order: record } : { status: "unknownOid" };
  }
  history() {
    const t = this.asOf("history");
    const rows = [];
    for (const o of this.x.orders.values())
      for (const s of o.statuses)
        if (s.t <= t && !o.forgotten) rows.push({ order: this.row(o, s.sz), status: s.status, statusTimestamp: s.at });
    return rows.sort((a, b) => b.statusTimestamp - a.statusTimestamp || b.order.oid - a.order.oid).slice(0, 2000);
  }
  rows(list, body, store, cap) {
    const t = this.asOf(store);
    const from = body.startTime ?? 0;
    const to = body.endTime ?? Infinity;
    return list
      .filter((f) => f.t + (f.late ?? 0) <= t && f.row.time >= from && f.row.time <= to)
      .map((f) => f.row)
      .sort((a, b) => a.time - b.time)
      .slice(0, cap);
  }
  fills(body) {
    return this.rows(this.x.fills, body, "fills", 2000);
  }
  newestFills() {
    const t = this.asOf("fills");
    return this.x.fills
      .filter((f) => f.t + (f.late ?? 0) <= t)
      .map((f) => f.row)
      .sort((a, b) => b.time - a.time)
      .slice(0, 2000);
  }
  meta(dex = "") {
    const list = [...this.x.markets.values()]
      .filter((m) => m.kind === "perp" && m.dex === dex)
      .sort((a, b) => a.a - b.a);
    const universe = list.map((m) => ({
      szDecimals: m.sz,
      name: m.name ?? m.coin,
      maxLeverage: m.lev,
      marginTableId: m.lev,
      ...(m.delisted ? { isDelisted: true } : {}),
    }));
    return { universe, marginTables: [], collateralToken: this.x.collateral[dex] };
  }
  contexts(dex = "") {
    const list = [...this.x.markets.values()]
      .filter((m) => m.kind === "perp" && m.dex === dex)
      .sort((a, b) => a.a - b.a);
    return list.map((m) => this.context(m));
  }
  context(m) {
    const common = {
      prevDayPx: wire(m.mid),
      dayNtlVlm: "1000000.0",
      markPx: wire(m.mid),
      midPx: wire(m.mid),
      dayBaseVlm: "1000.0",
    };
    if (m.kind === "spot") return { ...common, circulatingSupply: "1000000.0", coin: m.coin, totalSupply: "1000000.0" };
    return {
      funding: "0.0000125",
      openInterest: "39338.76",
      ...common,
      premium: "0.0",
      oraclePx: wire(m.oracle),
      impactPxs: [wire(this.x.bid(m)), wire(this.x.ask(m))],
    };
  }
  spotMeta() {
    const universe = [...this.x.markets.values()]
      .filter((m) => m.kind === "spot")
      .map((m) => ({
        tokens: [this.x.tokens[m.base].index, this.x.tokens[m.quote].index],
        name: m.coin,
        index: m.index,
        isCanonical: m.index === 0,
      }));
    const list = Object.entries(this.x.tokens).map(([name, t]) => ({
      name,
      szDecimals: t.sz,
      weiDecimals: t.wei,
      index: t.index,
      tokenId: `0x${String(t.index).padStart(32, "0")}`,
      isCanonical: t.index < 2,
      evmContract: null,
      fullName: null,
      deployerTradingFeeShare: "0.0",
    }));
    return { universe, tokens: list };
  }
  book(coin) {
    const m = this.x.markets.get(coin);
    if (!m) return null;
    const depth = (px, i, sign) => ({
      px: wire(px + BigInt(sign * i) * this.x.tick(m)),
      sz: wire(m.depth ?? d("1000")),
      n: 3,
    });
    return {
      coin,
      time: this.x.now(),
      levels: [[0, 1, 2].map((i) => depth(this.x.bid(m), i, -1)), [0, 1, 2].map((i) => depth(this.x.ask(m), i, 1))],
    };
  }
  mids(dex = "") {
    const out = {};
    for (const m of this.x.markets.values()) if (m.dex === dex) out[m.coin] = wire(m.mid);
    return out;
  }
  info(body) {
    const x = this.x;
    switch (body.type) {
      case "meta":
        return this.meta(body.dex);
      case "metaAndAssetCtxs":
        return [this.meta(body.dex), this.contexts(body.dex)];
      case "allPerpMetas":
        return ["", "xyz", "hyna"].map((dex) => this.meta(dex));
      case "perpDexs":
        return [
          null,
          ...["xyz", "hyna"].map((name) => ({
            name,
            fullName: name.toUpperCase(),
            deployer: `0x${"8".repeat(40)}`,
            oracleUpdater: null,
            feeRecipient: null,
            assetToStreamingOiCap: [],
            subDeployers: [],
            deployerFeeScale: "1.0",
            lastDeployerFeeScaleChangeTime: "1970-01-01T00:00:00",
            assetToFundingMultiplier: [],
            assetToFundingInterestRate: [],
          })),
        ];
      case "spotMeta":
        return this.spotMeta();
      case "spotMetaAndAssetCtxs":
        return [this.spotMeta(), [...x.markets.values()].filter((m) => m.kind === "spot").map((m) => this.context(m))];
      case "allMids":
        return this.mids(body.dex);
      case "l2Book":
        return this.book(body.coin);
      case "clearinghouseState":
        return this.mine(body) ? this.clearinghouse(body.dex ?? "") : this.nobody();
      case "spotClearinghouseState":
        return this.mine(body) ? this.spotState() : { balances: [] };
      case "openOrders":
        return this.mine(body)
          ? this.open(body.dex).map(({ coin, side, limitPx, sz, oid, timestamp, origSz, cloid }) => ({
              coin,
              side,
              limitPx,
              sz,
              oid,
              timestamp,
              origSz,
              ...(cloid ? { cloid } : {}),
            }))
          : [];
      case "frontendOpenOrders":
        return this.mine(body) ? this.open(body.dex) : [];
      case "historicalOrders":
        return this.mine(body) ? this.history() : [];
      case "orderStatus":
        return this.mine(body) ? this.orderStatus(body.oid) : { status: "unknownOid" };
      case "userFills":
        return this.mine(body) ? this.newestFills() : [];
      case "userFillsByTime":
        return this.mine(body) ? this.fills(body) : [];
      case "userTwapSliceFills":
        return this.mine(body)
          ? this.newestFills()
              .filter((f) => f.twapId)
              .map((fill) => ({ fill, twapId: fill.twapId }))
          : [];
      case "userTwapSliceFillsByTime":
        return this.fills(body)
          .filter((f) => f.twapId)
          .map((fill) => ({ fill, twapId: fill.twapId }));
      case "twapHistory":
        return this.mine(body)
          ? x.twapRows
              .filter((r) => r.t <= this.asOf("twaps"))
              .map((r) => r.row)
              .reverse()
          : [];
      case "userFunding":
        return this.mine(body) ? this.rows(x.funding, body, "funding", 500) : [];
      case "userNonFundingLedgerUpdates":
        return this.mine(body) ? this.rows(x.ledger, body, "ledger", 500) : [];
      default:
        return this.rare(body);
    }
  }
}
