// What the exchange shows. Every store is the truth as of a time of its own, drawn for each request as behind a
// balancer, and there is no order between any two of them.
import { d, q } from "./truth.mjs";

const unit = 100_000_000;
const usd = (n) => (Math.trunc(n * 1e6) / 1e6).toFixed(6).replace(/0+$/, "").replace(/\.$/, ".0");

/** All stores that lag by themselves. A lag is ms, [from, to] drawn for each request, {stuckAt}, or a function. */
export const stores = [
  "record",
  "open",
  "history",
  "fills",
  "positions",
  "spot",
  "twaps",
  "leverage",
  "markets",
  "clock",
  "counters",
  "streamOrders",
  "streamFills",
  "streamOpen",
  "streamPositions",
  "streamTwaps",
];

export class Views {
  constructor(truth) {
    this.truth = truth;
    this.lag = Object.fromEntries(stores.map((store) => [store, 0]));
    this.recordSz = "frozen"; // or 'live', 'orig'
    this.historyCap = 2000;
    this.recordCap = 2000;
    this.statusWord = (status) => status;
    this.clock = (_source, t) => t;
    this.recordOf = null; // (oid or cloid, order, t) => answer, undefined to go on
    this.rows = (_type, rows) => rows;
  }

  draw(store) {
    const lag = this.lag[store];
    if (typeof lag === "function") return lag();
    if (Array.isArray(lag)) return lag[0] + Math.random() * (lag[1] - lag[0]);
    return lag;
  }

  asOf(store) {
    const lag = this.lag[store];
    if (lag && typeof lag === "object" && "stuckAt" in lag) return lag.stuckAt;
    return this.truth.now() - this.draw(store);
  }

  /** How far behind the store may be now; what a fair reader has to bear. */
  worstLag(store) {
    const lag = this.lag[store];
    if (Array.isArray(lag)) return lag[1];
    if (typeof lag === "function") return lag.worst ?? 0;
    if (lag && typeof lag === "object") return this.truth.now() - lag.stuckAt;
    return lag;
  }

  versionAt(order, t) {
    return order.versions.filter((each) => each.t <= t).at(-1) ?? null;
  }

  filledAt(order, t) {
    let sum = 0;
    for (const fill of this.truth.fills) if (fill.oid === order.oid && fill.t <= t) sum += fill.sz;
    return sum;
  }

  shown(order, sz) {
    const { trigger } = order;
    const isAbove = trigger && (trigger.tpsl === "tp") === (order.side === "A");
    return {
      coin: order.coin,
      side: order.side,
      limitPx: d(order.limitPx),
      sz: d(sz),
      oid: order.oid,
      timestamp: order.createdAt,
      triggerCondition: trigger ? `Price ${isAbove ? "above" : "below"} ${Number(trigger.triggerPx)}` : "N/A",
      isTrigger: Boolean(trigger),
      triggerPx: trigger ? d(q(trigger.triggerPx)) : "0.0",
      children: [],
      isPositionTpsl: false,
      reduceOnly: order.reduceOnly,
      orderType: trigger
        ? `${trigger.tpsl === "tp" ? "Take Profit" : "Stop"} ${trigger.isMarket ? "Market" : "Limit"}`
        : order.tif === "FrontendMarket"
          ? "Market"
          : "Limit",
      origSz: d(order.origSz),
      tif: order.tif,
      cloid: order.cloid,
    };
  }

  recordSize(order, version) {
    const size = order.origSz - (order.shrunk ?? 0);
    if (this.recordSz === "orig") return order.origSz;
    if (this.recordSz === "live") return size - this.filledAt(order, this.lastLook ?? this.truth.now());
    return size - version.filled;
  }

  openAt(t, dex) {
    const rows = [];
    for (const order of this.truth.orders.values()) {
      const version = this.versionAt(order, t);
      if (!version || (order.closedAt !== null && order.closedAt <= t)) continue;
      if (version.status === "triggered" && order.trigger?.isMarket) continue;
      if (dex !== undefined && (order.coin.includes(":") ? order.coin.split(":")[0] : "") !== dex) continue;
      if (dex !== undefined && order.isHidden) continue;
      rows.push(this.shown(order, order.origSz - (order.shrunk ?? 0) - this.filledAt(order, t)));
    }
    return rows.sort((a, b) => b.oid - a.oid);
  }

