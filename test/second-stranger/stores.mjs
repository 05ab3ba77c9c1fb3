// What the servers behind the balancer answer: each store of each server shows the true log as of a time of its own.
import { at, fmt, MARKETS, r8 } from "./core.mjs";

export const STORES = [
  "status",
  "open",
  "history",
  "fills",
  "state",
  "spot",
  "user",
  "twap",
  "market",
  "orderUpdates",
  "userFills",
  "wsState",
  "wsOpen",
];

/** Lags: a base for each server and store, and incidents on top. The log itself is never touched. */
export class Lags {
  constructor(rng, profile, start, activeMs, servers = 3) {
    this.rng = rng;
    this.p = profile;
    this.servers = servers;
    this.start = start;
    this.end = start + activeMs;
    this.base = [];
    this.incidents = [];
    for (let i = 0; i < servers; i++) {
      this.base.push(
        Object.fromEntries(
          STORES.map((s) => [s, rng.chance(profile.lagShare) ? rng.range(0, profile.baseLag) : rng.range(0, 30)]),
        ),
      );
    }
    for (let i = 0; i < profile.incidents; i++) {
      const from = start + rng.range(0, activeMs * 0.9),
        kind = rng.weighted({ stuck: 4, slow: 4, blind: 2, before: 2 });
      this.incidents.push({
        kind,
        from,
        to: Math.min(this.end, from + rng.range(1000, profile.incidentMs)),
        server: rng.chance(0.35) ? -1 : rng.int(0, servers - 1),
        stores: rng.chance(0.2) ? STORES : STORES.filter(() => rng.chance(0.25)),
        lag: rng.range(1000, 15000),
        p: rng.range(0.2, 0.9),
      });
    }
  }
  /** The time as of which this store of this server answers now. */
  asOf(server, store, now) {
    if (now >= this.end) return now - 5;
    let t = now - this.base[server][store];
    for (const x of this.incidents)
      if (now >= x.from && now < x.to && (x.server === -1 || x.server === server) && x.stores.includes(store)) {
        if (x.kind === "stuck") t = Math.min(t, x.from - 200);
        if (x.kind === "slow") t = Math.min(t, now - x.lag);
        if (x.kind === "before" && this.rng.chance(x.p)) t = Math.min(t, now - this.rng.range(0, x.lag));
      }
    return t;
  }
  blind(server, store, now) {
    if (now >= this.end) return false;
    if (this.rng.chance(this.p.falseNegative)) return true;
    return this.incidents.some(
      (x) =>
        x.kind === "blind" &&
        now >= x.from &&
        now < x.to &&
        (x.server === -1 || x.server === server) &&
        x.stores.includes(store) &&
        this.rng.chance(x.p),
    );
  }
}

