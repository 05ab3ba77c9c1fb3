/** What the gateway is shown of the exchange: prices, positions and settings as they are, and nothing of what became of orders. */
import { type Decimal, decimal } from "../../src/core/decimal.ts";
import { isSpot } from "../../src/core/market.ts";
import type { Deps } from "../../src/deps.ts";
import type { ClearinghouseState } from "../../src/wire/answer/account.ts";
import type { Outside, QuickClock } from "./gateway.ts";

export function exchangeOf(clock: QuickClock, outside: Outside): Deps["exchange"] {
  return {
    send: async (body) => outside.send(Number(body)),
    // The place of a market in the list, and the position before its margin is changed.
    info: async ({ type }) => ({
      kind: "ok",
      json: type === "clearinghouseState" ? stateJson(outside, clock.nowMs()) : LIST,
    }),
    infoInTurn: async () => UNREAD_IN_TURN,
    nowMs: clock.nowMs,
    mayBeAheadMs: () => 0,
    sinceAnswerMs: () => 0,
    hasBudgetFor: () => true,
    budgetWaitS: () => 0,
    budgetLeft: () => null,
    isReaderWaiting: () => false,
    slowDown: () => undefined,
    slowedDown: () => null,
  };
}

const UNREAD_IN_TURN = { kind: "failed", reason: "no part of this", httpStatus: null, isOurBudget: false } as const;
const UNREAD = { kind: "failed", reason: "it is dark", isOurBudget: false } as const;

const LIST = { universe: [listed("BTC"), listed("ETH")] };

/** As the exchange writes it. */
function stateJson(outside: Outside, time: number) {
  const summary = { accountValue: "0", totalNtlPos: "0", totalRawUsd: "0", totalMarginUsed: "0" };
  const rest = {
    entryPx: "1",
    positionValue: "0",
    unrealizedPnl: "0",
    returnOnEquity: "0",
    liquidationPx: null,
    marginUsed: "0",
    maxLeverage: 40,
    cumFunding: { allTime: "0", sinceOpen: "0", sinceChange: "0" },
  };
  const positions = [...outside.positions()].filter(([, size]) => size !== 0);
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: "0",
    withdrawable: "0",
    time,
    assetPositions: positions.map(([coin, size]) => ({
      type: "oneWay",
      position: {
        ...rest,
        coin,
        szi: String(size / 1_000),
        leverage: { type: "cross", value: outside.leverageOf(coin) },
      },
    })),
  };
}

function listed(name: string) {
  return { name, szDecimals: 3, maxLeverage: 40 };
}

export function viewOf(clock: QuickClock, { price }: Outside): Deps["marketView"] {
  const peek = (market: string) => {
    const known = price(market);
    if (known === null) return null;
    const { low, high, seenMs } = known;
    return { mark: usd(low), oracle: isSpot(market) ? null : usd(high), ageMs: clock.nowMs() - seenMs, seenMs };
  };
  const none = async () => ({ kind: "failed", reason: "no part of this", isOurBudget: false }) as const;
  return {
    best: none,
    mids: none,
    mark: async ({ name }, _purpose, withinMs = 10_000) => {
      const known = peek(name);
      if (known === null || known.ageMs > withinMs) return UNREAD;
      return { kind: "ok", value: figures(known), atMs: known.seenMs, ageMs: known.ageMs };
    },
    isMarkTold(market, withinMs) {
      const known = peek(market);
      return known !== null && known.ageMs <= withinMs;
    },
    book: async (market) => {
      const known = peek(market);
      if (known === null || known.ageMs > 2_000) return UNREAD;
      const level = [{ price: known.mark, size: decimal("1000"), orders: 1 }];
      return { kind: "ok", value: { bids: level, asks: level }, atMs: known.seenMs, ageMs: known.ageMs };
    },
    follow: () => null,
    // Kinds other than the mark are asked for by nobody here.
    peek: ((kind: string, of: string) => {
      const known = kind === "mark" ? peek(of) : null;
      return known === null ? null : { value: figures(known), atMs: known.seenMs, ageMs: known.ageMs };
    }) as Deps["marketView"]["peek"],
    median: (market) => {
      const known = price(market);
      return known === null ? null : usd(known.high);
    },
    isLive: () => true,
    isTelling: () => true,
    isExpected: () => false,
  };
}

function figures({ mark, oracle }: { mark: Decimal; oracle: Decimal | null }) {
  const unused = decimal("0");
  return { mark, oracle, fundingRate: unused, openInterest: unused, dayVolume: unused, previousDayPrice: unused };
}

function usd(dollars: number): Decimal {
  return decimal(String(dollars));
}

export function readsOf(clock: QuickClock, outside: Outside): Deps["reads"] {
  const no = async () => UNREAD;
  const ok = <T>(value: T) => ({ kind: "ok", value, askedAtMs: clock.nowMs(), readAtMs: clock.nowMs() }) as const;
  return {
    orderStatus: no,
    openOrders: async () => ok([]),
    historicalOrders: no,
    fillsByTime: no,
    account: no,
    mode: no,
    spot: no,
    clearinghouse: async () => ok(stateOf(outside, clock.nowMs())),
    clearinghouseAnew: async () => ok(stateOf(outside, clock.nowMs())),
    activeAsset: async (_user, coin) =>
      ok({
        coin,
        leverage: leverage(outside.leverageOf(coin)),
        availableToTrade: NONE,
        maxTradeSizes: NONE,
        markPrice: null,
      }),
    twapHistory: no,
    rateLimit: no,
    maxBuilderFee: no,
    mids: no,
    book: no,
    perpMarks: no,
    spotMarks: no,
    candles: no,
    trades: no,
  };
}

const NONE = [decimal("0"), decimal("0")] as const;

function leverage(value: number) {
  return { type: "cross", value, rawUsd: null } as const;
}

/** Positions as the exchange has them now. */
export function stateOf(outside: Outside, timeMs: number): ClearinghouseState {
  const zero = decimal("0");
  const summary = { accountValue: zero, totalNotional: zero, totalRawUsd: zero, totalMarginUsed: zero };
  const positions = [...outside.positions()].flatMap(([coin, thousandths]) =>
    thousandths === 0
      ? []
      : [
          {
            coin,
            signedSize: decimal(String(thousandths / 1_000)),
            leverage: leverage(outside.leverageOf(coin)),
            entryPrice: null,
            positionValue: zero,
            unrealizedPnl: zero,
            returnOnEquity: zero,
            liquidationPrice: null,
            marginUsed: zero,
            maxLeverage: 40,
            fundingSinceOpen: zero,
          },
        ],
  );
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: zero,
    withdrawable: zero,
    positions,
    timeMs,
  };
}
