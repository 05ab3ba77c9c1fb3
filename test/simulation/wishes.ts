/** What the clients of a run want, drawn before it begins. Every wish has its own price, by which the auditor knows it. */
import type { Side } from "../../src/core/order.ts";
import type { HowMany } from "./busy.ts";
import type { Chance } from "./chance.ts";
import type { Ask } from "./front.ts";
import { PARTIES, type Party } from "./template.ts";

export type Wish = {
  number: number;
  /** Its Idempotency-Key. */
  key: string;
  party: Party;
  /** The same with the key that it is asked with. */
  by: Party;
  atMs: number;
  kind: Exclude<Ask["kind"], "stop" | "get" | "get_trade" | "get_operation" | "list" | "list_open" | "fills">;
  /** The ask, once it can be made: changes and cancels need the id of their order. Null = not yet. */
  ask(known: Known): Ask | null;
  /** Number of the wish that placed the order, or made the TWAP, which this one is about. */
  target: number | null;
  /** Limit price of what it places; unique in the run. Null for what places nothing, or what is priced for it. */
  price: string | null;
  /** The market that it is about, by the engine's own number; left out: that of all others. */
  asset?: number;
  /** Of what places several orders: each of them. */
  parts?: readonly Wish[];
  /** Of such a part: the wish that it belongs to, and which of its orders it is. */
  part?: Part;
};

/** `index`: its place among the entries of a batch. Guards are known by the price that triggers them. */
export type Part =
  | { of: number; as: "batched"; index: number }
  | { of: number; as: "entry" }
  | { of: number; as: "stop" | "profit"; triggerPrice: string };

/** What the clients have been told so far. */
export type Known = {
  /** Id of the order of a wish, in one of the forms in which a client may use it; of a trade its own. */
  orderId(wish: number): string | null;
  /** Native id of the TWAP that a wish made. */
  twapId(wish: number): number | null;
};

/** Price of BTC in the middle of the book, dollars; prices of wishes lie around it, a dollar apart. */
export const MIDDLE = 95_000;

export function drawWishes(chance: Chance, faultsEndMs: number, { least, most }: HowMany): Wish[] {
  const count = chance.between(least, most);
  const isHasty = chance.isLucky(0.4);
  const hasOperations = chance.isLucky(0.35);
  const wishes: Wish[] = [];
  for (let number = 0; number < count; number += 1) {
    const party = chance.isLucky(0.75) ? PARTIES[0] : PARTIES[1];
    if (party === undefined) throw new Error("bug: a run without parties");
    const atMs = chance.between(0, Math.floor(faultsEndMs * 0.8));
    const base = { number, key: `key-${number}-${chance.between(1_000, 9_999)}`, party, by: party, atMs };
    wishes.push(
      hasOperations && chance.isLucky(0.5)
        ? operation(chance, base, wishes)
        : aboutAnOrder(chance, base, { wishes, isHasty }),
    );
  }
  return wishes;
}

function aboutAnOrder(
  chance: Chance,
  base: Base,
  { wishes, isHasty }: { wishes: readonly Wish[]; isHasty: boolean },
): Wish {
  const targets = wishes.filter((wish) => wish.kind === "place" && wish.party === base.party);
  const kind = targets.length === 0 ? "place" : chance.pick(["place", "place", "cancel", "modify", "modify"] as const);
  if (kind === "place") return chance.isLucky(0.15) ? trigger(chance, base) : placing(chance, base);
  const target = chance.pick(targets);
  // In haste changes of one order come at the same moment, or while it is being placed.
  const rival = wishes.findLast((wish) => wish.target === target.number) ?? target;
  const atMs = isHasty
    ? rival.atMs + chance.between(0, 400)
    : Math.max(base.atMs, target.atMs + chance.between(0, 5_000));
  return changing(chance, kind, { ...base, atMs }, target);
}

