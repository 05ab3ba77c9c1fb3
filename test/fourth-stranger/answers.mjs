// `/info`: every answer is of the moment which the store behind it has reached.
import { fmt, MARKETS, pxStr } from "./markets.mjs";
import { emptyState, Stores } from "./stores.mjs";

export class Answers extends Stores {
  meta() {
    return {
      universe: [
        { szDecimals: 5, name: "BTC", maxLeverage: 40, marginTableId: 56 },
        { szDecimals: 4, name: "ETH", maxLeverage: 25, marginTableId: 55 },
      ],
      marginTables: [
        [55, { description: "tiered 25x", marginTiers: [{ lowerBound: "0.0", maxLeverage: 25 }] }],
        [56, { description: "tiered 40x", marginTiers: [{ lowerBound: "0.0", maxLeverage: 40 }] }],
      ],
      collateralToken: 0,
    };
  }
  ctx(m) {
    const mid = fmt((m.bid + m.ask) / 2, 6);
    return {
      funding: "0.0000125",
      openInterest: "1000.0",
      prevDayPx: mid,
      dayNtlVlm: "1000000.0",
      premium: "0.0",
      oraclePx: mid,
      markPx: mid,
      midPx: mid,
      impactPxs: [String(m.bid), String(m.ask)],
      dayBaseVlm: "100.0",
    };
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
  book(coin) {
    const m = MARKETS[coin];
    if (!m) return null;
    return {
      coin,
      time: this.now(),
      levels: [[{ px: pxStr(m, m.bid), sz: "1000.0", n: 5 }], [{ px: pxStr(m, m.ask), sz: "1000.0", n: 5 }]],
    };
  }
  info(q) {
    const me = this.mine(q.user),
      dex0 = !q.dex;
    this.requests[q.type] = (this.requests[q.type] ?? 0) + 1;
    switch (q.type) {
      case "meta":
        return dex0 ? this.meta() : { universe: [], marginTables: [], collateralToken: 0 };
      case "metaAndAssetCtxs":
        return dex0
          ? [this.meta(), [this.ctx(MARKETS.BTC), this.ctx(MARKETS.ETH)]]
          : [{ universe: [], marginTables: [], collateralToken: 0 }, []];
      case "allPerpMetas":
        return [this.meta(), { universe: [], marginTables: [], collateralToken: 0 }];
      case "perpDexs":
        return [
          null,
          {
            name: "xyz",
            fullName: "XYZ",
            deployer: "0x8880000000000000000000000000000000000888",
            oracleUpdater: null,
            feeRecipient: null,
            assetToStreamingOiCap: [],
            subDeployers: [],
            deployerFeeScale: "1.0",
            lastDeployerFeeScaleChangeTime: "1970-01-01T00:00:00",
            assetToFundingMultiplier: [],
            assetToFundingInterestRate: [],
          },
        ];
      case "spotMeta":
        return this.spotMeta();
      case "spotMetaAndAssetCtxs":
        return [
          this.spotMeta(),
          [
            {
              prevDayPx: "0.2",
              dayNtlVlm: "1000.0",
              markPx: "0.20005",
              midPx: "0.20005",
              circulatingSupply: "1000000000.0",
              coin: "PURR/USDC",
              totalSupply: "1000000000.0",
              dayBaseVlm: "1000.0",
            },
          ],
        ];
      case "allMids":
        return dex0 ? { BTC: "60005.0", ETH: "3000.25", "PURR/USDC": "0.20005" } : {};
      case "l2Book":
        return this.book(q.coin);
      case "exchangeStatus":
        return { time: Math.floor(this.viewT("clock")), specialStatuses: null };
      case "clearinghouseState": {
        const T = this.viewT("positions");
        return me && dex0 ? this.clearing(T) : emptyState(T);
      }
      case "spotClearinghouseState":
        return me ? this.spotState(this.viewT("spot")) : { balances: [] };
      case "openOrders":
      case "frontendOpenOrders": {
        const T = this.viewT("open");
        if (!me || !dex0) return [];
        const os = this.openAt(T).sort((a, b) => b.oid - a.oid);
        return os.map((o) => {
          const f = this.front(o, this.remAt(o, T));
          if (q.type === "frontendOpenOrders") return f;
          const x = {
            coin: f.coin,
            side: f.side,
            limitPx: f.limitPx,
            sz: f.sz,
            oid: f.oid,
            timestamp: f.timestamp,
            origSz: f.origSz,
          };
          if (f.reduceOnly) x.reduceOnly = true;
          if (f.cloid) x.cloid = f.cloid;
          return x;
        });
      }
      case "historicalOrders":
        return me ? this.history(this.viewT("history")) : [];
      case "orderStatus": {
        if (!me) return { status: "unknownOid" };
        const T = this.viewT("status");
        let o = null;
        if (typeof q.oid === "number") o = this.byOid.get(q.oid);
        else for (const x of this.orders) if (x.cloid === String(q.oid).toLowerCase() && this.at(x, T)) o = x;
        const h = o && this.at(o, T);
        if (!h) return { status: "unknownOid" };
        return {
          status: "order",
          order: {
            order: this.front(o, h.status === "filled" ? (this.opt.filledSzOrig ? o.orig : 0) : h.sz),
            status: h.status,
            statusTimestamp: h.t,
          },
        };
      }
      case "userFills":
        return me
          ? this.fillsAt(this.viewT("fills"))
              .slice(-2000)
              .reverse()
              .map((f) => this.fillRow(f))
          : [];
      case "userFillsByTime": {
        if (!me) return [];
        const T = this.viewT("fills");
        let rows = this.fillsAt(T).filter((f) => f.time >= q.startTime && (q.endTime == null || f.time <= q.endTime));
        if (q.reversed) rows = rows.reverse();
        return rows.slice(0, 2000).map((f) => this.fillRow(f));
      }
      case "userTwapSliceFills":
      case "userTwapSliceFillsByTime":
      case "twapHistory":
      case "userNonFundingLedgerUpdates":
      case "userFunding":
      case "approvedBuilders":
      case "perpsAtOpenInterestCap":
      case "fundingHistory":
      case "candleSnapshot":
      case "recentTrades":
        return [];
      case "userRateLimit":
        return { cumVlm: "1000000.0", nRequestsUsed: 10, nRequestsCap: 1010000, nRequestsSurplus: 0 };
      case "maxBuilderFee":
        return 0;
      case "userRole": {
        const u = String(q.user).toLowerCase();
        if (this.agents.some((a) => a.address === u)) return { role: "agent", data: { user: this.owner } };
        return { role: me ? "user" : "missing" };
      }
      case "extraAgents":
        return me ? this.agents : [];
      case "subAccounts":
        return null;
      case "activeAssetData":
        return {
          user: String(q.user).toLowerCase(),
          coin: q.coin,
          leverage: { type: "cross", value: 20 },
          maxTradeSzs: ["1000.0", "1000.0"],
          availableToTrade: ["900000.0", "900000.0"],
          markPx: fmt((MARKETS[q.coin]?.bid + MARKETS[q.coin]?.ask) / 2, 6),
        };
      case "userFees":
        return {
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
        };
      case "userAbstraction":
        return "default";
      case "userDexAbstraction":
        return null;
      default:
        this.unknownTypes.add(q.type);
        return undefined;
    }
  }
}
