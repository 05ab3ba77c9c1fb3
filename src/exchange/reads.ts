import type { Candle, CandleInterval, CandleWindow, MarketTrade } from "../core/candle.ts";
import type { Clock } from "../core/clock.ts";
import type { Decimal } from "../core/decimal.ts";
import {
  type AccountMode,
  type ActiveAssetData,
  type ClearinghouseState,
  parseAccountMode,
  parseActiveAssetData,
  parseClearinghouseState,
  parseMaxBuilderFee,
  parseRateLimit,
  parseSpotState,
  type RateLimit,
  type SpotBalance,
} from "../wire/answer/account.ts";
import { parseCandles, parseTrades } from "../wire/answer/candles.ts";
import { type Fill, parseFills } from "../wire/answer/fills.ts";
import {
  type MarkList,
  type PlacedMarks,
  parseBook,
  parsePerpMarks,
  parseSpotMarks,
  type TimedBook,
} from "../wire/answer/market-data.ts";
import { parseMids } from "../wire/answer/mids.ts";
import { parseFrontendOpenOrders } from "../wire/answer/open-orders.ts";
import {
  type FrontendOrder,
  type OrderRecord,
  type OrderStatusAnswer,
  parseHistoricalOrders,
  parseOrderStatusOf,
} from "../wire/answer/order-status.ts";
import { parseTwapHistory, type TwapRecord } from "../wire/answer/twap.ts";
import { jsonInteger } from "../wire/json.ts";
import type { Exchange, InfoRequest, Purpose } from "./exchange.ts";
import { type DatedInfo, datedInfo, shareInfo } from "./shared-info.ts";

/** What was read, or why it was not. */
export type Read<T> =
  /** When the exchange was asked and when its answer came, unix milliseconds; older than now where an answer is shared. */
  | { kind: "ok"; value: T; askedAtMs: number; readAtMs: number }
  /** `isOurBudget`: not asked, to keep our weight for what matters more. `waitS`: as an `InfoOutcome` has it. */
  | { kind: "failed"; reason: string; isOurBudget: boolean; waitS?: number };

/** Exchange time, unix milliseconds, both ends included; `endTimeMs` null = until now. */
export type TimeRange = { startTimeMs: number; endTimeMs: number | null };

export type AskedCandles = CandleWindow & { interval: CandleInterval };

/** An account over several perpetuals dexes. */
export type AccountState = {
  mode: AccountMode;
  spotBalances: readonly SpotBalance[];
  byDex: readonly { dex: string; state: ClearinghouseState }[];
};

/**
 * Reads of the exchange's state, parsed. For readers the same question is asked at most once a second and its answer
 * shared; for any other purpose it is asked now. `user` is a trading address, never an agent's.
 */
