// POST /info: each type is a server of its own, which knows the ledger as of some earlier moment.
import { D, S } from "./ledger.mjs";

function abs(a) {
  return a < 0n ? -a : a;
}
function mul(a, b) {
  return (a * b) / 10n ** 8n;
}
function six(v) {
  return S((v / 100n) * 100n);
}
export class Views {
  constructor(ledger, actions, address) {
    this.ledger = ledger;
    this.actions = actions;
    this.address = address;
    this.metaEdit = (m) => m;
    this.keepFills = Number.POSITIVE_INFINITY;
  }
  row(order, entry) {
    const trigger = order.trigger;
    const row = {
      coin: order.coin,
      side: order.side,
      limitPx: S(order.px),
      sz: S(entry.rest),
      oid: order.oid,
      timestamp: order.wire,
      triggerCondition: trigger
        ? `Price ${(trigger.tpsl === "tp") === (order.side === "A") ? "above" : "below"} ${trigger.triggerPx}`
        : "N/A",
      isTrigger: Boolean(trigger),
      triggerPx: trigger ? S(D(trigger.triggerPx)) : "0.0",
      children: [],
      isPositionTpsl: false,
      reduceOnly: order.reduceOnly,
      orderType: trigger
        ? `${trigger.tpsl === "tp" ? "Take Profit" : "Stop"} ${trigger.isMarket ? "Market" : "Limit"}`
        : order.tif === "FrontendMarket"
          ? "Market"
          : "Limit",
      origSz: S(order.size),
      tif: order.tif,
      cloid: order.cloid,
    };
    return row;
  }
  record(order, entry) {
    const closed = entry.status === "filled";
    return {
      order: { ...this.row(order, entry), sz: closed ? "0.0" : S(entry.recordSz) },
      status: entry.status,
      statusTimestamp: entry.statusT,
    };
  }
  dexOf(name) {
    return name.includes(":") ? name.split(":")[0] : "";
  }
  open(T, dex) {
    const out = [];
    for (const o of this.ledger.orders.values()) {
      if (dex !== null && this.dexOf(o.coin) !== (dex ?? "")) continue;
      const e = this.ledger.at(o.hist, T);
      if (e && (e.status === "open" || e.status === "triggered")) out.push(this.row(o, e));
    }
    return out;
  }
  fill(f) {
    const out = {
      coin: f.coin,
      px: S(f.px),
      sz: S(f.sz),
      side: f.side,
      time: f.wire,
      startPosition: S(f.startPosition),
      dir: f.dir,
      closedPnl: S(f.closedPnl),
      hash: `0x${f.tid.toString(16).padStart(64, "0")}`,
      oid: f.oid,
      crossed: f.crossed,
      fee: S(f.fee),
      tid: f.tid,
      feeToken: "USDC",
      twapId: f.twapId,
    };
    if (f.cloid) out.cloid = f.cloid;
    if (f.liquidation) out.liquidation = { liquidatedUser: this.address, markPx: S(f.px), method: "market" };
    if (f.twapId) out.hash = `0x${"0".repeat(64)}`;
    return out;
  }
  fills(T) {
    const seen = this.ledger.fills.filter((f) => f.t <= T && !f.hidden);
    return seen.slice(Math.max(0, seen.length - this.keepFills)).map((f) => this.fill(f));
  }
  clearinghouse(T, dex) {
    const list = [];
    let [ntl, used, pnl] = [0n, 0n, 0n];
    for (const [name, hist] of this.ledger.positions) {
      if (this.dexOf(name) !== (dex ?? "")) continue;
      const p = this.ledger.at(hist, T);
      if (!p || p.szi === 0n) continue;
      const coin = this.ledger.coins.get(name);
      const lev = this.ledger.at(this.ledger.leverages.get(name), T) ?? { cross: true, value: coin.maxLeverage };
      const value = mul(abs(p.szi), coin.mark);
      const u = mul(p.szi, coin.mark - p.entry);
      const base = mul(abs(p.szi), p.entry) / BigInt(lev.value);
      const m = lev.cross ? value / BigInt(lev.value) : base + p.margin + u;
      [ntl, used, pnl] = [ntl + value, used + m, pnl + u];
      const leverage = lev.cross
        ? { type: "cross", value: lev.value }
        : { type: "isolated", value: lev.value, rawUsd: six(base + p.margin - mul(p.szi, p.entry)) };
      list.push({
        type: "oneWay",
        position: {
          coin: name,
          szi: S(p.szi),
          leverage,
          entryPx: S(p.entry),
          positionValue: six(value),
          unrealizedPnl: six(u),
          returnOnEquity: "0.0",
          liquidationPx: null,
          marginUsed: six(m),
          maxLeverage: coin.maxLeverage,
          cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
        },
      });
    }
    const cash = dex ? D("100000") : (this.ledger.at(this.ledger.cash, T)?.v ?? D("100000"));
    const sum = {
      accountValue: six(cash + pnl),
      totalNtlPos: six(ntl),
      totalRawUsd: six(cash + pnl),
      totalMarginUsed: six(used),
    };
    return {
      marginSummary: sum,
      crossMarginSummary: sum,
      crossMaintenanceMarginUsed: "0.0",
      withdrawable: six(cash + pnl - used),
      assetPositions: list,
      time: T + this.ledger.skew(),
    };
  }
  spotState(T) {
    const ids = { USDC: 0, PURR: 1, HYPE: 150 };
    const balances = [...this.ledger.spot].map(([coin, hist]) => ({
      coin,
      token: ids[coin],
      total: S(this.ledger.at(hist, T)?.total ?? 0n),
      hold: "0.0",
      entryNtl: "0.0",
    }));
    return { balances };
  }
  twapState(w, _T) {
    return {
      coin: w.coin,
      user: this.address,
      side: w.side,
      sz: S(w.sz),
      executedSz: S(w.executed),
      executedNtl: S(w.ntl),
      minutes: w.minutes,
      reduceOnly: w.reduceOnly,
      randomize: w.randomize,
      stopPx: null,
      trigger: null,
      timestamp: w.born,
    };
  }
  twapHistory(T) {
    const rows = [];
    for (const w of this.ledger.twaps.values())
      for (const h of w.hist)
        if (h.t <= T)
          rows.push({
            time: Math.floor(h.t / 1000),
            state: this.twapState(w, T),
            status: { status: h.status },
            twapId: w.id,
          });
    return rows.sort((a, b) => b.time - a.time);
  }
  meta(dex) {
    const list = [...this.ledger.coins.values()]
      .filter((c) => !this.ledger.isSpot(c) && this.dexOf(c.name) === (dex ?? ""))
      .sort((a, b) => a.asset - b.asset);
    const universe = list.map((c) => ({
      szDecimals: c.szDecimals,
      name: c.name,
      maxLeverage: c.maxLeverage,
      marginTableId: c.maxLeverage,
    }));
    return this.metaEdit({ universe, marginTables: [], collateralToken: 0 }, dex ?? "");
  }
  ctx(c) {
    const [bid, ask] = this.ledger.bbo(c);
    return {
      funding: "0.0000125",
      openInterest: "1000.0",
      prevDayPx: S(c.mark),
      dayNtlVlm: "1000000.0",
      premium: "0.0",
      oraclePx: S(c.mark),
      markPx: S(c.mark),
      midPx: S((bid + ask) / 2n),
      impactPxs: [S(bid), S(ask)],
      dayBaseVlm: "100.0",
    };
  }
  ctxs(dex) {
    return this.meta(dex).universe.map((u) => this.ctx(this.ledger.coins.get(u.name)));
  }
  spotMeta() {
    const token = (name, index, szDecimals) => ({
      name,
      szDecimals,
      weiDecimals: 8,
      index,
      tokenId: `0x${String(index).padStart(32, "0")}`,
      isCanonical: true,
      evmContract: null,
      fullName: null,
      deployerTradingFeeShare: "0.0",
    });
    return {
      universe: [
        { tokens: [1, 0], name: "PURR/USDC", index: 0, isCanonical: true },
        { tokens: [150, 0], name: "@107", index: 107, isCanonical: false },
      ],
      tokens: [token("USDC", 0, 8), token("PURR", 1, 0), token("HYPE", 150, 2)],
    };
  }
  book(name) {
    const c = this.ledger.coins.get(name);
    if (!c) return null;
    const [bid, ask] = this.ledger.bbo(c);
    return {
      coin: name,
      time: Date.now() + this.ledger.skew(),
      levels: [[{ px: S(bid), sz: S(c.depth), n: 1 }], [{ px: S(ask), sz: S(c.depth), n: 1 }]],
    };
  }
  asset(name, T) {
    const c = this.ledger.coins.get(name);
    const lev = this.ledger.at(this.ledger.leverages.get(name), T) ?? { cross: true, value: c.maxLeverage };
    const leverage = { type: lev.cross ? "cross" : "isolated", value: lev.value };
    if (!lev.cross) {
      const p = this.clearinghouse(T, this.dexOf(name)).assetPositions.find((a) => a.position.coin === name);
      leverage.rawUsd = p?.position.leverage.rawUsd ?? "0.0";
    }
    return {
      user: this.address,
      coin: name,
      leverage,
      maxTradeSzs: ["100.0", "100.0"],
      availableToTrade: ["90000.0", "90000.0"],
      markPx: S(c.mark),
    };
  }
  orderStatus(b, T) {
    const list =
      typeof b.oid === "string" && b.oid.startsWith("0x")
        ? this.ledger.byCloid.get(b.oid)
        : [this.ledger.orders.get(BigInt(b.oid))];
    for (const o of [...(list ?? [])].reverse()) {
      const e = o && !o.forgotten && this.ledger.at(o.hist, T);
      if (e) return { status: "order", order: this.record(o, e) };
    }
    return { status: "unknownOid" };
  }
  history(T) {
    const rows = [];
    for (const o of this.ledger.orders.values()) {
      let last = null;
      for (const e of o.forgotten ? [] : o.hist) {
        if (e.t > T) break;
        if (e.status !== last) rows.push(this.record(o, e));
        last = e.status;
      }
    }
    return rows.sort((a, b) => b.statusTimestamp - a.statusTimestamp).slice(0, 2000);
  }
  answer(b, T) {
    switch (b.type) {
      case "meta":
        return this.meta(b.dex);
      case "metaAndAssetCtxs":
        return [this.meta(b.dex), this.ctxs(b.dex)];
      case "allPerpMetas":
        return [this.meta(""), this.meta("xyz")];
      case "perpDexs":
        return [
          null,
          {
            name: "xyz",
            fullName: "XYZ",
            deployer: this.address,
            oracleUpdater: null,
            feeRecipient: null,
            assetToStreamingOiCap: [],
            deployerFeeScale: "1.0",
          },
        ];
      case "spotMeta":
        return this.spotMeta();
      case "spotMetaAndAssetCtxs":
        return [
          this.spotMeta(),
          ["PURR/USDC", "@107"].map((n) => ({
            ...this.ctx(this.ledger.coins.get(n)),
            coin: n,
            circulatingSupply: "1.0",
            totalSupply: "1.0",
          })),
        ];
      case "allMids":
        return Object.fromEntries([...this.ledger.coins.values()].map((c) => [c.name, S(c.mark)]));
      case "l2Book":
        return this.book(b.coin);
      case "clearinghouseState":
        return this.clearinghouse(T, b.dex);
      case "spotClearinghouseState":
        return this.spotState(T);
      case "openOrders":
      case "frontendOpenOrders":
        return this.open(T, b.dex ?? "");
      case "historicalOrders":
        return this.history(T);
      case "orderStatus":
        return this.orderStatus(b, T);
      case "userFills":
        return this.fills(T).reverse().slice(0, 2000);
      case "userFillsByTime": {
        const list = this.fills(T).filter(
          (f) => f.time >= b.startTime && f.time <= (b.endTime ?? Number.POSITIVE_INFINITY),
        );
        return (b.reversed ? list.reverse() : list).slice(0, 2000);
      }
      case "userTwapSliceFills":
      case "userTwapSliceFillsByTime":
        return this.fills(T)
          .filter((f) => f.twapId)
          .map((fill) => ({ fill, twapId: fill.twapId }));
      case "twapHistory":
        return this.twapHistory(T);
      case "userRateLimit":
        return { cumVlm: "100000.0", nRequestsUsed: 100, nRequestsCap: 110000, nRequestsSurplus: 0 };
      case "maxBuilderFee":
        return 0;
      case "userRole":
        return { role: "user" };
      case "extraAgents":
        return [...this.actions.agents].map(([address, a]) => ({
          name: a.name.split(" ")[0],
          address,
          validUntil: Date.now() + 90 * 86_400_000,
        }));
      case "subAccounts":
        return null;
      case "activeAssetData":
        return this.asset(b.coin, T);
      case "userFees":
        return {
          dailyUserVlm: [],
          userCrossRate: "0.00045",
          userAddRate: "0.00015",
          userSpotCrossRate: "0.0007",
          userSpotAddRate: "0.0004",
          activeReferralDiscount: "0.0",
        };
      case "userAbstraction":
        return "disabled";
      case "userDexAbstraction":
        return null;
      case "userFunding":
      case "userNonFundingLedgerUpdates":
      case "fundingHistory":
      case "recentTrades":
      case "candleSnapshot":
        return [];
      case "exchangeStatus":
        return { time: Date.now() + this.ledger.skew(), specialStatuses: null };
      case "marginTable":
        return { description: "", marginTiers: [{ lowerBound: "0.0", maxLeverage: 40 }] };
      case "predictedFundings":
        return [];
      default:
        return undefined;
    }
  }
}