  fillRow(fill) {
    const before = fill.startPosition;
    const isBuy = fill.side === "B";
    const dir = isBuy ? (before >= 0 ? "Open Long" : "Close Short") : before <= 0 ? "Open Short" : "Close Long";
    return {
      coin: fill.coin,
      px: d(fill.px),
      sz: d(fill.sz),
      side: fill.side,
      time: fill.t,
      startPosition: d(before),
      dir: fill.coin.includes("/") || fill.coin.startsWith("@") ? (isBuy ? "Buy" : "Sell") : dir,
      closedPnl: "0.0",
      hash: `0x${fill.tid.toString(16).padStart(64, "a")}`,
      oid: fill.oid,
      crossed: fill.crossed,
      fee: usd((fill.sz / unit) * (fill.px / unit) * (fill.crossed ? 0.00045 : 0.00015)),
      tid: fill.tid,
      ...(fill.cloid && !this.hidesCloidInFills ? { cloid: fill.cloid } : {}),
      feeToken: "USDC",
      twapId: fill.twapId ?? null,
    };
  }

  fillsAt(t) {
    return this.truth.fills.filter((fill) => fill.t <= t).slice(-10_000);
  }

  clearinghouse(t, dex, time) {
    const held = this.truth
      .coinsHeldAt(t)
      .filter(
        (each) =>
          (each.coin.includes(":") ? each.coin.split(":")[0] : "") === dex &&
          !each.coin.includes("/") &&
          !each.coin.startsWith("@"),
      );
    let used = 0;
    let notional = 0;
    let pnl = 0;
    const assetPositions = held.map((each) => {
      const mark = this.truth.prices.get(each.coin);
      const szi = each.szi / unit;
      const entry = each.entry / unit;
      const value = Math.abs(szi) * mark;
      const unrealized = szi * (mark - entry);
      const margin = each.isCross ? value / each.leverage : each.collateral + unrealized;
      used += margin;
      notional += value;
      pnl += unrealized;
      return {
        type: "oneWay",
        position: {
          coin: each.coin,
          szi: d(each.szi),
          leverage: each.isCross
            ? { type: "cross", value: each.leverage }
            : { type: "isolated", value: each.leverage, rawUsd: usd(each.collateral - entry * szi) },
          entryPx: d(Math.round(each.entry)),
          positionValue: usd(value),
          unrealizedPnl: usd(unrealized),
          returnOnEquity: "0.0",
          liquidationPx: null,
          marginUsed: usd(margin),
          maxLeverage: this.truth.rulesOf(each.coin).maxLeverage,
          cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
        },
      };
    });
    const value = 1_000_000 + pnl;
    const summary = {
      accountValue: usd(value),
      totalNtlPos: usd(notional),
      totalRawUsd: usd(value - notional),
      totalMarginUsed: usd(used),
    };
    return {
      marginSummary: summary,
      crossMarginSummary: summary,
      crossMaintenanceMarginUsed: "0.0",
      withdrawable: usd(value - used),
      assetPositions,
      time: Math.floor(time),
    };
  }

  spot() {
    return {
      balances: [
        { coin: "USDC", token: 0, total: "100000.0", hold: "0.0", entryNtl: "0.0" },
        { coin: "PURR", token: 1, total: "1000.0", hold: "0.0", entryNtl: "0.0" },
      ],
    };
  }

