import type { Purpose, SlowDown, Use } from "./exchange.ts";
import { type AskedWeight, createShares, useOf } from "./shares.ts";
import { WINDOW_S } from "./spent-weight.ts";

/** A charge that is put right once the answer has shown what it was worth. */
export type Charge = { second: number; purpose: Purpose; weight: number };

/**
 * Our share of the exchange's weight per minute and IP address. Times are elapsed milliseconds: a jump of the wall
 * clock must neither free nor block anything. A number is what a question comes to in any case.
 */
export type Budget = {
  fits(purpose: Purpose, weight: number | AskedWeight, nowMs: number): boolean;
  /**
   * Milliseconds until `fits` is true, if clients spend nothing else, and what goes on by itself goes on as in the last
   * minute; 0 when it is true, a minute at most.
   */
  waitMs(purpose: Purpose, weight: number | AskedWeight, nowMs: number): number;
  /** The most of it is set aside. Null when it does not fit. */
  take(purpose: Purpose, weight: number | AskedWeight, nowMs: number): Charge | null;
  /** Puts a charge right by what it came to: less than was set aside, or, seldom, more. */
  settle(charge: Charge, weight: number): void;
  /** What this purpose, or this reader, was charged in the current second and the one before: one request's other parts. */
  justTaken(purpose: Purpose, nowMs: number): number;
  slowDown(nowMs: number, because: SlowDown): void;
  /** Why a pause is on for this purpose; null when none is. */
  slowedDown(purpose: Purpose, nowMs: number): SlowDown | null;
  /** Weight that would fit for this purpose, or this reader, now; null = no limit. */
  left(purpose: Purpose, nowMs: number): number | null;
  /** A reader was refused within the last minute, and told to wait for room that nobody else may take by then. */
  isReaderWaiting(nowMs: number): boolean;
};

/** Milliseconds without spending after the exchange said that we are too fast; cancels always try. */
const PAUSE_MS: Record<Use, number> = {
  cancel: 0,
  settle: 2_000,
  reduce: 10_000,
  order: 10_000,
  read: 10_000,
  catch_up: 10_000,
};

/** `weightPerMinute` 0 = off: everything fits, but for the pause after the exchange's own word. */
export function createBudget({ weightPerMinute }: { weightPerMinute: number }): Budget {
  const shares = createShares(weightPerMinute);
  const pause = createPause();
  let readerRefusedAtMs = Number.NEGATIVE_INFINITY;

  function fits(purpose: Purpose, weight: number | AskedWeight, nowMs: number): boolean {
    const second = toSecond(nowMs);
    return pause.leftMs(purpose, nowMs) === 0 && shares.haveRoom(purpose, askedOf(weight), { second });
  }

  function waitMs(purpose: Purpose, weight: number | AskedWeight, nowMs: number): number {
    const second = toSecond(nowMs);
    const asked = askedOf(weight);
    let waitS = 0;
    while (waitS < WINDOW_S && !shares.haveRoom(purpose, asked, { second, inS: waitS })) waitS += 1;
    const roomMs = waitS === 0 ? 0 : (second + waitS) * 1_000 - nowMs;
    return Math.max(roomMs, pause.leftMs(purpose, nowMs));
  }

  return {
    fits,
    waitMs,
    take: (purpose, weight, nowMs) => {
      const second = toSecond(nowMs);
      const asked = askedOf(weight);
      if (!fits(purpose, asked, nowMs)) {
        shares.heedUnmet(purpose, asked, second);
        if (typeof purpose !== "string") readerRefusedAtMs = nowMs;
        return null;
      }
      shares.take(second, purpose, asked);
      return { second, purpose, weight: asked.most };
    },
    settle: (charged, weight) => {
      shares.book(charged.second, charged.purpose, weight - charged.weight);
      charged.weight = weight;
    },
    justTaken: (purpose, nowMs) => {
      const second = toSecond(nowMs);
      return shares.takenIn(second - 1, purpose) + shares.takenIn(second, purpose);
    },
    slowDown: pause.begin,
    slowedDown: pause.because,
    left: (purpose, nowMs) => {
      if (weightPerMinute === 0) return null;
      return pause.leftMs(purpose, nowMs) > 0 ? 0 : shares.left(purpose, toSecond(nowMs));
    },
    isReaderWaiting: (nowMs) => nowMs - readerRefusedAtMs <= WINDOW_S * 1_000,
  };
}

function askedOf(weight: number | AskedWeight): AskedWeight {
  return typeof weight === "number" ? { most: weight, likely: weight, least: weight } : weight;
}

/** Nothing is spent for a while after the exchange's own word. */
function createPause() {
  let begunAtMs = Number.NEGATIVE_INFINITY;
  let begunBecause: SlowDown = "too_fast";

  function leftMs(purpose: Purpose, nowMs: number): number {
    return Math.max(0, begunAtMs + PAUSE_MS[useOf(purpose)] - nowMs);
  }

  return {
    leftMs,
    begin(nowMs: number, because: SlowDown): void {
      begunAtMs = nowMs;
      begunBecause = because;
    },
    /** Null where none is on for this purpose. */
    because: (purpose: Purpose, nowMs: number) => (leftMs(purpose, nowMs) === 0 ? null : begunBecause),
  };
}

function toSecond(nowMs: number): number {
  return Math.floor(nowMs / 1_000);
}
