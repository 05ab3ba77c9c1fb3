/** Who may have how much of the weight of a minute, by what was spent in it: uses before uses, readers beside readers. */
import type { Purpose, Use } from "./exchange.ts";
import { createSpentWeight, type Sum } from "./spent-weight.ts";

/** Weights that a question comes to: at the most, by what is known of it, and surely. */
export type AskedWeight = { most: number; likely: number; least: number };

/** This second, or one that comes. */
type At = { second: number; inS?: number };

/** Seconds are whole and elapsed. */
export type Shares = {
  haveRoom(purpose: Purpose, asked: AskedWeight, at: At): boolean;
  /** Weight that would fit in this second. */
  left(purpose: Purpose, second: number): number;
  take(second: number, purpose: Purpose, asked: AskedWeight): void;
  /** Less than nothing gives back. */
  book(second: number, purpose: Purpose, weight: number): void;
  /** By this purpose, or this reader, in this second alone. */
  takenIn(second: number, purpose: Purpose): number;
  /** It was refused. */
  heedUnmet(purpose: Purpose, asked: AskedWeight, second: number): void;
};

/**
 * Share of the weight that a use leaves to those before it: a tenth to cancels, then a fifth to settling, then a
 * twentieth to what makes positions smaller. What is read after a start or a reconnect is none of settling's pace, and leaves it that fifth
 * beside what is kept for orders.
 */
const LEFT_TO_OTHERS: Record<Use, number> = {
  cancel: 0,
  settle: 0.1,
  reduce: 0.3,
  order: 0.35,
  read: 0.35,
  catch_up: 0.35,
};

/**
 * Share of the weight that orders find whatever settling needs, and beside it that of reductions: without a feed what became of
 * each order is asked in lists of 20 and more, and an order weighs 1.
 */
const KEPT_FOR = { order: 0.1, reduce: 0.05 } as const satisfies Partial<Record<Use, number>>;

/** Reads use at most a third, whatever is free. */
const READ_SHARE = 1 / 3;

const MOST_FOR_SETTLING = 1 - LEFT_TO_OTHERS.settle - KEPT_FOR.order - KEPT_FOR.reduce;

/**
 * All that an account shows, at the most: weight. What is smaller is never spread over time. Of what became of an action most is
 * known when it has expired; where looks before that have had all of a minute, nobody is told for the rest of it.
 */
const LARGEST_SWEEP = 300;

/** A reader may have so many times what is left to all others. */
const MOST_OF_FREE = 2;

/** `weightPerMinute` 0 = no limit. */
export function createShares(weightPerMinute: number): Shares {
  const spentWeight = createSpentWeight();
  const claims = createClaims();
  const mostAtOnce = Math.max((weightPerMinute * MOST_FOR_SETTLING) / 2, LARGEST_SWEEP);

  /**
   * A use has room by what a list is likely to come to, and by the most of it where what is before that use would be short. So what a
   * list may come to keeps nobody waiting who has room for what it is.
   */
  function haveRoom(purpose: Purpose, { most, likely, least }: AskedWeight, at: At): boolean {
    if (weightPerMinute === 0) return true;
    const spent = spentWeight.sum(at.second, nameOf(purpose), at.inS);
    // What clients ask leaves settling its part anyway.
    const kept = purpose === "settle" ? claims.keptFrom(likely, at.second + (at.inS ?? 0)) : NOTHING_KEPT;
    if (likely + kept.likely > freeFor(weightPerMinute, useOf(purpose), spent)) return false;
    if (most + kept.most > freeAtMost(weightPerMinute, useOf(purpose), spent)) return false;
    if (purpose === "settle" && !isInPace(likely + kept.likely, at)) return false;
    return useOf(purpose) !== "read" || isFair(weightPerMinute, spent, least);
  }

  /** Half of what settling may have at the most is had in half a minute; a question that is larger, where nothing was. */
  function isInPace(weight: number, { second, inS }: At): boolean {
    const lately = spentWeight.lately(second, "settle", inS);
    return lately === 0 || lately + weight <= mostAtOnce;
  }

  function left(purpose: Purpose, second: number): number {
    const spent = spentWeight.sum(second, nameOf(purpose));
    const unspent = freeFor(weightPerMinute, useOf(purpose), spent);
    const free = purpose === "settle" ? leftToSettling(unspent, second) : unspent;
    const fair = useOf(purpose) === "read" ? fairShare(weightPerMinute, spent) : free;
    return Math.max(0, Math.floor(Math.min(free, fair)));
  }

  function leftToSettling(unspent: number, second: number): number {
    const lately = spentWeight.lately(second, "settle");
    const inPace = lately === 0 ? unspent : Math.min(unspent, mostAtOnce - lately);
    return inPace - claims.keptFrom(inPace, second).likely;
  }

  function book(second: number, purpose: Purpose, weight: number): void {
    spentWeight.book(second, { name: nameOf(purpose), isRead: useOf(purpose) === "read", weight });
  }

  return {
    haveRoom,
    left,
    book,
    take(second, purpose, { most, likely }) {
      if (purpose === "settle") claims.taken(likely);
      book(second, purpose, most);
    },
    takenIn: (second, purpose) => spentWeight.of(second, nameOf(purpose)),
    /** A pause is no want of room, and what settling may never have keeps nobody from anything. */
    heedUnmet(purpose, asked, second) {
      if (purpose !== "settle" || asked.likely > weightPerMinute * MOST_FOR_SETTLING) return;
      if (!haveRoom(purpose, asked, { second })) claims.unmet(asked, second);
    },
  };
}

