/**
 * Holds what the gateway signs against what the owners of its bots have signed, out of the exchange's books alone: whole
 * thousandths and whole thousandths of dollars, nothing of it taken from the gateway. What is signed counts from then on, as if all
 * of it would be filled.
 */
import { auditSetting, auditTarget } from "./auditor-changes.ts";
import { type Leg, mayFill, type Sent, SPOT, type Venue } from "./venue.ts";

/** What a bot is held to, as figures; infinite where it is not held. Dollars are thousandths. */
export type Limits = {
  may: readonly string[];
  markets: readonly number[];
  order: number;
  position: number;
  exposure: number;
  turnover: number;
  actions: number;
  open: number;
  /** Basis points. */
  distance: number;
  stopDistance: number;
  leverage: number;
  ownOnly: boolean;
};

/** A price as the gateway was told it; `seenMs` when that was. */
export type Price = { low: number; high: number; seenMs: number };

export type Book = {
  name: string;
  limits: Limits;
  /** By all of its own fills. */
  net: number[];
  /** The same, but that what only reduces never took it beyond flat: what increases was judged by no more than that. */
  reduced: number[];
  /** Thousandths of dollars, by day. */
  traded: Map<number, number>;
  actions: Map<number, number>;
  /** Trips and stops that stand. */
  halts: Set<"stop" | "account" | "trip">;
  /** By market, at the last look. */
  worst: number[];
  /** Sizes of trades that it has asked for, by market and side of the entry: what reduces them may come before. */
  reserved: Map<string, number>;
};

/** Where a size of a trade is kept. */
export function sideIn(asset: number, isBuy: boolean): string {
  return `${asset} ${isBuy}`;
}

export type Auditor = {
  books: Book[];
  prices: Price[];
  /**
   * Several are asked for at once: they are signed in another order than they were judged in, and what one of them was judged
   * with may be signed after it, or never.
   */
  isCrowded: boolean;
  /** A person has just approved what is signed. */
  isApproved: boolean;
  /** Positions as the gateway was shown them last. */
  shown: number[];
  findings: string[];
  /** The largest share of a limit that was used, by rail. */
  used: Map<string, number>;
  /** The venue has just been handed something to sign. */
  onSigned(sent: Sent): void;
  onFill(leg: Leg, size: number, price: number): void;
  /** Nothing that was not signed makes a worst case larger. */
  look(): void;
};

const DAY_MS = 86_400_000;
/** What increases is judged by no older price, milliseconds; a little later it is signed. */
const FRESH_MS = 5_000 + 50;

export function openAuditor(venue: () => Venue, nowMs: () => number): Auditor {
  const auditor: Auditor = {
    books: [],
    prices: [],
    isCrowded: false,
    isApproved: false,
    shown: [0, 0, 0],
    findings: [],
    used: new Map(),
    onSigned(sent) {
      // One after the other, as they stand in the action.
      const later = new Set(sent.legs);
      for (const leg of sent.legs) {
        later.delete(leg);
        auditLeg({ auditor, venue: venue(), nowMs: nowMs(), later }, leg);
      }
      auditTarget({ auditor, venue: venue() }, sent);
      auditSetting(auditor, venue(), sent);
      for (const book of auditor.books) book.worst = worstOfAll(venue(), book);
    },
    onFill(leg, size, price) {
      const book = auditor.books.find(({ name }) => name === leg.holder);
      if (book === undefined) return;
      const day = dayOf(nowMs());
      // Of what only reduces nothing is held back for its fills: they count when they are told.
      if (!onlyReduces(leg)) book.traded.set(day, (book.traded.get(day) ?? 0) + size * price);
      const held = book.net[leg.asset] ?? 0;
      book.net[leg.asset] = held + (leg.isBuy ? size : -size);
      const before = book.reduced[leg.asset] ?? 0;
      const after = before + (leg.isBuy ? size : -size);
      const own = leg.isBuy ? Math.min(after, Math.max(before, 0)) : Math.max(after, Math.min(before, 0));
      book.reduced[leg.asset] = leg.reduceOnly ? own : after;
    },
    look() {
      for (const book of auditor.books) {
        const worst = worstOfAll(venue(), book);
        const grown = worst.findIndex((each, asset) => each > (book.worst[asset] ?? 0));
        if (grown !== -1) auditor.findings.push(`the worst case of ${book.name} has grown and nothing was signed`);
        book.worst = worst;
      }
    },
  };
  return auditor;
}

export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

export function newBook(name: string, limits: Limits): Book {
  const none = [0, 0, 0];
  return {
    name,
    limits,
    net: [...none],
    reduced: [...none],
    traded: new Map(),
    actions: new Map(),
    halts: new Set(),
    worst: [...none],
    reserved: new Map(),
  };
}