export type Reads = {
  /** @param id native id as decimal digits, or a client order id */
  orderStatus(user: string, id: string, purpose: Purpose): Promise<Read<FoundOrNot>>;
  /** All open orders of one dex, untriggered ones and children included; spot belongs to dex "". */
  openOrders(user: string, dex: string, purpose: Purpose): Promise<Read<FrontendOrder[]>>;
  /** The newest 2,000 records, newest first; an order once for each change of its status. */
  historicalOrders(user: string, purpose: Purpose): Promise<Read<OrderRecord[]>>;
  /** Oldest first, at most 2,000 rows: a full page may have a next one, from its last time on. */
  fillsByTime(user: string, range: TimeRange, purpose: Purpose): Promise<Read<Fill[]>>;
  account(user: string, dexes: readonly string[], purpose: Purpose): Promise<Read<AccountState>>;
  mode(user: string, purpose: Purpose): Promise<Read<AccountMode>>;
  spot(user: string, purpose: Purpose): Promise<Read<SpotBalance[]>>;
  clearinghouse(user: string, dex: string, purpose: Purpose): Promise<Read<ClearinghouseState>>;
  /** The same, asked for now: shared by those who ask while it is under way, and not what others were told a moment ago. */
  clearinghouseAnew(user: string, dex: string, purpose: Purpose): Promise<Read<ClearinghouseState>>;
  /** Leverage and margin of one perpetual, with or without a position. */
  activeAsset(user: string, coin: string, purpose: Purpose): Promise<Read<ActiveAssetData>>;
  twapHistory(user: string, purpose: Purpose): Promise<Read<TwapRecord[]>>;
  /** The account's own budget of actions. */
  rateLimit(user: string, purpose: Purpose): Promise<Read<RateLimit>>;
  /** What a user has approved for a builder: tenths of a basis point, 0 for nothing. */
  maxBuilderFee(user: string, builder: string, purpose: Purpose): Promise<Read<number>>;
  /** Middle prices of one dex by market; spot comes with dex "". */
  mids(dex: string, purpose: Purpose): Promise<Read<Map<string, Decimal>>>;
  /** Twenty levels a side. */
  book(market: string, purpose: Purpose): Promise<Read<TimedBook>>;
  /** Mark, oracle, funding and volumes of all markets of a dex, by their places alone. */
  perpMarks(dex: string, purpose: Purpose): Promise<Read<PlacedMarks>>;
  spotMarks(purpose: Purpose): Promise<Read<MarkList>>;
  /** Oldest first; only those in which something was traded. */
  candles(market: string, asked: AskedCandles, purpose: Purpose): Promise<Read<Candle[]>>;
  /** The newest that were made in a market, newest first. */
  trades(market: string, purpose: Purpose): Promise<Read<MarketTrade[]>>;
};

type FoundOrNot = Exclude<OrderStatusAnswer, { kind: "unreadable" }>;

export function createReads({ exchange, clock }: { exchange: Pick<Exchange, "info">; clock: Clock }): Reads {
  const info = shareInfo(exchange, clock);
  const unshared = datedInfo(exchange, clock);
  const underWay = new Map<string, Promise<Read<ClearinghouseState>>>();
  return {
    orderStatus: (user, id, purpose) => readOrderStatus(info, user, id, purpose),
    openOrders: (user, dex, purpose) =>
      read(info, { type: "frontendOpenOrders", user, dex }, purpose, parseFrontendOpenOrders),
    historicalOrders: (user, purpose) => read(info, { type: "historicalOrders", user }, purpose, parseHistoricalOrders),
    fillsByTime: (user, range, purpose) => read(info, fillsRequest(user, range), purpose, parseFills),
    account: (user, dexes, purpose) => readAccount(info, user, dexes, purpose),
    mode: (user, purpose) => readMode(info, user, purpose),
    spot: (user, purpose) => readSpot(info, user, purpose),
    clearinghouse: (user, dex, purpose) => readClearinghouse(info, user, dex, purpose),
    clearinghouseAnew(user, dex, purpose) {
      const name = JSON.stringify([user, dex, purpose]);
      const read =
        underWay.get(name) ?? readClearinghouse(unshared, user, dex, purpose).finally(() => underWay.delete(name));
      underWay.set(name, read);
      return read;
    },
    activeAsset: (user, coin, purpose) =>
      read(info, { type: "activeAssetData", user, coin }, purpose, parseActiveAssetData),
    twapHistory: (user, purpose) => read(info, { type: "twapHistory", user }, purpose, parseTwapHistory),
    rateLimit: (user, purpose) => read(info, { type: "userRateLimit", user }, purpose, parseRateLimit),
    maxBuilderFee: (user, builder, purpose) =>
      read(info, { type: "maxBuilderFee", user, builder }, purpose, parseMaxBuilderFee),
    mids: (dex, purpose) => read(info, { type: "allMids", dex }, purpose, parseMids),
    book: (market, purpose) => read(info, { type: "l2Book", coin: market }, purpose, parseBook),
    perpMarks: (dex, purpose) => read(info, { type: "metaAndAssetCtxs", dex }, purpose, parsePerpMarks),
    spotMarks: (purpose) => read(info, { type: "spotMetaAndAssetCtxs" }, purpose, parseSpotMarks),
    candles: (market, asked, purpose) => read(info, candlesRequest(market, asked), purpose, parseCandles),
    trades: (market, purpose) => read(info, { type: "recentTrades", coin: market }, purpose, parseTrades),
  };
}

