/**
 * Time. Everything happens at its own due moment and in a fixed order, so one step of an hour and 3,600 steps of
 * a second leave the same state.
 */
import { settleTurn } from "./aftermath.ts";
import { fireScheduledCancel } from "./cancels.ts";
import type { VenueEvent } from "./event.ts";
import { payFunding, samplePremiums } from "./funding.ts";
import { liquidateIfNeeded } from "./liquidation.ts";
import type { Venue } from "./state.ts";
import type { Turn } from "./turn.ts";
import { newTurn } from "./turn.ts";
import { runTwap } from "./twap.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const PREMIUM_INTERVAL_MS = 5_000;

export function nextMultiple(timeMs: number, stepMs: number): number {
  return timeMs - (timeMs % stepMs) + stepMs;
}

export const CLOCK_STEPS_MS = { funding: HOUR_MS, day: DAY_MS, premium: PREMIUM_INTERVAL_MS };

/** Runs what is due up to and including `nowMs`. A time that is not later does nothing. */
export function passTime(venue: Venue, nowMs: number): VenueEvent[] {
  const events: VenueEvent[] = [];
  for (let due = nextDue(venue); due <= nowMs; due = nextDue(venue)) {
    sampleUpTo(venue, due);
    venue.timeMs = Math.max(venue.timeMs, due);
    const turn = newTurn(venue, venue.timeMs);
    runDue(turn);
    events.push(...finish(turn));
  }
  sampleUpTo(venue, nowMs);
  venue.timeMs = Math.max(venue.timeMs, nowMs);
  return events;
}

/** Settles what is open and closes the turn: books are announced once, last. */
export function finish(turn: Turn): VenueEvent[] {
  settleTurn(turn);
  for (const coin of turn.booksTouched) turn.events.push({ kind: "book", coin });
  return turn.events;
}

function sampleUpTo(venue: Venue, timeMs: number): void {
  if (timeMs < venue.nextPremiumMs) return;
  const count = Math.floor((timeMs - venue.nextPremiumMs) / PREMIUM_INTERVAL_MS) + 1;
  samplePremiums(venue, count);
  venue.nextPremiumMs += count * PREMIUM_INTERVAL_MS;
}

function nextDue(venue: Venue): number {
  let due = Math.min(venue.nextFundingMs, venue.nextDayMs);
  for (const twap of venue.twaps.values()) if (twap.phase === "running") due = Math.min(due, twap.nextSliceMs);
  for (const account of venue.accounts.values()) {
    if (account.scheduledCancelMs !== null) due = Math.min(due, account.scheduledCancelMs);
    for (const afterMs of account.liquidationAfterMs.values()) due = Math.min(due, afterMs);
  }
  return due;
}

function runDue(turn: Turn): void {
  const { venue, nowMs } = turn;
  if (venue.nextDayMs <= nowMs) startDay(venue);
  if (venue.nextFundingMs <= nowMs) {
    venue.nextFundingMs += HOUR_MS;
    payFunding(turn);
    settleTurn(turn);
  }
  for (const account of [...venue.accounts.values()]) {
    if (account.scheduledCancelMs !== null && account.scheduledCancelMs <= nowMs) fireScheduledCancel(turn, account);
  }
  for (const twap of [...venue.twaps.values()]) {
    if (twap.phase === "running" && twap.nextSliceMs <= nowMs && venue.twaps.has(twap.twapId)) runTwap(turn, twap);
  }
  lookAgain(turn);
}

function startDay(venue: Venue): void {
  venue.nextDayMs += DAY_MS;
  for (const market of venue.markets.values()) {
    market.stats.previousDayPrice = market.markPrice;
    market.stats.dayNotional = 0n;
    market.stats.dayBase = 0n;
  }
}

/** Liquidations whose cool-down is over: a further slice, or an end when the account is well again. */
function lookAgain(turn: Turn): void {
  for (const account of [...turn.venue.accounts.values()]) {
    for (const [asset, afterMs] of [...account.liquidationAfterMs]) {
      if (afterMs > turn.nowMs) continue;
      liquidateIfNeeded(turn, account.address, asset);
      if ((account.liquidationAfterMs.get(asset) ?? 0) <= turn.nowMs) account.liquidationAfterMs.delete(asset);
    }
  }
}