export type Seen = { auditor: Auditor; venue: Venue };
type Looked = Seen & { nowMs: number; later: ReadonlySet<Leg> };

/** A sale on spot makes nothing larger: below zero there is nothing. */
function onlyReduces(leg: Leg): boolean {
  return leg.reduceOnly || (leg.asset === SPOT && !leg.isBuy);
}

function openOf(venue: Venue, book: Book, later: ReadonlySet<Leg> = NONE): Leg[] {
  return venue.legs.filter((leg) => leg.holder === book.name && mayFill(leg) && !later.has(leg));
}

const NONE: ReadonlySet<Leg> = new Set();

function sumOf(legs: readonly Leg[], asset: number, isBuy: boolean): number {
  let sum = 0;
  for (const leg of legs)
    if (leg.asset === asset && leg.isBuy === isBuy && !onlyReduces(leg)) sum += leg.size - leg.filled;
  return sum;
}

/** max(|net + all buys|, |net - all sells|), what only reduces filled first; on spot nobody holds less than nothing. */
function worstOf(nets: readonly number[], open: readonly Leg[], asset: number): number {
  const net = nets[asset] ?? 0;
  if (asset === SPOT) return Math.max(net + sumOf(open, asset, true), 0);
  const [long, short] = [Math.max(net, 0), Math.max(-net, 0)];
  return Math.max(long + sumOf(open, asset, true), short + sumOf(open, asset, false));
}

function worstOfAll(venue: Venue, book: Book): number[] {
  const open = openOf(venue, book);
  return book.reduced.map((_net, asset) => worstOf(book.reduced, open, asset));
}

function auditLeg(looked: Looked, leg: Leg): void {
  const { auditor, nowMs } = looked;
  const asker = auditor.books.find(({ name }) => name === leg.asker);
  if (asker === undefined) return;
  const { limits } = asker;
  const fail = (what: string) => void auditor.findings.push(`${asker.name} ${what}: ${words(leg)}`);
  const verb = onlyReduces(leg) ? "reduce" : "increase";
  const isWord = auditor.isApproved && limits.may.includes("propose");
  if (!isWord && !limits.may.includes(verb)) fail(`may not ${verb}`);
  if (leg.price === null && !limits.may.includes("twap")) fail("may not twap");
  // What it holds where it may trade no more it may close: that is held to its own size.
  if (!limits.markets.includes(leg.asset) && !onlyReduces(leg)) fail("may not trade there");
  auditDistance({ auditor, nowMs, limits, fail }, leg);
  const day = dayOf(nowMs);
  asker.actions.set(day, (asker.actions.get(day) ?? 0) + 1);
  if (onlyReduces(leg)) auditReduction({ ...looked, asker, fail }, leg);
  else if (leg.holder !== asker.name) fail("increases what is not its own");
  else if (asker.halts.size > 0) fail("is stopped or tripped, and increases");
  else auditIncrease({ ...looked, asker, fail }, leg);
}

type Judged = Looked & { asker: Book; fail(what: string): void };

/** Dollars that a unit of it may cost. */
function unitPrice(leg: Leg, now: Price): number {
  const { price, trigger, standing } = leg;
  if (price === null) return now.high * 1.03;
  const waits = trigger !== null && standing !== "rests" && !isMet(leg, now);
  return Math.max(price, waits ? trigger : price, now.high);
}

function auditIncrease({ auditor, venue, nowMs, later, asker, fail }: Judged, leg: Leg): void {
  const { limits } = asker;
  const price = auditor.prices[leg.asset];
  if (price === undefined) return;
  if (!auditor.isCrowded && nowMs - price.seenMs > FRESH_MS) fail("increases and no price is known");
  const open = openOf(venue, asker, later);
  const unit = unitPrice(leg, price);
  const hold = (rail: string, use: number, limit: number) => {
    if (use > limit + ROUNDING) fail(`${rail} ${limit}, use ${use}`);
    auditor.used.set(rail, Math.max(auditor.used.get(rail) ?? 0, use / limit));
  };
  hold("max_order", leg.size * unit, limits.order);
  const position = worstOf(asker.net, open, leg.asset) * (auditor.isCrowded ? price.high : unit);
  hold("max_position", position, limits.position);
  if (limits.exposure < Infinity) {
    const elsewhere = auditor.prices.map(({ high }, at) =>
      at === leg.asset ? 0 : worstOf(asker.net, open, at) * high,
    );
    hold(
      "max_exposure",
      elsewhere.reduce((sum, each) => sum + each, position),
      limits.exposure,
    );
  }
  const out = open.filter((each) => !onlyReduces(each));
  const value = (each: Leg) => (each.size - each.filled) * unitPrice(each, auditor.prices[each.asset] ?? price);
  const traded = asker.traded.get(dayOf(nowMs)) ?? 0;
  hold(
    "max_turnover",
    out.reduce((sum, each) => sum + value(each), traded),
    limits.turnover,
  );
  hold("max_actions", asker.actions.get(dayOf(nowMs)) ?? 0, limits.actions);
  hold("max_open", new Set(open.map(({ root }) => root)).size, limits.open);
  if (leg.asset !== SPOT) hold("max_leverage", venue.leverages[leg.asset] ?? 0, limits.leverage);
  auditOthers({ auditor, venue, nowMs, later, asker, fail }, leg);
}

