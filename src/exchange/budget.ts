import type { Purpose, SlowDown } from "./exchange.ts";

/** A charge that can be lowered once the answer has shown what it was worth. */
export type Charge = { second: number; purpose: Purpose; weight: number };

/**
 * Our share of the exchange's weight per minute and IP address. Times are elapsed milliseconds: a jump of the wall
 * clock must neither free nor block anything.
 */
export type Budget = {
  fits(purpose: Purpose, weight: number, nowMs: number): boolean;
  /** Milliseconds until `fits` would be true if nothing else were spent; 0 when it is. */
  waitMs(purpose: Purpose, weight: number, nowMs: number): number;
  /** Null when it does not fit. */
  take(purpose: Purpose, weight: number, nowMs: number): Charge | null;
  /** Lowers a charge to what it came to. */
  settle(charge: Charge, weight: number): void;
  slowDown(nowMs: number, because: SlowDown): void;
  /** Why a pause is on for this purpose; null when none is. */
  slowedDown(purpose: Purpose, nowMs: number): SlowDown | null;
  /** Weight of the last minute that nobody has spent; null = no limit. */
  left(nowMs: number): number | null;
};

/**
 * Seconds that count: the current one, of which only a part is over, and 60 whole ones, so that no 60 s anywhere
 * hold more than the limit, whichever way the exchange cuts its minutes.
 */
const WINDOW_S = 61;

/** Share of the weight that a purpose leaves to those before it: a tenth to cancels, then a quarter to settling. */
const LEFT_TO_OTHERS: Record<Purpose, number> = { cancel: 0, settle: 0.1, order: 0.35, read: 0.35 };

/** Reads use at most a third, whatever is free. */
const READ_SHARE = 1 / 3;

/** Milliseconds without spending after the exchange said that we are too fast; cancels always try. */
const PAUSE_MS: Record<Purpose, number> = { cancel: 0, settle: 2_000, order: 10_000, read: 10_000 };

type Spent = { all: number; reads: number };

/** A large question of settling that found no room. Until it is taken, or lapses, what is smaller leaves that much free. */
type Claim = { weight: number; untilSecond: number };

/** What wanted it has ended by then, or has asked again: looks come every 10 s at the least. Seconds. */
const CLAIM_S = 15;

/** `weightPerMinute` 0 = off: everything fits, but for the pause after the exchange's own word. */
export function createBudget({ weightPerMinute }: { weightPerMinute: number }): Budget {
  const settleLimit = weightPerMinute * (1 - LEFT_TO_OTHERS.settle);
  const spentBySecond = new Map<number, Spent>();
  let slowedDownAtMs = Number.NEGATIVE_INFINITY;
  let slowedDownBecause: SlowDown = "too_fast";
  let claim: Claim | null = null;

  function spentAt(second: number): Spent {
    const spent = { all: 0, reads: 0 };
    for (const [at, amount] of spentBySecond) {
      if (second - at >= WINDOW_S) continue;
      spent.all += amount.all;
      spent.reads += amount.reads;
    }
    return spent;
  }

  function hasRoom(purpose: Purpose, weight: number, second: number): boolean {
    if (weightPerMinute === 0) return true;
    const spent = spentAt(second);
    if (spent.all + weight > weightPerMinute * (1 - LEFT_TO_OTHERS[purpose])) return false;
    const kept = keptFrom(purpose, weight, second);
    if (kept > 0 && spent.all + weight + kept > settleLimit) return false;
    return purpose !== "read" || spent.reads + weight <= weightPerMinute * READ_SHARE;
  }

  /** Weight that is kept for a larger question of settling than this one. What clients ask leaves it a quarter anyway. */
  function keptFrom(purpose: Purpose, weight: number, second: number): number {
    if (claim === null || second >= claim.untilSecond || purpose !== "settle") return 0;
    return weight >= claim.weight ? 0 : claim.weight;
  }

  function isClaimants(purpose: Purpose, weight: number): boolean {
    return purpose === "settle" && claim !== null && weight >= claim.weight;
  }

  /** Small questions would otherwise eat whatever room there is, and a sweep would never find enough at once. */
  function heedUnmet(purpose: Purpose, weight: number, second: number): void {
    if (purpose !== "settle" || weight > settleLimit || hasRoom(purpose, weight, second)) return;
    const isStanding = claim !== null && second < claim.untilSecond;
    if (isStanding && !isClaimants(purpose, weight)) return;
    claim = { weight, untilSecond: second + CLAIM_S };
  }

  function pauseLeftMs(purpose: Purpose, nowMs: number): number {
    return Math.max(0, slowedDownAtMs + PAUSE_MS[purpose] - nowMs);
  }

  function fits(purpose: Purpose, weight: number, nowMs: number): boolean {
    return pauseLeftMs(purpose, nowMs) === 0 && hasRoom(purpose, weight, toSecond(nowMs));
  }

  function waitMs(purpose: Purpose, weight: number, nowMs: number): number {
    const second = toSecond(nowMs);
    let waitS = 0;
    while (waitS < WINDOW_S && !hasRoom(purpose, weight, second + waitS)) waitS += 1;
    const roomMs = waitS === 0 ? 0 : (second + waitS) * 1_000 - nowMs;
    return Math.max(roomMs, pauseLeftMs(purpose, nowMs));
  }

  function charge(purpose: Purpose, weight: number, second: number): Charge {
    for (const at of spentBySecond.keys()) if (second - at >= WINDOW_S) spentBySecond.delete(at);
    book(second, purpose, weight);
    return { second, purpose, weight };
  }

  function book(second: number, purpose: Purpose, weight: number): void {
    const spent = spentBySecond.get(second) ?? { all: 0, reads: 0 };
    spent.all += weight;
    if (purpose === "read") spent.reads += weight;
    spentBySecond.set(second, spent);
  }

  return {
    fits,
    waitMs,
    take: (purpose, weight, nowMs) => {
      const second = toSecond(nowMs);
      if (!fits(purpose, weight, nowMs)) {
        heedUnmet(purpose, weight, second);
        return null;
      }
      if (isClaimants(purpose, weight)) claim = null;
      return charge(purpose, weight, second);
    },
    settle: (charged, weight) => {
      if (weight >= charged.weight) return;
      book(charged.second, charged.purpose, weight - charged.weight);
      charged.weight = weight;
    },
    slowDown: (nowMs, because) => {
      slowedDownAtMs = nowMs;
      slowedDownBecause = because;
    },
    slowedDown: (purpose, nowMs) => (pauseLeftMs(purpose, nowMs) === 0 ? null : slowedDownBecause),
    left: (nowMs) => (weightPerMinute === 0 ? null : Math.max(0, weightPerMinute - spentAt(toSecond(nowMs)).all)),
  };
}

function toSecond(nowMs: number): number {
  return Math.floor(nowMs / 1_000);
}
