/** What the clients of a run want, drawn before it begins. Every wish has its own price, by which the auditor knows it. */
import type { Side } from "../../src/core/order.ts";
import type { Chance } from "./chance.ts";
import type { Ask } from "./front.ts";
import { PARTIES, type Party } from "./template.ts";

export type Wish = {
  number: number;
  /** Its Idempotency-Key. */
  key: string;
  party: Party;
  atMs: number;
  /** The ask, once it can be made: changes and cancels need the id of their order. Null = not yet. */
  ask(known: Known): Ask | null;
  /** Number of the wish that placed the order which this one is about. */
  target: number | null;
  /** Limit price of what it places; unique in the run. Null for what places nothing. */
  price: string | null;
};

/** What the clients have been told so far. */
export type Known = {
  /** Id of the order of a wish, in one of the forms in which a client may use it. */
  orderId(wish: number): string | null;
};

/** Price of BTC in the middle of the book, dollars; prices of wishes lie around it, a dollar apart. */
export const MIDDLE = 95_000;

/** Wishes of one run. */
const MAX_WISHES = 9;

export function drawWishes(chance: Chance, faultsEndMs: number): Wish[] {
  const count = chance.between(2, MAX_WISHES);
  const wishes: Wish[] = [];
  for (let number = 0; number < count; number += 1) {
    const party = chance.isLucky(0.75) ? PARTIES[0] : PARTIES[1];
    if (party === undefined) throw new Error("bug: a run without parties");
    const base = { number, key: `key-${number}-${chance.between(1_000, 9_999)}`, party };
    const atMs = chance.between(0, Math.floor(faultsEndMs * 0.8));
    const targets = wishes.filter((wish) => wish.price !== null && wish.target === null && wish.party === party);
    const kind = targets.length === 0 ? "place" : chance.pick(["place", "place", "cancel", "modify"] as const);
    wishes.push(
      kind === "place" ? placing(chance, { ...base, atMs }) : changing(chance, kind, { ...base, atMs }, targets),
    );
  }
  return wishes;
}

type Base = Pick<Wish, "number" | "key" | "party" | "atMs">;

function placing(chance: Chance, base: Base): Wish {
  const side: Side = chance.pick(["buy", "sell"]);
  const timeInForce = chance.pick(["gtc", "gtc", "alo", "ioc"] as const);
  const isCrossing = chance.isLucky(timeInForce === "ioc" ? 0.8 : 0.15);
  const price = String(priceOf(side, isCrossing, base.number));
  const size = `0.0${chance.between(1, 9)}${chance.between(100, 999)}`;
  const ask: Ask = {
    kind: "place",
    ...{ market: "BTC", side, size, price, timeInForce },
    trigger: null,
    reduceOnly: chance.isLucky(0.05),
  };
  return { ...base, ask: () => ask, target: null, price };
}

/** Passive ones nearest to the middle, so that whoever takes meets them first; crossing ones well through the book. */
function priceOf(side: Side, isCrossing: boolean, number: number): number {
  const distance = isCrossing ? 300 + number : -(10 + number);
  return side === "buy" ? MIDDLE + distance : MIDDLE - distance;
}

function changing(chance: Chance, kind: "cancel" | "modify", base: Base, targets: readonly Wish[]): Wish {
  const target = chance.pick(targets);
  const atMs = Math.max(base.atMs, target.atMs + chance.between(0, 5_000));
  if (kind === "cancel") {
    const ask = (known: Known): Ask | null => {
      const id = known.orderId(target.number);
      return id === null ? null : { kind, id };
    };
    return { ...base, atMs, ask, target: target.number, price: null };
  }
  const isBuy = Number(target.price) < MIDDLE ? !isCrossingPrice(target) : isCrossingPrice(target);
  const price = String(priceOf(isBuy ? "buy" : "sell", false, base.number));
  const size = chance.isLucky(0.5) ? null : `0.0${chance.between(1, 9)}${chance.between(100, 999)}`;
  const alwaysPlace = chance.isLucky(0.3);
  const ask = (known: Known): Ask | null => {
    const id = known.orderId(target.number);
    return id === null ? null : { kind, id, price, size, alwaysPlace };
  };
  return { ...base, atMs, ask, target: target.number, price };
}

function isCrossingPrice({ price }: Wish): boolean {
  return Math.abs(Number(price) - MIDDLE) >= 300;
}