/** When that was by the exchange's time, unix milliseconds: our wall clock may have been set back since. */
export function exchangeTimeOf(
  { exchange, clock }: { exchange: Pick<Exchange, "nowMs">; clock: Clock },
  atMs: number,
): number {
  return Math.min(exchange.nowMs(), atMs + exchange.nowMs() - clock.nowMs());
}

async function read<T>(
  info: DatedInfo,
  request: InfoRequest,
  purpose: Purpose,
  parse: (json: unknown) => T | null,
): Promise<Read<T>> {
  const { outcome, askedAtMs, readAtMs } = await info(request, { purpose });
  if (outcome.kind === "failed") {
    const { httpStatus: _, ...failed } = outcome;
    return failed;
  }
  const value = parse(outcome.json);
  if (value === null)
    return { kind: "failed", reason: `the answer to ${request.type} has another shape`, isOurBudget: false };
  return { kind: "ok", value, askedAtMs, readAtMs };
}

async function readOrderStatus(info: DatedInfo, user: string, id: string, purpose: Purpose): Promise<Read<FoundOrNot>> {
  const oid = id.startsWith("0x") ? id.toLowerCase() : jsonInteger(id);
  return read(info, { type: "orderStatus", user, oid }, purpose, (json) => {
    const answer = parseOrderStatusOf(id, json);
    return answer.kind === "unreadable" ? null : answer;
  });
}

function fillsRequest(user: string, { startTimeMs, endTimeMs }: TimeRange): InfoRequest {
  const request = { type: "userFillsByTime", user, startTime: startTimeMs };
  return endTimeMs === null ? request : { ...request, endTime: endTimeMs };
}

function candlesRequest(coin: string, { interval, startMs, endMs }: AskedCandles): InfoRequest {
  return { type: "candleSnapshot", req: { coin, interval, startTime: startMs, endTime: endMs } };
}

function readClearinghouse(
  info: DatedInfo,
  user: string,
  dex: string,
  purpose: Purpose,
): Promise<Read<ClearinghouseState>> {
  return read(info, { type: "clearinghouseState", user, dex }, purpose, parseClearinghouseState);
}

function readMode(info: DatedInfo, user: string, purpose: Purpose): Promise<Read<AccountMode>> {
  return read(info, { type: "userAbstraction", user }, purpose, parseAccountMode);
}

function readSpot(info: DatedInfo, user: string, purpose: Purpose): Promise<Read<SpotBalance[]>> {
  return read(info, { type: "spotClearinghouseState", user }, purpose, parseSpotState);
}

/** As old as the oldest of its parts; failed as soon as one of them is. */
async function readAccount(
  info: DatedInfo,
  user: string,
  dexes: readonly string[],
  purpose: Purpose,
): Promise<Read<AccountState>> {
  const [mode, spot, ...states] = await Promise.all([
    readMode(info, user, purpose),
    readSpot(info, user, purpose),
    ...dexes.map((dex) => readClearinghouse(info, user, dex, purpose)),
  ]);
  if (mode.kind === "failed") return mode;
  if (spot.kind === "failed") return spot;
  const byDex: { dex: string; state: ClearinghouseState }[] = [];
  let readAtMs = Math.min(mode.readAtMs, spot.readAtMs);
  let askedAtMs = Math.min(mode.askedAtMs, spot.askedAtMs);
  for (const [index, state] of states.entries()) {
    if (state.kind === "failed") return state;
    byDex.push({ dex: dexes[index] ?? "", state: state.value });
    readAtMs = Math.min(readAtMs, state.readAtMs);
    askedAtMs = Math.min(askedAtMs, state.askedAtMs);
  }
  return { kind: "ok", value: { mode: mode.value, spotBalances: spot.value, byDex }, askedAtMs, readAtMs };
}
