// What is shown there: /info, and the frames of the websocket.
import { Actions } from "./exchange-actions.mjs";
import { D } from "./numbers.mjs";

export class Views extends Actions {
  ch(dex) {
    const z = {
      accountValue: D(dex ? 0 : this.cash),
      totalNtlPos: "0.0",
      totalRawUsd: D(dex ? 0 : this.cash),
      totalMarginUsed: "0.0",
    };
    if (dex)
      return {
        marginSummary: { ...z, accountValue: "0.0", totalRawUsd: "0.0" },
        crossMarginSummary: { ...z },
        crossMaintenanceMarginUsed: "0.0",
        withdrawable: "0.0",
        assetPositions: [],
        time: this.now(),
      };
    let av = this.cash,
      ntl = 0,
      used = 0,
      raw = this.cash;
    const ap = [];
    for (const [c, p] of Object.entries(this.pos)) {
      if (!this.px[c]) continue;
      const m = this.px[c].mark,
        l = this.levOf(c);
      const u = p.szi * (m - p.entry);
      av += u;
      raw -= p.szi * p.entry;
      ntl += Math.abs(p.szi) * m;
      const mu = (Math.abs(p.szi) * m) / l.value;
      used += mu;
      ap.push({
        type: "oneWay",
        position: {
          coin: c,
          szi: D(p.szi),
          leverage:
            l.type === "cross"
              ? { type: "cross", value: l.value }
              : {
                  type: "isolated",
                  value: l.value,
                  rawUsd: D(-p.szi * p.entry + (Math.abs(p.szi) * p.entry) / l.value + (p.extra ?? 0)),
                },
          entryPx: D(p.entry),
          positionValue: D(Math.abs(p.szi) * m),
          unrealizedPnl: D(u),
          returnOnEquity: D(u / ((Math.abs(p.szi) * p.entry) / l.value)),
          liquidationPx: null,
          marginUsed: D(mu),
          maxLeverage: this.perps.find((x) => x.name === c)?.maxLeverage ?? 10,
          cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
        },
      });
    }
    const s = { accountValue: D(av), totalNtlPos: D(ntl), totalRawUsd: D(raw), totalMarginUsed: D(used) };
    return {
      marginSummary: s,
      crossMarginSummary: s,
      crossMaintenanceMarginUsed: D(ntl / 50),
      withdrawable: D(av - used),
      assetPositions: ap,
      time: this.now(),
    };
  }
  spotState() {
    return {
      balances: this.tokens.map((t) => ({
        coin: t.name,
        token: t.index,
        total: D(this.spot[t.name]?.total ?? 0),
        hold: D(this.hold(t.name)),
        entryNtl: D(this.spot[t.name]?.entry ?? 0),
      })),
    };
  }
  openFront() {
    return [...this.orders.values()]
      .filter((o) => o.live && (o.onBook || (o.trig && !o.fired)))
      .map((o) => this.front(o));
  }
  meta() {
    return { universe: this.perps, marginTables: [], collateralToken: 0 };
  }
  ctx(c) {
    const x = this.px[c],
      b = this.best(c);
    return {
      funding: "0.0000125",
      openInterest: "1000.0",
      prevDayPx: D(x.mark),
      dayNtlVlm: "1000000.0",
      premium: "0.0",
      oraclePx: D(x.oracle),
      markPx: D(x.mark),
      midPx: b.bid && b.ask ? D((b.bid + b.ask) / 2) : null,
      impactPxs: b.bid && b.ask ? [D(b.bid), D(b.ask)] : null,
      dayBaseVlm: "100.0",
    };
  }
  sctx(c) {
    const x = this.px[c],
      b = this.best(c);
    return {
      prevDayPx: D(x.mark),
      dayNtlVlm: "10000.0",
      markPx: D(x.mark),
      midPx: b.bid && b.ask ? D((b.bid + b.ask) / 2) : null,
      circulatingSupply: "1000000.0",
      coin: c,
      totalSupply: "1000000.0",
      dayBaseVlm: "100.0",
    };
  }
  info(b) {
    const me = (b.user ?? "").toLowerCase() === this.owner;
    switch (b.type) {
      case "meta":
        return b.dex ? { universe: [], marginTables: [], collateralToken: 0 } : this.meta();
      case "metaAndAssetCtxs":
        return b.dex
          ? [{ universe: [], marginTables: [], collateralToken: 0 }, []]
          : [this.meta(), this.perps.map((p) => this.ctx(p.name))];
      case "allPerpMetas":
        return [this.meta()];
      case "perpDexs":
        return [null];
      case "spotMeta":
        return { universe: this.pairs, tokens: this.tokens };
      case "spotMetaAndAssetCtxs":
        return [{ universe: this.pairs, tokens: this.tokens }, this.pairs.map((p) => this.sctx(p.name))];
      case "allMids":
        return Object.fromEntries(
          [...this.perps.map((p) => p.name), ...this.pairs.map((p) => p.name)].map((c) => {
            const x = this.best(c);
            return [c, D(x.bid && x.ask ? (x.bid + x.ask) / 2 : this.px[c].mark)];
          }),
        );
      case "l2Book":
        return this.px[b.coin] && (this.isSpot(b.coin) || this.perps.some((p) => p.name === b.coin))
          ? this.l2(b.coin)
          : null;
      case "clearinghouseState":
        return me ? this.ch(b.dex) : this.ch("x");
      case "spotClearinghouseState":
        return me ? this.spotState() : { balances: [] };
      case "openOrders":
      case "frontendOpenOrders":
        return me && !b.dex ? this.openFront() : [];
      case "historicalOrders":
        return me ? this.hist.slice(0, 2000) : [];
      case "orderStatus": {
        const o = this.find(b.oid);
        if (!me || !o || Date.now() - (o.ts - this.skew) < this.lag.orders) return { status: "unknownOid" };
        return {
          status: "order",
          order: {
            order: this.front(o, o.status === "filled" ? 0 : o.stSz),
            status: o.status,
            statusTimestamp: o.stTs,
          },
        };
      }
      case "userFills":
        return me ? this.visFills().slice(-2000).reverse() : [];
      case "userFillsByTime":
        return me
          ? this.visFills()
              .filter((f) => f.time >= b.startTime && f.time <= (b.endTime ?? Infinity))
              .slice(0, 2000)
          : [];
      case "userTwapSliceFills":
        return this.visFills()
          .filter((f) => f.twapId)
          .reverse()
          .map((fill) => ({ fill, twapId: fill.twapId }));
      case "userTwapSliceFillsByTime":
        return this.visFills()
          .filter((f) => f.twapId && f.time >= b.startTime && f.time <= (b.endTime ?? Infinity))
          .map((fill) => ({ fill, twapId: fill.twapId }));
      case "twapHistory":
        return this.twapHist.slice(0, 2000);
      case "userRateLimit":
        return { cumVlm: "1000000.0", nRequestsUsed: this.nonces.size, nRequestsCap: 1010000, nRequestsSurplus: 0 };
      case "maxBuilderFee":
        return 0;
      case "approvedBuilders":
        return [];
      case "userRole": {
        const u = (b.user ?? "").toLowerCase();
        if (u === this.owner) return { role: "user" };
        if (this.agents.some((a) => a.address === u)) return { role: "agent", data: { user: this.owner } };
        return { role: "missing" };
      }
      case "extraAgents":
        return me ? this.agents : [];
      case "subAccounts":
        return null;
      case "activeAssetData": {
        const l = this.levOf(b.coin);
        const av = this.cash;
        return {
          user: this.owner,
          coin: b.coin,
          leverage: l.type === "cross" ? l : { ...l, rawUsd: "0.0" },
          maxTradeSzs: ["100.0", "100.0"],
          availableToTrade: [D(av), D(av)],
          markPx: D(this.px[b.coin].mark),
        };
      }
      case "userFees":
        return {
          dailyUserVlm: [],
          feeSchedule: {},
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
        };
      case "userFunding":
      case "userNonFundingLedgerUpdates":
        return [];
      case "userAbstraction":
        return "default";
      case "userDexAbstraction":
        return false;
      case "exchangeStatus":
        return { time: this.now(), specialStatuses: null };
      case "candleSnapshot":
      case "recentTrades":
      case "fundingHistory":
      case "perpsAtOpenInterestCap":
        return [];
      case "marginTable":
        return { description: "", marginTiers: [{ lowerBound: "0.0", maxLeverage: b.id }] };
    }
    this.unknownTypes.add(`info ${b.type}`);
    return undefined;
  }
  // ws
  frame(s) {
    const me = { user: this.owner };
    switch (s.type) {
      case "allMids":
        return ["allMids", { mids: this.info({ type: "allMids" }) }];
      case "l2Book":
        return ["l2Book", this.l2(s.coin)];
      case "bbo": {
        const l = this.l2(s.coin);
        return ["bbo", { coin: s.coin, time: l.time, bbo: [l.levels[0][0] ?? null, l.levels[1][0] ?? null] }];
      }
      case "activeAssetCtx":
        return this.isSpot(s.coin)
          ? ["activeSpotAssetCtx", { coin: s.coin, ctx: this.sctx(s.coin) }]
          : ["activeAssetCtx", { coin: s.coin, ctx: this.ctx(s.coin) }];
      case "activeAssetData":
        return ["activeAssetData", this.info({ type: "activeAssetData", coin: s.coin })];
      case "clearinghouseState":
        return ["clearinghouseState", { dex: s.dex ?? "", ...me, clearinghouseState: this.ch(s.dex) }];
      case "allDexsClearinghouseState":
        return ["allDexsClearinghouseState", { ...me, clearinghouseStates: [["", this.ch("")]] }];
      case "openOrders":
        return ["openOrders", { dex: s.dex ?? "", ...me, orders: s.dex ? [] : this.openFront() }];
      case "spotState":
        return ["spotState", { ...me, spotState: this.spotState() }];
      case "twapStates":
        return [
          "twapStates",
          {
            dex: s.dex ?? "",
            ...me,
            states: [...this.twaps.values()].filter((t) => t.live).map((t) => [t.id, this.twapState(t)]),
          },
        ];
      case "webData3":
        return [
          "webData3",
          {
            userState: {
              agentAddress: null,
              agentValidUntil: null,
              cumLedger: "1000000.0",
              serverTime: this.now(),
              isVault: false,
              user: this.owner,
            },
            perpDexStates: [{ totalVaultEquity: "0.0" }],
          },
        ];
    }
    return null;
  }
  send(w, ch, data) {
    if (w.readyState === 1 && !this.deadFeed) w.send(JSON.stringify({ channel: ch, data }));
  }
  push(type, data, ch = type) {
    for (const w of this.socks) for (const s of w.subs.values()) if (s.type === type) this.send(w, ch, data);
  }
  dirty() {
    if (this._d) return;
    this._d = setTimeout(() => {
      this._d = null;
      for (const w of this.socks)
        for (const s of w.subs.values())
          if (
            [
              "allDexsClearinghouseState",
              "clearinghouseState",
              "openOrders",
              "spotState",
              "twapStates",
              "l2Book",
              "bbo",
              "activeAssetCtx",
              "allMids",
            ].includes(s.type)
          ) {
            const f = this.frame(s);
            if (f) this.send(w, ...f);
          }
    }, 20 + this.lag.positions);
  }
  tick() {
    for (const w of this.socks)
      for (const s of w.subs.values()) {
        const f = this.frame(s);
        if (f) this.send(w, ...f);
      }
  }
}