  meta(t, dex) {
    const universe = this.truth.listAt(t).dexes[dex ?? ""];
    return universe ? { universe, marginTables: [], collateralToken: 0 } : null;
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

  mids(dex) {
    const mids = {};
    for (const [coin, px] of this.truth.prices) {
      const own = coin.includes(":") ? coin.split(":")[0] : "";
      if (own === (dex ?? "")) mids[coin] = d(q(px));
    }
    return mids;
  }

  twapState(twap, t) {
    const executed = this.truth.fills.filter((fill) => fill.twapId === twap.twapId && fill.t <= t);
    const size = executed.reduce((sum, fill) => sum + fill.sz, 0);
    const notional = executed.reduce((sum, fill) => sum + (fill.sz / unit) * (fill.px / unit), 0);
    return {
      coin: twap.coin,
      user: this.truth.owner,
      side: twap.side,
      sz: d(twap.sz),
      executedSz: d(size),
      executedNtl: usd(notional),
      minutes: twap.minutes,
      reduceOnly: twap.reduceOnly,
      randomize: twap.randomize,
      stopPx: null,
      trigger: null,
      timestamp: twap.createdAt,
    };
  }

  twapsAt(t) {
    return [...this.truth.twaps.values()]
      .filter(
        (twap) =>
          twap.versions.some((each) => each.t <= t) &&
          twap.versions.filter((each) => each.t <= t).at(-1).status === "activated",
      )
      .map((twap) => [twap.twapId, this.twapState(twap, t)]);
  }

  twapHistory(t) {
    const rows = [];
    for (const twap of this.truth.twaps.values())
      for (const version of twap.versions)
        if (version.t <= t)
          rows.push({
            time: Math.floor(version.t / 1000),
            state: this.twapState(twap, t),
            status: { status: version.status },
            twapId: twap.twapId,
          });
    return rows.reverse();
  }

  orderStatus(reference) {
    const t = this.asOf("record");
    this.lastLook = t;
    let order = null;
    if (typeof reference === "number") order = this.truth.orders.get(reference) ?? null;
    else {
      const oids = this.truth.byCloid.get(String(reference).toLowerCase()) ?? [];
      order =
        oids
          .map((oid) => this.truth.orders.get(oid))
          .filter((each) => this.versionAt(each, t))
          .at(-1) ?? null;
    }
    if (this.recordOf) {
      const said = this.recordOf(reference, order, t);
      if (said !== undefined) return said;
    }
    const version =
      order && !order.isUnrecorded && !this.truth.forgotten.has(order.oid) ? this.versionAt(order, t) : null;
    if (!version) return { status: "unknownOid" };
    return {
      status: "order",
      order: {
        order: this.shown(order, this.recordSize(order, version)),
        status: this.statusWord(version.status, order),
        statusTimestamp: version.t,
      },
    };
  }

  history() {
    const t = this.asOf("history");
    this.lastLook = t;
    const rows = [];
    for (const order of this.truth.orders.values()) {
      if (order.isUnrecorded || this.truth.forgotten.has(order.oid)) continue;
      for (const version of order.versions)
        if (version.t <= t)
          rows.push({
            order: this.shown(order, this.recordSize(order, version)),
            status: this.statusWord(version.status, order),
            statusTimestamp: version.t,
          });
    }
    return rows.sort((a, b) => b.statusTimestamp - a.statusTimestamp).slice(0, this.historyCap);
  }

  /** The answer of `/info`; undefined for a type that is not known. */
  info(body) {
    const { truth } = this;
    const isOwner = body.user === undefined || String(body.user).toLowerCase() === truth.owner;
    const answer = answers[body.type];
    if (!answer) return undefined;
    return answer(this, body, isOwner);
  }
}

const none = (isOwner, rows) => (isOwner ? rows() : []);

const answers = {
  meta: (view, { dex }) => view.meta(view.asOf("markets"), dex),
  allPerpMetas: (view) => {
    const t = view.asOf("markets");
    return Object.keys(view.truth.listAt(t).dexes).map((dex) => view.meta(t, dex));
  },
  perpDexs: (view) =>
    Object.keys(view.truth.listAt(view.asOf("markets")).dexes).map((name) =>
      name === ""
        ? null
        : {
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
          },
    ),
  metaAndAssetCtxs: (view, { dex }) => {
    const meta = view.meta(view.asOf("markets"), dex);
    return [meta, meta.universe.map(({ name }) => view.context(name))];
  },
  spotMeta: (view) => view.spotMeta(),
  spotMetaAndAssetCtxs: (view) => [view.spotMeta(), []],
  allMids: (view, { dex }) => view.mids(dex),
  l2Book: (view, { coin }) => ({
    coin,
    time: Math.floor(view.clock("l2Book", view.truth.now())),
    levels: [[{ px: d(view.truth.bid(coin)), sz: "10.0", n: 3 }], [{ px: d(view.truth.ask(coin)), sz: "10.0", n: 3 }]],
  }),
  clearinghouseState: (view, { dex }, isOwner) => {
    const t = view.asOf("positions");
    const time = view.clock("clearinghouseState", t);
    return isOwner ? view.clearinghouse(t, dex ?? "", time) : view.clearinghouse(0, dex ?? "nobody", time);
  },
  spotClearinghouseState: (view, _body, isOwner) => (isOwner ? view.spot() : { balances: [] }),
  openOrders: (view, { dex }, isOwner) =>
    none(isOwner, () =>
      view.rows("openOrders", view.openAt(view.asOf("open"), dex ?? "")).map((row) => ({
        coin: row.coin,
        side: row.side,
        limitPx: row.limitPx,
        sz: row.sz,
        oid: row.oid,
        timestamp: row.timestamp,
        origSz: row.origSz,
        ...(row.reduceOnly ? { reduceOnly: true } : {}),
        ...(row.cloid ? { cloid: row.cloid } : {}),
      })),
    ),
  frontendOpenOrders: (view, { dex }, isOwner) =>
    none(isOwner, () => view.rows("openOrders", view.openAt(view.asOf("open"), dex ?? ""))),
  historicalOrders: (view, _body, isOwner) => none(isOwner, () => view.rows("historicalOrders", view.history())),
  orderStatus: (view, { oid }, isOwner) => (isOwner ? view.orderStatus(oid) : { status: "unknownOid" }),
  userFills: (view, _body, isOwner) =>
    none(isOwner, () =>
      view.rows(
        "fills",
        view
          .fillsAt(view.asOf("fills"))
          .slice(-2000)
          .reverse()
          .map((each) => view.fillRow(each)),
      ),
    ),
  userFillsByTime: (view, { startTime, endTime, reversed }, isOwner) =>
    none(isOwner, () => {
      const within = view
        .fillsAt(view.asOf("fills"))
        .filter((each) => each.t >= startTime && each.t <= (endTime ?? Number.MAX_SAFE_INTEGER))
        .sort((a, b) => a.t - b.t);
      if (reversed) within.reverse();
      return view.rows(
        "fills",
        within.slice(0, 2000).map((each) => view.fillRow(each)),
      );
    }),
  userTwapSliceFills: (view, _body, isOwner) =>
    none(isOwner, () =>
      view
        .fillsAt(view.asOf("fills"))
        .filter((each) => each.twapId !== null)
        .reverse()
        .map((each) => ({ fill: view.fillRow(each), twapId: each.twapId })),
    ),
  userTwapSliceFillsByTime: (view, body, isOwner) => answers.userTwapSliceFills(view, body, isOwner),
  twapHistory: (view, _body, isOwner) => none(isOwner, () => view.twapHistory(view.asOf("twaps"))),
  userRateLimit: (view) => {
    const t = view.asOf("counters");
    const used = 100 + view.truth.actions.filter((each) => each.t <= t).reduce((sum, each) => sum + each.count, 0);
    return { cumVlm: "2854574.593578", nRequestsUsed: used, nRequestsCap: 2_864_574, nRequestsSurplus: 0 };
  },
  maxBuilderFee: () => 0,
  approvedBuilders: () => [],
  userRole: (view, { user }) => {
    const agent = view.truth.agents.get(String(user).toLowerCase());
    if (agent) return { role: "agent", data: { user: agent.master } };
    return { role: String(user).toLowerCase() === view.truth.owner ? "user" : "missing" };
  },
  extraAgents: (view, _body, isOwner) =>
    none(isOwner, () =>
      [...view.truth.agents.values()].map(({ name, address, validUntil }) => ({ name, address, validUntil })),
    ),
  subAccounts: () => null,
  activeAssetData: (view, { coin }, isOwner) => view.activeAsset(coin, view.asOf("leverage"), isOwner),
  userFees: () => ({
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
  userNonFundingLedgerUpdates: () => [],
  userFunding: () => [],
  fundingHistory: () => [],
  candleSnapshot: () => [],
  userAbstraction: () => "default",
  userDexAbstraction: () => null,
  exchangeStatus: (view) => ({
    time: Math.floor(view.clock("exchangeStatus", view.asOf("clock"))),
    specialStatuses: null,
  }),
  perpsAtOpenInterestCap: () => [],
  maxMarketOrderNtls: () => [],
  marginTable: () => ({ description: "", marginTiers: [{ lowerBound: "0.0", maxLeverage: 10 }] }),
  perpDexLimits: () => ({
    totalOiCap: "1000000000.0",
    oiSzCapPerPerp: "1000000000.0",
    maxTransferNtl: "1000000000.0",
    coinToOiCap: [],
  }),
  perpDexStatus: () => ({ totalNetDeposit: "1000000.0" }),
};

Views.prototype.context = function context(coin) {
  const px = d(q(this.truth.prices.get(coin)));
  return {
    funding: "0.0000125",
    openInterest: "1000.0",
    prevDayPx: px,
    dayNtlVlm: "1000000.0",
    premium: "0.0",
    oraclePx: px,
    markPx: px,
    midPx: px,
    impactPxs: [px, px],
    dayBaseVlm: "100.0",
  };
};

Views.prototype.activeAsset = function activeAsset(coin, t) {
  const { isCross, leverage } = this.truth.leverageAt(t, coin);
  const held = this.truth.positionAt(t, coin);
  return {
    user: this.truth.owner,
    coin,
    leverage: isCross
      ? { type: "cross", value: leverage }
      : { type: "isolated", value: leverage, rawUsd: usd(held.collateral - (held.entry / unit) * (held.szi / unit)) },
    maxTradeSzs: ["100.0", "100.0"],
    availableToTrade: ["900000.0", "900000.0"],
    markPx: d(q(this.truth.prices.get(coin) ?? 1)),
  };
};
