// Questions that are seldom asked, and an address that nobody knows.
import { wire } from "./decimal.mjs";

export class Rare {
  constructor(exchange) {
    this.x = exchange;
  }
  rare(body) {
    const x = this.x;
    switch (body.type) {
      case "userRateLimit":
        return { cumVlm: "2854574.59", nRequestsUsed: 2890, nRequestsCap: 2864574, nRequestsSurplus: 0 };
      case "maxBuilderFee":
        return x.builderFee ?? 0;
      case "approvedBuilders":
        return [];
      case "userRole":
        return this.mine(body)
          ? { role: "user" }
          : x.agents.some((a) => a.address === String(body.user).toLowerCase())
            ? { role: "agent", data: { user: x.owner } }
            : { role: "missing" };
      case "extraAgents":
        return this.mine(body) ? x.agents : [];
      case "subAccounts":
        return null;
      case "activeAssetData": {
        const m = x.markets.get(body.coin);
        const lev = x.leverage.get(body.coin) ?? { type: "cross", value: m.lev };
        return {
          user: x.owner,
          coin: body.coin,
          leverage: lev,
          maxTradeSzs: ["100.0", "100.0"],
          availableToTrade: ["10000.0", "10000.0"],
          markPx: wire(m.mid),
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
      case "userAbstraction":
        return x.mode;
      case "userDexAbstraction":
        return null;
      case "exchangeStatus":
        return { time: x.now(), specialStatuses: null };
      case "maxMarketOrderNtls":
        return [[20, "30000000.0"]];
      case "marginTable":
        return { description: `${body.id}x`, marginTiers: [{ lowerBound: "0.0", maxLeverage: Number(body.id) }] };
      case "perpsAtOpenInterestCap":
        return [];
      case "fundingHistory":
        return [];
      case "recentTrades":
        return [];
      case "candleSnapshot":
        return [];
      case "perpDexStatus":
        return { totalNetDeposit: "1000000.0" };
      default:
        return undefined;
    }
  }
  mine(body) {
    return String(body.user).toLowerCase() === this.x.owner;
  }
  nobody() {
    const zero = { accountValue: "0.0", totalNtlPos: "0.0", totalRawUsd: "0.0", totalMarginUsed: "0.0" };
    return {
      marginSummary: zero,
      crossMarginSummary: zero,
      crossMaintenanceMarginUsed: "0.0",
      withdrawable: "0.0",
      assetPositions: [],
      time: this.x.now(),
    };
  }
}
