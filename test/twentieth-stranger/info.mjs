// The questions of /info, each answered from a moment of its own store.
import { wire } from "./figures.mjs";
import { at, during } from "./truth.mjs";
import { META, SPOT_META } from "./views.mjs";

/** Which store a question goes to: each lags for itself. */
export function answer(exchange, body, t) {
  const { views, truth, user } = exchange;
  const mine = String(body.user ?? user).toLowerCase() === user;
  switch (body.type) {
    case "meta":
      return META[body.dex ?? ""];
    case "allPerpMetas":
      return [META[""], META.xyz];
    case "perpDexs":
      return [
        null,
        {
          name: "xyz",
          fullName: "XYZ",
          deployer: `0x${"8".repeat(40)}`,
          oracleUpdater: null,
          feeRecipient: `0x${"9".repeat(40)}`,
          assetToStreamingOiCap: [],
          subDeployers: [],
          deployerFeeScale: "1.0",
          lastDeployerFeeScaleChangeTime: "1970-01-01T00:00:00",
          assetToFundingMultiplier: [],
          assetToFundingInterestRate: [],
        },
      ];
    case "spotMeta":
      return SPOT_META;
    case "metaAndAssetCtxs": {
      const meta = META[body.dex ?? ""];
      return [meta, meta.universe.map(({ name }) => views.context(name, t))];
    }
    case "spotMetaAndAssetCtxs":
      return [SPOT_META, SPOT_META.universe.map(({ name }) => views.context(name, t))];
    case "allMids":
      return views.mids(body.dex ?? "", t);
    case "l2Book":
      return truth.markets.has(body.coin) ? views.book(body.coin, t) : null;
    case "exchangeStatus":
      return { time: t, specialStatuses: null };
    case "clearinghouseState":
      return views.clearinghouse(body.dex ?? "", mine ? t : truth.began);
    case "spotClearinghouseState":
      return mine ? views.spot(t) : { balances: [] };
    case "openOrders":
    case "frontendOpenOrders":
      return mine ? views.openOrders(body.dex ?? "", t) : [];
    case "orderStatus":
      return mine ? views.orderStatus(body.oid, t) : { status: "unknownOid" };
    case "historicalOrders":
      return mine ? views.history(t) : [];
    case "userFills":
      return mine ? views.fills(t) : [];
    case "userFillsByTime":
      return mine ? views.fillsByTime(t, body.startTime, body.endTime ?? Infinity, body.reversed) : [];
    case "userTwapSliceFills":
      return mine ? views.twapSlices(t).reverse() : [];
    case "userTwapSliceFillsByTime":
      return mine ? views.twapSlices(t, body.startTime, body.endTime ?? Infinity) : [];
    case "twapHistory":
      return mine ? views.twapHistory(t, user) : [];
    default:
      return ofAccount(exchange, body, t);
  }
}

function ofAccount({ truth, views, user, agent, unknown, limits }, body, t) {
  const who = String(body.user ?? "").toLowerCase();
  switch (body.type) {
    case "userRateLimit":
      return limits.address();
    case "maxBuilderFee":
      return 0;
    case "approvedBuilders":
      return [];
    case "userRole":
      return who === agent ? { role: "agent", data: { user } } : { role: "user" };
    case "extraAgents":
      return agent === null ? [] : [{ name: "postern", address: agent, validUntil: Date.now() + 90 * 86_400_000 }];
    case "subAccounts":
      return null;
    case "userAbstraction":
      return "disabled";
    case "userDexAbstraction":
      return null;
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
    case "userFunding":
    case "fundingHistory":
    case "recentTrades":
    case "perpsAtOpenInterestCap":
      return [];
    case "candleSnapshot":
      return candles(truth, body.req, t);
    case "userNonFundingLedgerUpdates":
      return truth.ledger.filter(
        ({ time }) => time <= t && time >= body.startTime && time <= (body.endTime ?? Infinity),
      );
    case "activeAssetData": {
      const market = truth.markets.get(body.coin);
      const { type, value } = at(market.leverages, t);
      return {
        user,
        coin: body.coin,
        leverage: type === "isolated" ? { type, value, rawUsd: "0.0" } : { type, value },
        maxTradeSzs: ["100.0", "100.0"],
        availableToTrade: ["900000.0", "900000.0"],
        markPx: views.context(body.coin, t).markPx,
      };
    }
    default:
      unknown.add(`info ${body.type}`);
      return undefined;
  }
}

const STEPS = { "1m": 60_000, "3m": 180_000, "5m": 300_000, "15m": 900_000, "1h": 3_600_000, "1d": 86_400_000 };

/** What was traded, at the marks: before the beginning at the first. */
function candles(truth, { coin, interval, startTime, endTime }, t) {
  const step = STEPS[interval] ?? 60_000;
  const rows = [];
  for (let from = startTime - (startTime % step); from <= Math.min(endTime ?? t, t); from += step) {
    const marks = during(truth.markets.get(coin).marks, from, Math.min(from + step - 1, t)).map(({ value }) => value);
    if (marks.length === 0) marks.push(truth.mark(coin, truth.began));
    const sorted = [...marks].sort((a, b) => (a < b ? -1 : 1));
    const [o, c, h, l] = [marks[0], marks.at(-1), sorted.at(-1), sorted[0]].map((value) => wire(value));
    rows.push({ t: from, T: from + step - 1, s: coin, i: interval, o, c, h, l, v: "10.0", n: 5 });
  }
  return rows.slice(-5000);
}
