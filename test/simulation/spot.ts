/** Bots that their owner lets trade a market of spot: what they ask for there, and what others do in it. Held against the log by `spot-audit`. */
import type { Side } from "../../src/core/order.ts";
import { inGrantOrder } from "../../src/core/rails/limited-grant.ts";
import type { Bot } from "./bots.ts";
import { type Chance, openChance } from "./chance.ts";
import type { Ask } from "./front.ts";
import type { Timeline } from "./timeline.ts";
import { STRANGERS } from "./trading.ts";
import type { Venue } from "./venue.ts";
import type { Base, Known, Wish } from "./wishes.ts";

export const SPOT_MARKET = "@107";
/** By the engine's own number. */
export const SPOT_ASSET = 10_107;

/** Bits by which the seed of spot differs from that of the bots: those are as they were. */
const SPOT_STREAM = 0x5907_0000;
/** Of the runs with bots. */
const SHARE = 0.3;
const MAX_ORDERS = 18;
/** In the middle of the book, thousandths of dollars; prices of wishes lie around it, a thousandth apart. */
const MIDDLE = 40_000;

/** A price of ten minutes needs five of them, in which nothing goes wrong; milliseconds before the run begins. */
export const SPOT_BEFORE_MS = 340_000;

/** Who starts anew knows no price of ten minutes for the rest of a run: some is bought before anybody dies, milliseconds. */
export const SPOT_DOOMS_FROM_MS = 4_000;

export function hasSpot(seed: number): boolean {
  return openChance(seed ^ SPOT_STREAM).isLucky(SHARE);
}

/** The first bot of the run may, and now and then the other one. */
export function grantSpot(seed: number, bots: readonly Bot[]): readonly Bot[] {
  if (bots.length === 0 || !hasSpot(seed)) return bots;
  const chance = openChance(seed ^ SPOT_STREAM ^ 1);
  const granted = new Set(bots.slice(0, chance.isLucky(0.3) ? 2 : 1));
  return bots.map((bot) => (granted.has(bot) ? withSpot(bot, chance) : bot));
}

/** Streams of their own: runs without them are as they were. */
export function drawSpot(
  seed: number,
  { bots, wishes }: { bots: readonly Bot[]; wishes: readonly Wish[] },
  faultsEndMs: number,
): Wish[] {
  const [first, other] = bots;
  if (first === undefined || other === undefined || !hasSpot(seed)) return [];
  const chance = openChance(seed ^ SPOT_STREAM ^ 2);
  const more: Wish[] = [];
  const isHasty = chance.isLucky(0.4);
  for (let left = chance.between(8, MAX_ORDERS); left > 0; left -= 1) {
    const { party, holders } = chance.isLucky(0.85) ? first : other;
    const number = wishes.length + more.length;
    const isEarly = chance.isLucky(0.7);
    const drawnMs = chance.between(0, isEarly ? SPOT_DOOMS_FROM_MS + 2_000 : Math.floor(faultsEndMs * 0.85));
    const lastMs = more.at(-1)?.atMs;
    const atMs = isHasty && lastMs !== undefined ? lastMs + chance.between(0, 400) : drawnMs;
    const { by } = chance.pick(holders);
    const base = { number, key: `key-${number}-${chance.between(1_000, 9_999)}`, party, by, atMs };
    const wish = drawWish(chance, base, more);
    more.push(wish);
    // What is sold is often asked for twice at the same time: together that may be more than there is.
    if (wish.kind === "place" && isSale(wish) && chance.isLucky(0.6)) more.push(again(chance, wish, number + 1));
  }
  return more;
}

/** What is asked for names whoever holds the key, and the bot keeps its keys. */
function withSpot({ party, rails, holders }: Bot, chance: Chance): Bot {
  const held = {
    markets: chance.pick([`${SPOT_MARKET},BTC`, `${SPOT_MARKET},BTC`, SPOT_MARKET]),
    maxPosition: chance.pick([rails.maxPosition, "1500 USD", "4000 USD"]),
    maxDistance: chance.pick([rails.maxDistance, "any", "any", "5 %"]),
  };
  const texts = holders.map(({ by, text }, nth) => {
    // Of its two grants the older one is wider.
    const more = nth === 0 ? { markets: held.markets } : held;
    return { by, text: inGrantOrder({ ...text, ...more }) };
  });
  return { party, rails: { ...rails, ...held }, holders: texts };
}

function drawWish(chance: Chance, base: Base, before: readonly Wish[]): Wish {
  const targets = before.filter(({ kind, party }) => kind === "place" && party === base.party);
  const kind =
    targets.length === 0 ? "place" : chance.pick(["place", "place", "place", "place", "modify", "cancel"] as const);
  return kind === "place" ? placing(chance, base) : changing(chance, kind, base, chance.pick(targets));
}

function isSale({ ask }: Wish): boolean {
  const placed = ask(NOTHING_KNOWN);
  return placed?.kind === "place" && placed.side === "sell";
}

