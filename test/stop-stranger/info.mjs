// `/info`: each read is as old as its store says, and some are refused.
import { num } from "./ledger.mjs";
import { now, sleep } from "./random.mjs";
import { Views } from "./views.mjs";
export class Info extends Views {
  async infoReq(res, body) {
    const send = (code, x, raw) => {
      if (res.destroyed) return;
      res.writeHead(code, { "Content-Type": raw ? "text/html" : "application/json" });
      res.end(raw ?? JSON.stringify(x));
    };
    let q;
    try {
      q = JSON.parse(body);
    } catch {
      return send(400, null, "Failed to parse the request body as JSON");
    }
    const a = q.user ? this.account(q.user) : null;
    this.reads ??= {};
    this.reads[q.type] = (this.reads[q.type] ?? 0) + 1;
    await sleep(5 + this.rnd() * 60);
    if (a && this.rnd.chance(a.cfg.infoFail ?? 0)) {
      const k = this.rnd.chance(0.05) ? "429" : this.rnd.pick(["502", "reset"]);
      if (k === "502") return send(502, null, "<html>Bad Gateway</html>");
      if (k === "429") return send(429, null);
      return res.destroy();
    }
    const x = this.info(q, a);
    if (x === undefined) {
      this.unknown.set(q.type, (this.unknown.get(q.type) ?? 0) + 1);
      return send(422, null, "Failed to deserialize the JSON body into the target type");
    }
    send(200, x);
  }
  info(q, a) {
    switch (q.type) {
      case "meta":
        return q.dex
          ? {
              universe: [{ szDecimals: 2, name: "xyz:TSLA", maxLeverage: 10, marginTableId: 10 }],
              marginTables: [],
              collateralToken: 0,
            }
          : this.meta();
      case "metaAndAssetCtxs":
        return q.dex
          ? [this.info({ type: "meta", dex: q.dex }), [{ ...this.ctx(this.markets[0]) }]]
          : [this.meta(), this.markets.map((m) => this.ctx(m))];
      case "allPerpMetas":
        return [this.meta(), this.info({ type: "meta", dex: "xyz" })];
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
              tokenId: "0xc4bf3f870c0e9465323c0b6ed28096c2",
              isCanonical: true,
              evmContract: null,
              fullName: null,
              deployerTradingFeeShare: "0.0",
            },
          ],
        };
      case "spotMetaAndAssetCtxs":
        return [
          this.info({ type: "spotMeta" }),
          [
            {
              prevDayPx: "0.2",
              dayNtlVlm: "1000.0",
              markPx: "0.2",
              midPx: "0.2",
              circulatingSupply: "1000000.0",
              coin: "PURR/USDC",
              totalSupply: "1000000.0",
              dayBaseVlm: "100.0",
            },
          ],
        ];
      case "allMids":
        return q.dex
          ? { "xyz:TSLA": "300.0" }
          : Object.fromEntries([...this.markets.map((m) => [m.coin, num(m.mark)]), ["PURR/USDC", "0.2"]]);
      case "l2Book": {
        const m = this.byCoin.get(q.coin);
        return m ? this.book(m) : null;
      }
      case "clearinghouseState":
        return this.chs(a, this.lagged(a, "positions"), q.dex);
      case "spotClearinghouseState":
        return { balances: [] };
      case "openOrders":
      case "frontendOpenOrders": {
        if (q.dex) return [];
        const t = this.lagged(a, "open");
        return this.frontList(a, t);
      }
      case "historicalOrders":
        return this.histRows(a, this.lagged(a, "history"));
      case "orderStatus": {
        const t = this.lagged(a, "status");
        let r = null;
        if (typeof q.oid === "string") {
          const l = a.cloids.get(q.oid.toLowerCase()) ?? [];
          for (const o of l) {
            const x = this.at(a, o, t);
            if (x) r = x;
          }
        } else r = this.at(a, q.oid, t);
        return r?.status
          ? { status: "order", order: { order: this.front(r), status: r.status, statusTimestamp: r.statusTs } }
          : { status: "unknownOid" };
      }
      case "userFills": {
        const t = this.lagged(a, "fills");
        return a.fills
          .filter((f) => f.time <= t)
          .reverse()
          .slice(0, 2000);
      }
      case "userFillsByTime": {
        const t = this.lagged(a, "fills");
        const l = a.fills
          .filter((f) => f.time <= t && f.time >= q.startTime && (!q.endTime || f.time <= q.endTime))
          .slice(0, 2000);
        return q.reversed ? l.reverse() : l;
      }
      case "userTwapSliceFills":
      case "userTwapSliceFillsByTime": {
        const t = this.lagged(a, "fills");
        return a.fills
          .filter((f) => f.twapId && f.time <= t && f.time >= (q.startTime ?? 0))
          .map((fill) => ({ fill, twapId: fill.twapId }))
          .reverse();
      }
      case "twapHistory": {
        const t = this.lagged(a, "history");
        return a.twapHist
          .filter((h) => h.t <= t)
          .map((h) => h.row)
          .reverse();
      }
      case "userRateLimit":
        return { cumVlm: "1000000.0", nRequestsUsed: 10, nRequestsCap: 1010000, nRequestsSurplus: 0 };
      case "maxBuilderFee":
        return 0;
      case "approvedBuilders":
        return [];
      case "userRole": {
        const o = this.agents.get(q.user.toLowerCase());
        return o ? { role: "agent", data: { user: o } } : { role: "user" };
      }
      case "extraAgents":
        return a.agentList;
      case "subAccounts":
        return null;
      case "activeAssetData": {
        const m = this.byCoin.get(q.coin);
        const lev = a.lev.get(q.coin) ?? { type: "cross", value: 20 };
        return m
          ? {
              user: a.addr,
              coin: q.coin,
              leverage: lev,
              maxTradeSzs: ["1000.0", "1000.0"],
              availableToTrade: ["900000.0", "900000.0"],
              markPx: num(m.mark),
            }
          : null;
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
        };
      case "userNonFundingLedgerUpdates":
      case "userFunding":
        return [];
      case "userAbstraction":
        return "default";
      case "userDexAbstraction":
        return null;
      case "exchangeStatus":
        return { time: now(), specialStatuses: null };
      case "candleSnapshot":
        return [];
      case "recentTrades":
        return [];
      case "fundingHistory":
        return [];
      case "perpsAtOpenInterestCap":
        return [];
      case "predictedFundings":
        return [];
      case "maxMarketOrderNtls":
        return [[40, "30000000.0"]];
      case "marginTable":
        return { description: "x", marginTiers: [{ lowerBound: "0.0", maxLeverage: 40 }] };
      default:
        return undefined;
    }
  }
}
