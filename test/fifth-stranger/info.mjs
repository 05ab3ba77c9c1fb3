// `/info`: each kind is answered from its own store, which may be behind.
import { Unreadable, wire } from "./codec.mjs";

const STORE = {
  clearinghouseState: "state",
  spotClearinghouseState: "spot",
  openOrders: "open",
  frontendOpenOrders: "open",
  orderStatus: "order",
  historicalOrders: "history",
  userFills: "fills",
  userFillsByTime: "fills",
  userTwapSliceFills: "fills",
  userTwapSliceFillsByTime: "fills",
  twapHistory: "twap",
  activeAssetData: "leverage",
  exchangeStatus: "clock",
};

export class Info {
  constructor({ truth, views, twaps, lag }) {
    Object.assign(this, { truth, views, twaps, lag });
    this.markets = truth.markets;
    this.roles = new Map();
  }

  answer(body) {
    const asOf = Date.now() - this.lag.of(STORE[body.type] ?? "other");
    const user = typeof body.user === "string" ? this.truth.account(body.user) : null;
    const general = this.general(body, asOf);
    if (general !== undefined) return general;
    if (user === null) throw new Unreadable(body.type);
    return this.personal(body, user, asOf);
  }

  general(body, asOf) {
    const dex = body.dex ?? "";
    const markets = this.markets;
    switch (body.type) {
      case "meta":
        return markets.shown?.(dex) ?? markets.meta(dex);
      case "metaAndAssetCtxs":
        return [markets.meta(dex), markets.dex(dex).map((market) => this.views.context(market))];
      case "allPerpMetas":
        return [markets.meta(""), markets.meta("xyz")];
      case "perpDexs":
        return [
          null,
          {
            name: "xyz",
            fullName: "XYZ",
            deployer: `0x${"88".repeat(20)}`,
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
        return markets.spotMeta();
      case "spotMetaAndAssetCtxs":
        return [markets.spotMeta(), markets.spot().map((market) => this.views.context(market))];
      case "allMids":
        return Object.fromEntries(
          markets.list.filter((market) => market.dex === dex).map((market) => [market.coin, wire(market.mid)]),
        );
      case "l2Book":
        return this.views.book(body.coin, Date.now());
      case "exchangeStatus":
        return { time: asOf, specialStatuses: null };
      case "marginTable":
        return { description: "", marginTiers: [{ lowerBound: "0.0", maxLeverage: body.id }] };
      case "perpsAtOpenInterestCap":
        return [];
      case "recentTrades":
      case "candleSnapshot":
      case "fundingHistory":
        return [];
      case "maxMarketOrderNtls":
        return [];
      default:
        return undefined;
    }
  }

  personal(body, user, asOf) {
    const { views } = this;
    switch (body.type) {
      case "clearinghouseState":
        return views.clearinghouse(user, body.dex ?? "", asOf);
      case "spotClearinghouseState":
        return views.spot(user, asOf);
      case "openOrders":
        return views.open(user, body.dex ?? "", asOf).map((row) => views.basic(row));
      case "frontendOpenOrders":
        return views.open(user, body.dex ?? "", asOf);
      case "orderStatus":
        return views.status(user, typeof body.oid === "string" ? body.oid.toLowerCase() : body.oid, asOf);
      case "historicalOrders":
        return views.history(user, asOf);
      case "userFills":
        return views.fills(user, asOf).reverse().slice(0, 2000);
      case "userFillsByTime":
        return views.fills(user, asOf, body.startTime, body.endTime).slice(0, 2000);
      case "userTwapSliceFills":
        return views
          .fills(user, asOf)
          .filter((fill) => fill.twapId !== null)
          .map((fill) => ({ fill, twapId: fill.twapId }))
          .reverse();
      case "userTwapSliceFillsByTime":
        return views
          .fills(user, asOf, body.startTime, body.endTime)
          .filter((fill) => fill.twapId !== null)
          .map((fill) => ({ fill, twapId: fill.twapId }));
      case "twapHistory":
        return this.twaps.rows(user, asOf);
      case "activeAssetData":
        return views.activeAsset(user, body.coin, asOf);
      case "userRateLimit":
        return {
          cumVlm: "1000000.0",
          nRequestsUsed: this.truth.actions.length,
          nRequestsCap: 1010000,
          nRequestsSurplus: 0,
        };
      case "maxBuilderFee":
        return 0;
      case "approvedBuilders":
        return [];
      case "userRole":
        return this.role(user);
      case "extraAgents":
        return user.agents.map(({ name, address, validUntil }) => ({ name, address, validUntil }));
      case "subAccounts":
        return this.subAccounts(user, asOf);
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
      case "userNonFundingLedgerUpdates":
      case "userFunding":
        return [];
      case "userAbstraction":
        return user.abstraction;
      case "userDexAbstraction":
        return null;
      default:
        throw new Unreadable(body.type);
    }
  }

  role(user) {
    const signer = this.truth.signers.get(user.address);
    if (signer?.state === "active") return { role: "agent", data: { user: signer.account } };
    if (user.master && user.vault) return { role: "vault" };
    if (user.master) return { role: "subAccount", data: { master: user.master } };
    return { role: user.funded ? "user" : "missing" };
  }

  subAccounts(user, asOf) {
    const rows = [...this.truth.accounts.values()].filter((one) => one.master === user.address && !one.vault);
    return rows.length === 0
      ? null
      : rows.map((one) => ({
          name: "sub",
          subAccountUser: one.address,
          master: user.address,
          clearinghouseState: this.views.clearinghouse(one, "", asOf),
          spotState: this.views.spot(one, asOf),
        }));
  }
}

/** How far each store is behind, in ms: fixed, or drawn anew for each read. */
export class Lag {
  constructor(random = Math.random) {
    this.random = random;
    this.fixed = {};
    this.most = {};
  }

  of(store) {
    const most = this.most[store] ?? this.most.all ?? 0;
    return (this.fixed[store] ?? this.fixed.all ?? 0) + Math.floor(this.random() * most);
  }

  clear() {
    this.fixed = {};
    this.most = {};
  }
}
