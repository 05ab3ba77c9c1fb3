import type { Purpose, SlowDown, Use } from "./exchange.ts";
import { createSpentWeight, type Sum, WINDOW_S } from "./spent-weight.ts";

/** A charge that can be lowered once the answer has shown what it was worth. */
export type Charge = { second: number; purpose: Purpose; weight: number };

/**
 * Our share of the exchange's weight per minute and IP address. Times are elapsed milliseconds: a jump of the wall
 * clock must neither free nor block anything. Where a read can come to more than it surely does, `weight` is its most,
 * and `least` what it comes to in any case.
 */
export type Budget = {
  fits(purpose: Purpose, weight: number, nowMs: number, least?: number): boolean;
  /**
   * Milliseconds until `fits` is true, if clients spend nothing else, and what goes on by itself goes on as in the last
   * minute; 0 when it is true, a minute at most.
   */
  waitMs(purpose: Purpose, weight: number, nowMs: number, least?: number): number;
  /** Null when it does not fit. */
  take(purpose: Purpose, weight: number, nowMs: number, least?: number): Charge | null;
  /** Lowers a charge to what it came to. */
  settle(charge: Charge, weight: number): void;
  /** What this purpose, or this reader, was charged in the current second and the one before: one request's other parts. */
  justTaken(purpose: Purpose, nowMs: number): number;
  slowDown(nowMs: number, because: SlowDown): void;
  /** Why a pause is on for this purpose; null when none is. */
  slowedDown(purpose: Purpose, nowMs: number): SlowDown | null;
  /** Weight that would fit for this purpose, or this reader, now; null = no limit. */
  left(purpose: Purpose, nowMs: number): number | null;
};

/**
 * Share of the weight that a use leaves to those before it: a tenth to cancels, then a fifth to settling, then a
 * twentieth to what makes positions smaller.
 */
const LEFT_TO_OTHERS: Record<Use, number> = { cancel: 0, settle: 0.1, reduce: 0.3, order: 0.35, read: 0.35 };

/**
 * Share of the weight that orders, and reductions a little further, find whatever settling needs: without a feed what became of
 * each order is asked in lists of 20 and more, and an order weighs 1.
 */
const KEPT_FOR_ACTIONS = { order: 0.1, reduce: 0.15 } as const satisfies Partial<Record<Use, number>>;

/** Reads use at most a third, whatever is free. */
const READ_SHARE = 1 / 3;

const MOST_FOR_SETTLING = 1 - LEFT_TO_OTHERS.settle - KEPT_FOR_ACTIONS.reduce;

/** A reader may have so many times what is left to all others. */
const MOST_OF_FREE = 2;

/** Milliseconds without spending after the exchange said that we are too fast; cancels always try. */
const PAUSE_MS: Record<Use, number> = { cancel: 0, settle: 2_000, reduce: 10_000, order: 10_000, read: 10_000 };

/** This second, or one that comes. */
type At = { second: number; inS?: number };