/** Of products of thousandths with 1.03, thousandths of dollars. */
const ROUNDING = 0.01;

/** No trade with another's order that only reduces, and no side against what others hold. */
function auditOthers({ auditor, venue, asker, fail }: Judged, leg: Leg): void {
  if (leg.asset === SPOT) return;
  const others = auditor.books.filter((book) => book !== asker);
  // A trigger goes to its worst price once it fires. One that only reduces protects, and is never refused for that.
  const isJudged = asker.limits.ownOnly && (leg.trigger === null || !leg.reduceOnly);
  const isHarm = isJudged && meets(venue, leg).some((each) => each.holder !== asker.name);
  if (isHarm) fail("trades with another's order that only reduces");
  // What nobody's bot holds may be anybody's.
  const isAllBots =
    others.reduce((sum, { net }) => sum + (net[leg.asset] ?? 0), asker.net[leg.asset] ?? 0) ===
    venue.positions[leg.asset];
  if (auditor.isCrowded || !isAllBots || !isAllTold(venue)) return;
  // An account that shows less on its side than is its own may have been reduced by hand: then nobody can say whose the rest is.
  const own = asker.net[leg.asset] ?? 0;
  const shown = venue.positions[leg.asset] ?? 0;
  if (own < 0 ? shown > own : shown < own) return;
  const theirs = others.reduce((sum, { net }) => sum + (net[leg.asset] ?? 0), 0);
  const signed = leg.isBuy ? 1 : -1;
  const open = openOf(venue, asker);
  const reducing = open.filter(
    (each) => each.reduceOnly && each.trigger === null && each.asset === leg.asset && each.isBuy === leg.isBuy,
  );
  const reduced = reducing.reduce((sum, each) => sum + each.size - each.filled, 0);
  const after = (asker.net[leg.asset] ?? 0) * signed + sumOf(open, leg.asset, leg.isBuy) + reduced;
  if (theirs * signed < 0 && after > 0) fail("takes the side against others");
}

/** What rests on the book and only reduces, and would be met at once. */
function meets(venue: Venue, leg: Leg): Leg[] {
  return venue.legs.filter((each) => {
    const rests =
      each.standing === "rests" && each.told.standing === "rests" && each.reduceOnly && each.trigger === null;
    // Slices of a TWAP take and never rest: what is canceled of the two is the other.
    if (!rests || each.price === null || each.asset !== leg.asset || each.isBuy === leg.isBuy) return false;
    if (leg.price === null) return true;
    return leg.isBuy ? each.price <= leg.price : each.price >= leg.price;
  });
}

/** The gateway has been told all that has happened. */
export function isAllTold(venue: Venue): boolean {
  return venue.legs.every((leg) => leg.told.standing === leg.standing && leg.told.filled === leg.filled);
}

/** It takes no more than what is its own, or may be by then, on that side. */
function auditReduction({ auditor, venue, later, asker, fail }: Judged, leg: Leg): void {
  const { ownOnly, markets } = asker.limits;
  if ((!ownOnly && markets.includes(leg.asset)) || auditor.isCrowded) return;
  const open = openOf(venue, asker, later);
  const net = asker.net[leg.asset] ?? 0;
  const own = leg.isBuy ? -net : net;
  // What was filled on its side and not told still counts as held.
  const untold = venue.legs.filter(
    (each) => each.holder === asker.name && each.asset === leg.asset && each.isBuy === leg.isBuy,
  );
  const held = Math.max(own, 0) + untold.reduce((sum, each) => sum + each.filled - each.told.filled, 0);
  if (leg.asset === SPOT) {
    const sold = open.filter((each) => each.asset === SPOT && !each.isBuy);
    const use = sold.reduce((sum, each) => sum + each.size - each.filled, 0);
    if (use > held) fail(`sells ${use} of ${held} that it holds`);
    return;
  }
  const alike = open.filter((each) => each.reduceOnly && each.asset === leg.asset && each.isBuy === leg.isBuy);
  const isSame = (each: Leg) =>
    (each.trigger === null) === (leg.trigger === null) && (each === leg || each.root !== leg.root);
  const sizes = alike.filter(isSame).map((each) => each.size - each.filled);
  // Of triggers the largest fires for what is held: a larger one that stood before has been looked at when it was signed.
  const use = leg.trigger === null ? sizes.reduce((sum, each) => sum + each, 0) : leg.size - leg.filled;
  const most = Math.max(held + believed(venue, asker, leg), byBooks(auditor, venue, asker, leg));
  if (use > most) fail(`reduces ${use}, and ${most} is its own`);
}