/** What changes no order. Each has a figure of its own, by which the auditor knows it. */
export function operation(chance: Chance, base: Base, wishes: readonly Wish[]): Wish {
  const twaps = wishes.filter((wish) => wish.kind === "twap" && wish.party === base.party);
  const kind = chance.pick(["leverage", "margin", "twap", ...(twaps.length > 0 ? (["twap_cancel"] as const) : [])]);
  const plain = { ...base, price: null, target: null };
  switch (kind) {
    case "leverage": {
      const market = chance.pick(["BTC", "SOL"]);
      const ask: Ask = { kind, market, leverage: 3 + base.number, marginType: chance.pick(["cross", "isolated"]) };
      return { ...plain, kind, ask: () => ask };
    }
    case "margin": {
      const ask: Ask = { kind, market: "ETH", amount: `${chance.between(1, 20)}.${101 + base.number}` };
      return { ...plain, kind, ask: () => ask };
    }
    case "twap": {
      const size = `0.0${chance.between(1, 9)}${101 + base.number}`;
      const ask: Ask = { kind, market: "BTC", side: chance.pick(["buy", "sell"]), size, minutes: chance.between(5, 9) };
      return { ...plain, kind, ask: () => ask };
    }
    default: {
      const twap = chance.pick(twaps);
      const atMs = Math.max(base.atMs, twap.atMs + chance.between(0, 5_000));
      const ask = (known: Known): Ask | null => {
        const twapId = known.twapId(twap.number);
        return twapId === null ? null : { kind: "twap_cancel", market: "BTC", twapId };
      };
      return { ...plain, atMs, kind: "twap_cancel", target: twap.number, ask };
    }
  }
}

export type Base = Pick<Wish, "number" | "key" | "party" | "by" | "atMs">;

/** An order that rests or takes, without a trigger. */
export function placing(chance: Chance, base: Base, apart: Apart = apartOf(base)): Wish {
  const side: Side = chance.pick(["buy", "sell"]);
  const timeInForce = chance.pick(["gtc", "gtc", "alo", "ioc"] as const);
  const isCrossing = chance.isLucky(timeInForce === "ioc" ? 0.8 : 0.15);
  const price = String(priceOf(side, isCrossing, apart));
  const size = `0.0${chance.between(1, 9)}${chance.between(100, 999)}`;
  const ask: Ask = {
    kind: "place",
    market: "BTC",
    side,
    size,
    price,
    timeInForce,
    trigger: null,
    reduceOnly: chance.isLucky(0.05),
  };
  return { ...base, kind: "place", ask: () => ask, target: null, price };
}

/** How far from the middle an order rests, or crosses to, dollars. */
export type Apart = { resting: number; crossing: number };

/** Passive ones nearest to the middle, so that whoever takes meets them first; crossing ones well through the book. */
function apartOf({ number }: Pick<Wish, "number">): Apart {
  return { resting: 10 + number, crossing: 300 + number };
}

function priceOf(side: Side, isCrossing: boolean, { resting, crossing }: Apart): number {
  const distance = isCrossing ? crossing : -resting;
  return side === "buy" ? MIDDLE + distance : MIDDLE - distance;
}

/** One trigger in so many is met when it is placed, or soon after. */
const ONE_MET_OF = 4;

/** Waits off the book until mark has moved far enough, but those that are met. */
function trigger(chance: Chance, base: Base): Wish {
  const side: Side = chance.pick(["buy", "sell"]);
  const kind = chance.pick(["stop_loss", "take_profit"] as const);
  // A stop sells below and buys above the middle; a profit is taken the other way round.
  const waits = (kind === "stop_loss") === (side === "sell") ? -1 : 1;
  const direction = base.number % ONE_MET_OF === 0 ? -waits : waits;
  const at = MIDDLE + direction * (200 + 10 * base.number);
  const price = String(side === "sell" ? at - 150 - base.number : at + 150 + base.number);
  const market = chance.isLucky(0.5);
  const ask: Ask = {
    kind: "place",
    market: "BTC",
    side,
    size: `0.0${chance.between(1, 9)}${chance.between(100, 999)}`,
    price,
    timeInForce: "gtc",
    trigger: { price: String(at), kind, market },
    reduceOnly: false,
  };
  return { ...base, kind: "place", ask: () => ask, target: null, price };
}

function changing(chance: Chance, kind: "cancel" | "modify", base: Base, target: Wish): Wish {
  if (kind === "cancel") {
    const ask = (known: Known): Ask | null => {
      const id = known.orderId(target.number);
      return id === null ? null : { kind, id };
    };
    return { ...base, kind, ask, target: target.number, price: null };
  }
  const isBuy = Number(target.price) < MIDDLE ? !isCrossingPrice(target) : isCrossingPrice(target);
  const price = String(priceOf(isBuy ? "buy" : "sell", false, apartOf(base)));
  const size = chance.isLucky(0.5) ? null : `0.0${chance.between(1, 9)}${chance.between(100, 999)}`;
  const alwaysPlace = chance.isLucky(0.3);
  const ask = (known: Known): Ask | null => {
    const id = known.orderId(target.number);
    return id === null ? null : { kind, id, price, size, alwaysPlace };
  };
  return { ...base, kind, ask, target: target.number, price };
}

function isCrossingPrice({ price }: Wish): boolean {
  return Math.abs(Number(price) - MIDDLE) >= 300;
}
