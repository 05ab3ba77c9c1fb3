/** `twapOrder` and `twapCancel`: an order cut into slices that are sent as Ioc at their own times. */
import type { EngineTwapOrderAction, VenueReply } from "./action.ts";
import { settleTurn } from "./aftermath.ts";
import { positionSize } from "./order-margin.ts";
import type { TwapStatus, Venue, VenueAccount, VenueMarket, VenueTwap, VenueTwapState } from "./state.ts";
import { isOnLot } from "./ticks.ts";
import type { Turn } from "./turn.ts";
import { accountOf, marketOf } from "./turn.ts";
import { runSlice } from "./twap-slices.ts";
import { dollars, ONE, plain, times, units } from "./units.ts";
import { maxMarketOrderUsd } from "./validation.ts";

const MINUTE_MS = 60_000;
const MIN_MINUTES = 5;
const MIN_VALUE_USD = 100;
const MIN_VALUE_PER_MINUTE_USD = 10;
/** Shortest time between slices. */
const MIN_INTERVAL_S = 30;
/** A TWAP may be this many times larger than a market order. */
const TWAP_ORDER_FACTOR = 10n;
/** Rows of TWAP status changes kept per account. */
const MAX_TWAP_ROWS = 2_000;

function answered(status: { running: { twapId: number } } | { error: string }): VenueReply {
  return { status: "ok", response: { type: "twapOrder", data: { status } } };
}

export function placeTwap(turn: Turn, account: VenueAccount, action: EngineTwapOrderAction): VenueReply {
  const fault = twapFault(turn.venue, account, action);
  if (fault !== null) return answered({ error: fault });
  const twap = newTwap(turn, account, action);
  turn.venue.twaps.set(twap.twapId, twap);
  if (twap.phase === "running") startTwap(turn, twap);
  else writeTwap(turn, twap, { status: "waitingForTrigger" });
  return answered({ running: { twapId: twap.twapId } });
}

function twapFault(venue: Venue, account: VenueAccount, { twap }: EngineTwapOrderAction): string | null {
  const market = venue.markets.get(twap.a);
  if (market === undefined) return "Order has invalid asset.";
  if (market.kind === "perp" && market.isDelisted) return "Trading is halted.";
  if (twap.m < MIN_MINUTES || twap.m > venue.options.twapMaxMinutes) return `Invalid TWAP duration: ${twap.m} min(s)`;
  const size = units(twap.s);
  if (size === 0n) return "Order has zero size.";
  if (!isOnLot(market, size)) return "Order has invalid size.";
  const position = positionSize(account, market.asset);
  if (twap.r && (market.kind === "spot" || position === 0n || position > 0n === twap.b)) {
    return "Reduce-only TWAP order would increase position.";
  }
  const active = [...venue.twaps.values()].filter((other) => other.user === account.address);
  if (active.length >= venue.options.maxActiveTwaps) return "Exceeded max number of active TWAP orders.";
  return valueFault(venue, market, times(size, market.markPrice), twap.m);
}

function valueFault(venue: Venue, market: VenueMarket, value: bigint, minutes: number): string | null {
  const perMinute = venue.options.twapMinimum === "perMinute";
  const least = perMinute ? MIN_VALUE_PER_MINUTE_USD * minutes : MIN_VALUE_USD;
  if (value < dollars(least)) {
    const why = perMinute ? `$${least}, which is $${MIN_VALUE_PER_MINUTE_USD} per minute.` : `$${least}.`;
    return `TWAP order value too small. Min is ${why}`;
  }
  const leverage = market.kind === "perp" ? market.maxLeverage : 1;
  const largest = dollars(maxMarketOrderUsd(leverage)) * TWAP_ORDER_FACTOR;
  return value <= largest ? null : `TWAP order value too large. Max is $${plain(largest)}`;
}