function again(chance: Chance, wish: Wish, number: number): Wish {
  const placed = wish.ask(NOTHING_KNOWN);
  if (placed?.kind !== "place") throw new Error("bug: a sale that places nothing");
  const price = priceOf("sell", false, number);
  const ask: Ask = { ...placed, price, timeInForce: "gtc" };
  const key = `key-${number}-${chance.between(1_000, 9_999)}`;
  return { ...wish, number, key, atMs: wish.atMs + chance.between(0, 300), price, ask: () => ask };
}

const NOTHING_KNOWN: Known = { orderId: () => null, twapId: () => null };

function placing(chance: Chance, base: Base): Wish {
  const side: Side = chance.pick(["buy", "buy", "buy", "sell", "sell"]);
  const timeInForce = chance.pick(["gtc", "gtc", "ioc", "alo"] as const);
  const isTaking = chance.isLucky(timeInForce === "ioc" ? 0.9 : timeInForce === "gtc" ? 0.5 : 0);
  const price = priceOf(side, isTaking, base.number);
  const size = sizeOf(chance, side);
  const plain = { kind: "place", market: SPOT_MARKET, side, size, price, timeInForce, trigger: null } as const;
  const ask: Ask = { ...plain, reduceOnly: false };
  return { ...base, kind: "place", ask: () => ask, target: null, price, asset: SPOT_ASSET };
}

function sizeOf(chance: Chance, side: Side): string {
  return `${chance.between(5, side === "buy" ? 60 : 30)}.${chance.between(1, 9)}${chance.between(1, 9)}`;
}

/** Passive ones nearest to the middle; those that take go through the book. */
function priceOf(side: Side, isTaking: boolean, number: number): string {
  const distance = isTaking ? 600 + number : -(20 + number);
  return String((side === "buy" ? MIDDLE + distance : MIDDLE - distance) / 1_000);
}

function changing(chance: Chance, kind: "modify" | "cancel", base: Base, target: Wish): Wish {
  const atMs = Math.max(base.atMs, target.atMs + chance.between(0, 3_000));
  const idOf = (known: Known) => known.orderId(target.number);
  const plain = { ...base, atMs, kind, target: target.number, asset: SPOT_ASSET };
  if (kind === "cancel") {
    const ask = (known: Known): Ask | null => withId(idOf(known), (id) => ({ kind: "cancel", id }));
    return { ...plain, ask, price: null };
  }
  const placed = target.ask(NOTHING_KNOWN);
  const side = placed?.kind === "place" ? placed.side : "buy";
  const price = priceOf(side, false, base.number);
  const [size, alwaysPlace] = [chance.isLucky(0.5) ? null : sizeOf(chance, side), chance.isLucky(0.3)];
  const ask = (known: Known): Ask | null =>
    withId(idOf(known), (id) => ({ kind: "modify", id, price, size, alwaysPlace }));
  return { ...plain, ask, price };
}

function withId(id: string | null, ask: (id: string) => Ask): Ask | null {
  return id === null ? null : ask(id);
}

/** How far from the middle the mark goes, thousandths of dollars. */
const MARKS = [-2_000, -300, -100, 0, 0, 100, 300, 2_000];

/** Others stand on both sides, take what the bots have there, and the mark moves. */
export function tradeSpot(
  seed: number,
  venue: Venue,
  { timeline, untilMs }: { timeline: Timeline; untilMs: number },
): void {
  const chance = openChance(seed ^ SPOT_STREAM ^ 3);
  const [maker, taker] = STRANGERS;
  const act = (who: string, action: ReturnType<typeof limit>) => void venue.act(who, action as unknown as Act);
  const quote = () => {
    for (const isBuy of [true, false])
      act(maker, limit(isBuy, MIDDLE + (isBuy ? -150 : 150), `${chance.between(10, 90)}.5`, "Gtc"));
  };
  quote();
  for (let step = chance.between(3, 12); step > 0; step -= 1) {
    timeline.after(chance.between(0, untilMs), () => {
      if (chance.isLucky(0.3)) return venue.setPrice(SPOT_MARKET, BigInt(MIDDLE + chance.pick(MARKS)) * 100_000n);
      const isBuy = chance.isLucky(0.5);
      act(taker, limit(isBuy, MIDDLE + (isBuy ? 400 : -400), `${chance.between(5, 120)}.25`, "Ioc"));
      quote();
    });
  }
}

// Decimals of these texts are canonical; the brand is the engine's.
type Act = Parameters<Venue["act"]>[1];

function limit(isBuy: boolean, price: number, size: string, tif: "Gtc" | "Ioc") {
  const order = {
    a: SPOT_ASSET,
    b: isBuy,
    p: String(price / 1_000),
    s: size,
    r: false,
    t: { limit: { tif } },
    c: null,
  };
  return { type: "order" as const, orders: [order], grouping: "na" as const, builder: null };
}