export class Views {
  constructor(core, user, skew = 0) {
    this.c = core;
    this.user = user;
    this.skew = skew;
  }
  T(t) {
    return Math.round(t + this.skew);
  }
  /** A FrontendOrder at a time; `live` shows the size that is left, else the one of the last status change. */
  front(o, t, live) {
    const h = at.row(o, t),
      T = o.trigger;
    const above = T && (T.tpsl === "tp") === (o.side === "A");
    const rem = live
      ? r8(Math.max(0, this.remAt(o, t)))
      : h.st === "filled"
        ? this.c.opts.filledSz === "orig"
          ? o.sz
          : 0
        : h.rem;
    return {
      coin: o.coin,
      side: o.side,
      limitPx: fmt(o.px),
      sz: fmt(rem),
      oid: o.oid,
      timestamp: this.T(o.t0),
      triggerCondition: T ? `Price ${above ? "above" : "below"} ${T.px}` : "N/A",
      isTrigger: !!T,
      triggerPx: T ? fmt(T.px) : "0.0",
      children: [],
      isPositionTpsl: false,
      reduceOnly: o.ro,
      orderType: T
        ? `${T.tpsl === "tp" ? "Take Profit" : "Stop"} ${T.market ? "Market" : "Limit"}`
        : o.tif === "FrontendMarket"
          ? "Market"
          : "Limit",
      origSz: fmt(o.sz),
      tif: T ? null : o.tif,
      cloid: o.cloid,
    };
  }
  remAt(o, t) {
    const h = at.row(o, t);
    let filledAfter = 0;
    for (const f of o.fills) if (f.t <= t && f.t > h.t) filledAfter += f.sz;
    return h.rem - filledAfter;
  }
  basic(o, t) {
    const f = this.front(o, t, false);
    const out = {
      coin: f.coin,
      side: f.side,
      limitPx: f.limitPx,
      sz: f.sz,
      oid: f.oid,
      timestamp: f.timestamp,
      origSz: f.origSz,
    };
    if (o.cloid) out.cloid = o.cloid;
    if (o.ro) out.reduceOnly = true;
    return out;
  }
  openOrders(t, dex) {
    return [...this.c.orders.values()]
      .filter((o) => at.live(o, t) && (this.c.m.get(o.coin).dex ?? "") === dex && this.remAt(o, t) > 1e-9)
      .map((o) => this.front(o, t, true))
      .reverse();
  }
  orderStatus(t, ref) {
    let o;
    if (typeof ref === "string") {
      const l = (this.c.byCloid.get(ref.toLowerCase()) ?? []).filter((x) => at.row(x, t));
      o = l[l.length - 1];
    } else {
      o = this.c.orders.get(ref);
      if (o && !at.row(o, t)) o = undefined;
    }
    if (!o || this.c.forgotten?.(o)) return { status: "unknownOid" };
    const h = at.row(o, t);
    return { status: "order", order: { order: this.front(o, t, false), status: h.st, statusTimestamp: this.T(h.t) } };
  }
  history(t) {
    const rows = [];
    for (const o of this.c.orders.values()) {
      const hs = o.hist.filter((h) => h.t <= t);
      if (!hs.length || this.c.forgotten?.(o)) continue;
      for (const h of this.c.opts.historyRows === "all" ? hs : hs.slice(-1))
        rows.push({
          order: this.front(o, h.t === hs[hs.length - 1].t ? t : h.t, false),
          status: h.st,
          statusTimestamp: this.T(h.t),
        });
    }
    return rows.sort((a, b) => b.statusTimestamp - a.statusTimestamp || b.order.oid - a.order.oid).slice(0, 2000);
  }
  fill(f) {
    const x = {
      coin: f.coin,
      px: fmt(f.px),
      sz: fmt(f.sz),
      side: f.side,
      time: this.T(f.t),
      startPosition: fmt(f.start),
      dir: f.dir,
      closedPnl: f.pnl.toFixed(6),
      hash: f.twapId ? `0x${"0".repeat(64)}` : `0x${f.tid.toString(16).padStart(64, "a")}`,
      oid: f.oid,
      crossed: f.crossed,
      fee: f.fee.toFixed(6),
      tid: f.tid,
      feeToken: f.feeToken,
      twapId: f.twapId ?? null,
    };
    if (f.cloid) x.cloid = f.cloid;
    return x;
  }
  fills(t) {
    return this.c.fills
      .filter((f) => f.t <= t)
      .slice(-2000)
      .reverse()
      .map((f) => this.fill(f));
  }
  fillsByTime(t, a, b, reversed) {
    let l = this.c.fills.filter((f) => f.t <= t && this.T(f.t) >= a && this.T(f.t) <= (b ?? 9e15));
    if (reversed) l = l.slice().reverse();
    return l.slice(0, 2000).map((f) => this.fill(f));
  }
  state(t, dex) {
    const ps = [];
    let ntl = 0,
      used = 0,
      upnl = 0;
    if (dex !== undefined)
      for (const [coin, list] of this.c.pos) {
        const m = this.c.m.get(coin);
        if (m.dex !== dex) continue;
        const p = at.list(list, t);
        if (!p || p.szi === 0) continue;
        const lev = at.list(this.c.lev.get(coin), t);
        const v = Math.abs(p.szi) * m.mid,
          u = p.szi * (m.mid - p.entry);
        const mu = lev.cross ? v / lev.value : p.margin + u;
        ntl += v;
        used += mu;
        upnl += u;
        ps.push({
          type: "oneWay",
          position: {
            coin,
            szi: fmt(p.szi),
            leverage: lev.cross
              ? { type: "cross", value: lev.value }
              : { type: "isolated", value: lev.value, rawUsd: (p.margin - p.entry * p.szi).toFixed(6) },
            entryPx: fmt(r8(p.entry)),
            positionValue: v.toFixed(6),
            unrealizedPnl: u.toFixed(6),
            returnOnEquity: "0.01",
            liquidationPx: p.szi < 0 ? fmt(m.mid * 20) : null,
            marginUsed: mu.toFixed(6),
            maxLeverage: m.max,
            cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
          },
        });
      }
    const cash = dex === "" ? at.list(this.c.cash, t).v : 50000;
    const av = cash + upnl;
    const s = {
      accountValue: av.toFixed(6),
      totalNtlPos: ntl.toFixed(6),
      totalRawUsd: cash.toFixed(6),
      totalMarginUsed: used.toFixed(6),
    };
    return {
      marginSummary: s,
      crossMarginSummary: s,
      crossMaintenanceMarginUsed: (used / 4).toFixed(6),
      withdrawable: Math.max(0, av - used).toFixed(6),
      assetPositions: ps,
      time: this.T(t),
    };
  }
  spotState(t) {
    const s = at.list(this.c.spot, t);
    return {
      balances: [
        { coin: "USDC", token: 0, total: s.USDC.toFixed(6), hold: "0.0", entryNtl: "0.0" },
        { coin: "PURR", token: 1, total: fmt(s.PURR), hold: "0.0", entryNtl: "200.0" },
      ],
    };
  }
  twapState(tw, t) {
    const h = at.list(tw.hist, t);
    return {
      coin: tw.coin,
      user: this.user,
      side: tw.side,
      sz: fmt(tw.sz),
      executedSz: fmt(h.ex),
      executedNtl: fmt(h.ntl),
      minutes: tw.m,
      reduceOnly: tw.ro,
      randomize: tw.rnd,
      stopPx: null,
      trigger: null,
      timestamp: this.T(tw.t0),
    };
  }
  twapHistory(t) {
    const rows = [];
    for (const tw of this.c.twaps)
      for (const h of tw.hist)
        if (h.t <= t && !h.quiet)
          rows.push({
            time: Math.floor(this.T(h.t) / 1000),
            state: { ...this.twapState(tw, t), executedSz: fmt(h.ex), executedNtl: fmt(h.ntl) },
            status: { status: h.st },
            twapId: tw.id,
            _t: h.t,
          });
    return rows.sort((a, b) => b._t - a._t).map(({ _t, ...r }) => r);
  }
  twapStates(t, dex) {
    return this.c.twaps
      .filter((tw) => tw.t0 <= t && ["activated"].includes(at.list(tw.hist, t).st) && this.c.m.get(tw.coin).dex === dex)
      .map((tw) => [tw.id, this.twapState(tw, t)]);
  }
  meta(dex) {
    return {
      universe: MARKETS.filter((m) => m.dex === dex).map((m) => ({
        szDecimals: this.c.m.get(m.coin).sz,
        name: m.coin,
        maxLeverage: m.max,
        marginTableId: m.max,
      })),
      marginTables: [],
      collateralToken: 0,
    };
  }
  ctx(coin) {
    const m = this.c.m.get(coin);
    return {
      funding: "0.0000125",
      openInterest: "1000.0",
      prevDayPx: fmt(m.px),
      dayNtlVlm: "1000000.0",
      premium: "0.0",
      oraclePx: fmt(m.mid),
      markPx: fmt(m.mid),
      midPx: fmt(m.mid),
      impactPxs: [fmt(m.bid), fmt(m.ask)],
      dayBaseVlm: "100.0",
    };
  }
  book(coin) {
    const m = this.c.m.get(coin);
    if (!m) return null;
    const side = (p, d) =>
      Array.from({ length: 5 }, (_, i) => ({ px: fmt(r8(p + d * i * m.tick)), sz: "100.0", n: 3 }));
    return { coin, time: this.T(Date.now()), levels: [side(m.bid, -1), side(m.ask, 1)] };
  }
  spotMeta() {
    return {
      universe: [{ tokens: [1, 0], name: "PURR/USDC", index: 0, isCanonical: true }],
      tokens: [
        {
          name: "USDC",
          szDecimals: 8,
          weiDecimals: 8,
          index: 0,
          tokenId: "0x6d1e7cde53ba9467b783cb7c530ce054",
          isCanonical: true,
          evmContract: null,
          fullName: null,
          deployerTradingFeeShare: "0.0",
        },
        {
          name: "PURR",
          szDecimals: 0,
          weiDecimals: 5,
          index: 1,
          tokenId: "0xc1fb593aeffbeb02f85e0308e9956a90",
          isCanonical: true,
          evmContract: null,
          fullName: null,
          deployerTradingFeeShare: "0.0",
        },
      ],
    };
  }