function newTwap(turn: Turn, account: VenueAccount, { twap, details }: EngineTwapOrderAction): VenueTwap {
  const market = marketOf(turn.venue, twap.a);
  const twapId = turn.venue.nextTwapId;
  turn.venue.nextTwapId += 1;
  const plan = slicePlan(twap.m, times(units(twap.s), market.markPrice));
  const trigger = details?.t ?? null;
  return {
    twapId,
    user: account.address,
    asset: market.asset,
    coin: market.coin,
    isBuy: twap.b,
    size: units(twap.s),
    executedSize: 0n,
    executedNotional: 0n,
    minutes: twap.m,
    reduceOnly: twap.r,
    randomize: twap.t,
    trigger: trigger === null ? null : { price: units(trigger.p), isAbove: trigger.a },
    stopPrice: details === null || details.s === null ? null : units(details.s),
    timestampMs: turn.nowMs,
    phase: trigger === null ? "running" : "waitingForTrigger",
    ...plan,
    slicesDone: 0,
    nextSliceMs: turn.nowMs,
    startedMs: turn.nowMs,
  };
}

/** A slice every 30 s or more, none below about ten dollars, the last at the end of the duration. */
export function slicePlan(minutes: number, value: bigint): { sliceCount: number; intervalMs: number } {
  const seconds = minutes * 60;
  const bySpacing = Math.floor(seconds / MIN_INTERVAL_S) + 1;
  const byValue = Number(value / (10n * ONE));
  const sliceCount = Math.max(2, Math.min(bySpacing, byValue));
  return { sliceCount, intervalMs: Math.floor((minutes * MINUTE_MS) / (sliceCount - 1)) };
}

function startTwap(turn: Turn, twap: VenueTwap): void {
  twap.phase = "running";
  twap.startedMs = turn.nowMs;
  twap.nextSliceMs = turn.nowMs;
  writeTwap(turn, twap, { status: "activated" });
  runTwap(turn, twap);
}

/** Sends the slice that is due and plans the next one. */
export function runTwap(turn: Turn, twap: VenueTwap): void {
  const failure = runSlice(turn, twap);
  settleTurn(turn);
  twap.slicesDone += 1;
  twap.nextSliceMs = twap.startedMs + twap.slicesDone * twap.intervalMs;
  if (failure !== null) endTwap(turn, twap, { status: "error", description: failure });
  else if (twap.executedSize >= twap.size || twap.slicesDone >= twap.sliceCount) {
    endTwap(turn, twap, { status: "finished" });
  }
}

export function cancelTwap(turn: Turn, account: VenueAccount, asset: number, twapId: number): VenueReply {
  const twap = turn.venue.twaps.get(twapId);
  if (twap === undefined || twap.user !== account.address || twap.asset !== asset) {
    const error = "TWAP was never placed, already canceled, or filled.";
    return { status: "ok", response: { type: "twapCancel", data: { status: { error } } } };
  }
  endTwap(turn, twap, { status: "terminated" });
  return { status: "ok", response: { type: "twapCancel", data: { status: "success" } } };
}

/** Starts waiting TWAPs that mark has reached and stops running ones beyond their stop price. */
export function checkTwapPrices(turn: Turn, asset: number): void {
  const { markPrice } = marketOf(turn.venue, asset);
  for (const twap of [...turn.venue.twaps.values()]) {
    if (twap.asset !== asset) continue;
    const { trigger, stopPrice } = twap;
    if (stopPrice !== null && (twap.isBuy ? markPrice >= stopPrice : markPrice <= stopPrice)) {
      endTwap(turn, twap, { status: "stopped" });
    } else if (twap.phase === "waitingForTrigger" && trigger !== null) {
      if (trigger.isAbove ? markPrice >= trigger.price : markPrice <= trigger.price) startTwap(turn, twap);
    }
  }
}

function endTwap(turn: Turn, twap: VenueTwap, status: TwapStatus): void {
  turn.venue.twaps.delete(twap.twapId);
  writeTwap(turn, twap, status);
}

function writeTwap(turn: Turn, twap: VenueTwap, status: TwapStatus): void {
  const account = accountOf(turn.venue, twap.user);
  const row = { timeMs: turn.nowMs, state: twapStateOf(twap), status };
  account.twapHistory.push(row);
  if (account.twapHistory.length > MAX_TWAP_ROWS) account.twapHistory.shift();
  turn.events.push({ kind: "twap", user: twap.user, twapId: twap.twapId, row });
}

/** The part of a TWAP that the exchange shows. */
export function twapStateOf(twap: VenueTwap): VenueTwapState {
  const { phase: _phase, sliceCount: _count, slicesDone: _done, ...rest } = twap;
  const { intervalMs: _interval, nextSliceMs: _next, startedMs: _started, ...state } = rest;
  return state;
}