/**
 * The same as the gateway was told. Of what it holds against the leg it may have less than that: where the account shows less,
 * somebody else may have closed it, and what is out is to come nevertheless.
 */
function byBooks({ shown }: Auditor, venue: Venue, { name, net, reserved }: Book, leg: Leg): number {
  const { asset, isBuy } = leg;
  const waits = leg.trigger !== null;
  const sign = isBuy ? -1 : 1;
  const ownLegs = venue.legs.filter((each) => each.holder === name && each.asset === asset);
  const untold = ownLegs.reduce((sum, each) => sum + (each.isBuy ? 1 : -1) * (each.filled - each.told.filled), 0);
  const told = ((net[asset] ?? 0) - untold) * sign;
  const held = told < 0 ? Math.max(told, Math.min((shown[asset] ?? 0) * sign, 0)) : told;
  const out = ownLegs.filter((each) => each.isBuy !== isBuy && !onlyReduces(each) && isToCome(each, waits));
  const coming = out.reduce((sum, each) => sum + each.size - each.told.filled, 0);
  return held + coming + (waits ? (reserved.get(sideIn(asset, !isBuy)) ?? 0) : 0);
}

/** What waits for the mark may be there before what it protects; what executes at once closes no more than may be held by now. */
function isToCome({ told }: Leg, waits: boolean): boolean {
  return waits ? !isOver(told.standing) : told.standing === "air";
}

/** What may still be filled on the other side, as far as the gateway was told. */
function believed(venue: Venue, { name, reserved }: Book, { asset, isBuy, trigger }: Leg): number {
  const other = venue.legs.filter((each) => each.holder === name && each.asset === asset && each.isBuy !== isBuy);
  const isCounted = (each: Leg) =>
    trigger === null ? isToCome(each, false) : mayFill(each) || !isOver(each.told.standing);
  const lives = other.filter((each) => !onlyReduces(each) && isCounted(each));
  const notSent = trigger === null ? 0 : (reserved.get(sideIn(asset, !isBuy)) ?? 0);
  return lives.reduce((sum, each) => sum + each.size - each.filled, notSent);
}

function isOver(standing: Leg["standing"]): boolean {
  return standing === "over" || standing === "dead";
}

type Distance = { auditor: Auditor; nowMs: number; limits: Limits; fail(what: string): void };

/** What only reduces is judged by no older price, milliseconds. */
const LAST_PRICE_MS = 5 * 60_000;

/** Compared in basis points of what it is measured from. */
function auditDistance({ auditor, nowMs, limits, fail }: Distance, leg: Leg): void {
  const price = auditor.prices[leg.asset];
  if (price === undefined || leg.price === null) return;
  // A stop that only reduces is not refused because nobody knows a price any more: it is where it is.
  const isUnjudged = leg.reduceOnly && leg.firesBelow !== leg.isBuy && nowMs - price.seenMs > LAST_PRICE_MS;
  const waits = leg.trigger !== null && (isUnjudged || !isMet(leg, price));
  const from = waits && leg.trigger !== null ? leg.trigger : leg.isBuy ? price.low : price.high;
  const limit = waits && leg.reduceOnly ? limits.stopDistance : limits.distance;
  const cost = leg.isBuy ? leg.price - from : from - leg.price;
  if (cost * 10_000 > from * limit) fail(`is ${cost} from ${from}`);
}

/** By the mark, which is the lower of both here: it counts as any order that executes at once. */
function isMet({ trigger, firesBelow }: Leg, { low: mark }: Price): boolean {
  return trigger !== null && (firesBelow ? mark <= trigger : mark >= trigger);
}

function words({ asset, isBuy, size, price, trigger, reduceOnly }: Leg): string {
  return JSON.stringify({ asset, isBuy, size, price, trigger, reduceOnly });
}