/** `weightPerMinute` 0 = off: everything fits, but for the pause after the exchange's own word. */
export function createBudget({ weightPerMinute }: { weightPerMinute: number }): Budget {
  const spentWeight = createSpentWeight();
  const readShare = weightPerMinute * READ_SHARE;
  const claims = createClaims();
  let slowedDownAtMs = Number.NEGATIVE_INFINITY;
  let slowedDownBecause: SlowDown = "too_fast";

  function hasRoom(purpose: Purpose, { most, least }: { most: number; least: number }, at: At): boolean {
    if (weightPerMinute === 0) return true;
    const spent = spentWeight.sum(at.second, nameOf(purpose), at.inS);
    // What clients ask leaves settling its part anyway.
    const kept = purpose === "settle" ? claims.keptFrom(most, at.second + (at.inS ?? 0)) : 0;
    if (most + kept > freeFor(weightPerMinute, useOf(purpose), spent)) return false;
    return useOf(purpose) !== "read" || isFair(spent, least);
  }

  /**
   * Nobody has more than twice what is left after it: alone that is two thirds of the reads' share, and hungry readers come
   * to have twice as much each as is then free. Whoever comes finds something, and who had less goes before who had more.
   * One question is answered whatever it weighs.
   */
  function isFair({ reads, own }: { reads: number; own: number }, weight: number): boolean {
    return reads === 0 || own + weight <= MOST_OF_FREE * (readShare - reads - weight);
  }

  function fairShare({ reads, own }: { reads: number; own: number }): number {
    return (MOST_OF_FREE * (readShare - reads) - own) / (1 + MOST_OF_FREE);
  }

  function pauseLeftMs(purpose: Purpose, nowMs: number): number {
    return Math.max(0, slowedDownAtMs + PAUSE_MS[useOf(purpose)] - nowMs);
  }

  function fits(purpose: Purpose, weight: number, nowMs: number, least = weight): boolean {
    return pauseLeftMs(purpose, nowMs) === 0 && hasRoom(purpose, { most: weight, least }, { second: toSecond(nowMs) });
  }

  function waitMs(purpose: Purpose, weight: number, nowMs: number, least = weight): number {
    const second = toSecond(nowMs);
    let waitS = 0;
    while (waitS < WINDOW_S && !hasRoom(purpose, { most: weight, least }, { second, inS: waitS })) waitS += 1;
    const roomMs = waitS === 0 ? 0 : (second + waitS) * 1_000 - nowMs;
    return Math.max(roomMs, pauseLeftMs(purpose, nowMs));
  }

  /** A pause is no want of room, and what settling may never have keeps nobody from anything. */
  function heedUnmet(purpose: Purpose, weight: number, second: number): void {
    if (purpose !== "settle" || weight > weightPerMinute * MOST_FOR_SETTLING) return;
    if (!hasRoom(purpose, { most: weight, least: weight }, { second })) claims.unmet(weight, second);
  }

  function charge(purpose: Purpose, weight: number, second: number): Charge {
    if (purpose === "settle") claims.taken(weight);
    book(second, purpose, weight);
    return { second, purpose, weight };
  }

  function book(second: number, purpose: Purpose, weight: number): void {
    spentWeight.book(second, { name: nameOf(purpose), isRead: useOf(purpose) === "read", weight });
  }

  function left(purpose: Purpose, nowMs: number): number | null {
    if (weightPerMinute === 0) return null;
    if (pauseLeftMs(purpose, nowMs) > 0) return 0;
    const second = toSecond(nowMs);
    const spent = spentWeight.sum(second, nameOf(purpose));
    const unspent = freeFor(weightPerMinute, useOf(purpose), spent);
    const free = purpose === "settle" ? unspent - claims.keptFrom(unspent, second) : unspent;
    const fair = useOf(purpose) === "read" ? fairShare(spent) : free;
    return Math.max(0, Math.floor(Math.min(free, fair)));
  }

  return {
    fits,
    waitMs,
    take: (purpose, weight, nowMs, least) => {
      if (fits(purpose, weight, nowMs, least)) return charge(purpose, weight, toSecond(nowMs));
      heedUnmet(purpose, weight, toSecond(nowMs));
      return null;
    },
    settle: (charged, weight) => {
      if (weight >= charged.weight) return;
      book(charged.second, charged.purpose, weight - charged.weight);
      charged.weight = weight;
    },
    justTaken: (purpose, nowMs) => {
      const second = toSecond(nowMs);
      return spentWeight.of(second - 1, nameOf(purpose)) + spentWeight.of(second, nameOf(purpose));
    },
    slowDown: (nowMs, because) => {
      slowedDownAtMs = nowMs;
      slowedDownBecause = because;
    },
    slowedDown: (purpose, nowMs) => (pauseLeftMs(purpose, nowMs) === 0 ? null : slowedDownBecause),
    left,
  };
}

/** Of all weight, and of the reads' part of it. */
function freeFor(weightPerMinute: number, use: Use, spent: Sum): number {
  const readShare = weightPerMinute * READ_SHARE;
  const freeAbove = (line: Use) => weightPerMinute * (1 - LEFT_TO_OTHERS[line]) - spent.all;
  const kept = (actions: keyof typeof KEPT_FOR_ACTIONS) =>
    Math.max(0, weightPerMinute * KEPT_FOR_ACTIONS[actions] - spent.actions);
  const free = freeAbove(use);
  switch (use) {
    case "settle":
      return free - kept("reduce");
    case "reduce":
    case "order":
      return Math.max(free, Math.min(freeAbove("settle"), kept(use)));
    case "read":
      return Math.min(free, readShare - spent.reads);
    case "cancel":
      return free;
  }
}

export function useOf(purpose: Purpose): Use {
  return typeof purpose === "string" ? purpose : "read";
}

/** What nobody asked for is read by one reader: settling, for its hints. */
function nameOf(purpose: Purpose): string {
  return typeof purpose === "string" ? purpose : `read for ${purpose.reader}`;
}

function toSecond(nowMs: number): number {
  return Math.floor(nowMs / 1_000);
}

/** A large question that found no room. Until it is taken, or lapses, what is smaller leaves that much free. */
export type Claims = {
  /** Weight that is kept from a question of this weight, for a larger one. */
  keptFrom(weight: number, second: number): number;
  /** It found no room. */
  unmet(weight: number, second: number): void;
  taken(weight: number): void;
};

/** What wanted it has ended by then, or has asked again: looks come every 10 s at the least. Seconds. */
const CLAIM_S = 15;

/** Small questions would otherwise eat whatever room there is, and a sweep would never find enough at once. */
export function createClaims(): Claims {
  let claim: { weight: number; untilSecond: number } | null = null;

  function keptFrom(weight: number, second: number): number {
    if (claim === null || second >= claim.untilSecond || weight >= claim.weight) return 0;
    return claim.weight;
  }

  return {
    keptFrom,
    unmet: (weight, second) => {
      if (keptFrom(weight, second) === 0) claim = { weight, untilSecond: second + CLAIM_S };
    },
    taken: (weight) => {
      if (claim !== null && weight >= claim.weight) claim = null;
    },
  };
}