  /** [store, answer as of t] of an /info request; undefined = 422. */
  info(b) {
    const c = this.c,
      mine = !b.user || b.user.toLowerCase() === this.user;
    const none = (x, e) => (mine ? x : e);
    switch (b.type) {
      case "meta":
        return ["market", () => this.meta(b.dex ?? "")];
      case "metaAndAssetCtxs":
        return [
          "market",
          () => {
            const m = this.meta(b.dex ?? "");
            return [m, m.universe.map((u) => this.ctx(u.name))];
          },
        ];
      case "allPerpMetas":
        return ["market", () => [this.meta(""), this.meta("xyz")]];
      case "perpDexs":
        return [
          "market",
          () => [
            null,
            {
              name: "xyz",
              fullName: "XYZ",
              deployer: `0x${"8".repeat(40)}`,
              oracleUpdater: null,
              feeRecipient: null,
              assetToStreamingOiCap: [],
              subDeployers: [],
              deployerFeeScale: "1.0",
              lastDeployerFeeScaleChangeTime: "1970-01-01T00:00:00",
              assetToFundingMultiplier: [],
              assetToFundingInterestRate: [],
            },
          ],
        ];
      case "spotMeta":
        return ["market", () => this.spotMeta()];
      case "spotMetaAndAssetCtxs":
        return [
          "market",
          () => [
            this.spotMeta(),
            [{ ...this.ctx("PURR/USDC"), coin: "PURR/USDC", circulatingSupply: "1000000.0", totalSupply: "1000000.0" }],
          ],
        ];
      case "allMids":
        return [
          "market",
          () =>
            Object.fromEntries(
              [...c.m.values()].filter((m) => (m.dex ?? "") === (b.dex ?? "")).map((m) => [m.coin, fmt(m.mid)]),
            ),
        ];
      case "l2Book":
        return ["market", () => this.book(b.coin)];
      case "recentTrades":
        return ["market", () => []];
      case "candleSnapshot":
        return ["market", () => []];
      case "exchangeStatus":
        return ["market", (t) => ({ time: this.T(t), specialStatuses: null })];
      case "clearinghouseState":
        return ["state", (t) => this.state(t, none(b.dex ?? "", undefined))];
      case "spotClearinghouseState":
        return ["spot", (t) => none(this.spotState(t), { balances: [] })];
      case "openOrders":
        return [
          "open",
          (t) =>
            none(
              this.openOrders(t, b.dex ?? "").map((f) => {
                const o = {
                  coin: f.coin,
                  side: f.side,
                  limitPx: f.limitPx,
                  sz: f.sz,
                  oid: f.oid,
                  timestamp: f.timestamp,
                  origSz: f.origSz,
                };
                if (f.cloid) o.cloid = f.cloid;
                if (f.reduceOnly) o.reduceOnly = true;
                return o;
              }),
              [],
            ),
        ];
      case "frontendOpenOrders":
        return ["open", (t) => none(this.openOrders(t, b.dex ?? ""), [])];
      case "historicalOrders":
        return ["history", (t) => none(this.history(t), [])];
      case "orderStatus":
        return ["status", (t) => none(this.orderStatus(t, b.oid), { status: "unknownOid" })];
      case "userFills":
        return ["fills", (t) => none(this.fills(t), [])];
      case "userFillsByTime":
        return ["fills", (t) => none(this.fillsByTime(t, b.startTime, b.endTime, b.reversed), [])];
      case "userTwapSliceFills":
        return [
          "twap",
          (t) =>
            none(
              this.c.fills
                .filter((f) => f.t <= t && f.twapId)
                .reverse()
                .map((f) => ({ fill: this.fill(f), twapId: f.twapId })),
              [],
            ),
        ];
      case "userTwapSliceFillsByTime":
        return [
          "twap",
          (t) =>
            none(
              this.c.fills
                .filter((f) => f.t <= t && f.twapId && this.T(f.t) >= b.startTime && this.T(f.t) <= (b.endTime ?? 9e15))
                .map((f) => ({ fill: this.fill(f), twapId: f.twapId })),
              [],
            ),
        ];
      case "twapHistory":
        return ["twap", (t) => none(this.twapHistory(t), [])];
      case "userRateLimit":
        return ["user", () => ({ cumVlm: "100000.0", nRequestsUsed: 100, nRequestsCap: 110000, nRequestsSurplus: 0 })];
      case "maxBuilderFee":
        return ["user", () => 0];
      case "approvedBuilders":
        return ["user", () => []];
      case "userRole":
        return ["user", () => ({ role: mine ? "user" : "missing" })];
      case "extraAgents":
        return ["user", () => c.agents];
      case "subAccounts":
        return ["user", () => null];
      case "userAbstraction":
        return ["user", () => "default"];
      case "userDexAbstraction":
        return ["user", () => null];
      case "activeAssetData":
        return [
          "user",
          (t) => {
            const m = c.m.get(b.coin),
              l = at.list(c.lev.get(b.coin), t);
            return {
              user: this.user,
              coin: b.coin,
              leverage: l.cross
                ? { type: "cross", value: l.value }
                : { type: "isolated", value: l.value, rawUsd: "0.0" },
              maxTradeSzs: ["1000.0", "1000.0"],
              availableToTrade: ["50000.0", "50000.0"],
              markPx: fmt(m.mid),
            };
          },
        ];
      case "userFees":
        return [
          "user",
          () => ({
            dailyUserVlm: [],
            feeSchedule: {
              cross: "0.00045",
              add: "0.00015",
              spotCross: "0.0007",
              spotAdd: "0.0004",
              tiers: { vip: [], mm: [] },
              referralDiscount: "0.04",
              stakingDiscountTiers: [],
            },
            userCrossRate: "0.00045",
            userAddRate: "0.00015",
            userSpotCrossRate: "0.0007",
            userSpotAddRate: "0.0004",
            activeReferralDiscount: "0.0",
            trial: null,
            feeTrialEscrow: "0.0",
            nextTrialAvailableTimestamp: null,
            stakingLink: null,
            activeStakingDiscount: { bpsOfMaxSupply: "0.0", discount: "0.0" },
          }),
        ];
      case "userFunding":
      case "userNonFundingLedgerUpdates":
      case "fundingHistory":
        return ["user", () => []];
      case "maxMarketOrderNtls":
        return ["market", () => []];
      case "perpsAtOpenInterestCap":
        return ["market", () => []];
      default:
        return undefined;
    }
  }
}