/**
 * Nobody has more than twice what is left after it: alone that is two thirds of the reads' share, and hungry readers come
 * to have twice as much each as is then free. Whoever comes finds something, and who had less goes before who had more.
 * One question is answered whatever it weighs.
 */
function isFair(weightPerMinute: number, { reads, own }: Sum, weight: number): boolean {
  return reads === 0 || own + weight <= MOST_OF_FREE * (weightPerMinute * READ_SHARE - reads - weight);
}

function fairShare(weightPerMinute: number, { reads, own }: Sum): number {
  return (MOST_OF_FREE * (weightPerMinute * READ_SHARE - reads) - own) / (1 + MOST_OF_FREE);
}

/** Of all weight, and of the reads' part of it. */
function freeFor(weightPerMinute: number, use: Use, spent: Sum): number {
  const readShare = weightPerMinute * READ_SHARE;
  const freeAbove = (line: Use) => weightPerMinute * (1 - LEFT_TO_OTHERS[line]) - spent.all;
  const kept = (actions: keyof typeof KEPT_FOR) => keptFor(weightPerMinute, spent)[actions];
  const free = freeAbove(use);
  switch (use) {
    case "settle":
      return free - kept("reduce");
    case "catch_up":
      return Math.min(free, freeAbove("reduce") - kept("reduce"));
    case "reduce":
    case "order":
      return Math.max(free, Math.min(freeAbove("settle"), kept(use)));
    case "read":
      return Math.min(free, readShare - spent.reads);
    case "cancel":
      return free;
  }
}

/**
 * What of it is not used yet. Orders use up none of what is the reductions' own: of a holding nobody would know, or get out. Reductions
 * go on into what is kept for orders.
 */
function keptFor(weightPerMinute: number, { orders, reductions }: Sum): Record<keyof typeof KEPT_FOR, number> {
  const own = weightPerMinute * KEPT_FOR.reduce;
  const order = Math.max(0, weightPerMinute * KEPT_FOR.order - orders - Math.max(0, reductions - own));
  return { order, reduce: order + Math.max(0, own - reductions) };
}

/**
 * What a use may come to where a list is as large as it can be: settling leaves cancels their part, reads leave all others theirs.
 * What is beyond the use's own part is missing to it later.
 */
function freeAtMost(weightPerMinute: number, use: Use, spent: Sum): number {
  if (use !== "settle" && use !== "read") return freeFor(weightPerMinute, use, spent);
  return weightPerMinute * (1 - LEFT_TO_OTHERS[use]) - spent.all;
}

export function useOf(purpose: Purpose): Use {
  return typeof purpose === "string" ? purpose : "read";
}

/** What nobody asked for is read by one reader: settling, for its hints. */
function nameOf(purpose: Purpose): string {
  return typeof purpose === "string" ? purpose : `read for ${purpose.reader}`;
}

/** A large question that found no room. Until it is taken, or lapses, what is smaller leaves that much free. */
type Claims = {
  /** Weight that is kept from a question that is likely to come to this, for a larger one. */
  keptFrom(weight: number, second: number): KeptWeight;
  /** It found no room. */
  unmet(asked: AskedWeight, second: number): void;
  taken(weight: number): void;
};

type KeptWeight = Pick<AskedWeight, "likely" | "most">;

const NOTHING_KEPT: KeptWeight = { likely: 0, most: 0 };

/** What wanted it has ended by then, or has asked again: looks come every 10 s at the least. Seconds. */
const CLAIM_S = 15;

/** Small questions would otherwise eat whatever room there is, and a sweep would never find enough at once. */
function createClaims(): Claims {
  let claim: (KeptWeight & { untilSecond: number }) | null = null;

  function keptFrom(weight: number, second: number): KeptWeight {
    return claim === null || second >= claim.untilSecond || weight >= claim.likely ? NOTHING_KEPT : claim;
  }

  return {
    keptFrom,
    unmet: ({ likely, most }, second) => {
      if (keptFrom(likely, second) === NOTHING_KEPT) claim = { likely, most, untilSecond: second + CLAIM_S };
    },
    taken: (weight) => {
      if (claim !== null && weight >= claim.likely) claim = null;
    },
  };
}
