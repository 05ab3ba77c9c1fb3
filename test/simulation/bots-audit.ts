/**
 * What bots may be worth at the exchange, worked out from its own books at each order that it takes: what a bot holds by
 * its fills, and everything of it that lives. It knows nothing of what the gateway believes.
 *
 * A size is valued at the lowest price that the exchange has had: whatever an order was judged with is not below that.
 */
import type { RailsText } from "../../src/core/rails/rails.ts";
import type { OrderRequest } from "../../src/paper/engine/action.ts";
import type { VenueFill } from "../../src/paper/engine/state.ts";
import type { Bot } from "./bots.ts";
import type { Operation } from "./bots-operations.ts";
import { placedBy, units } from "./truth.ts";
import type { Execution, Venue } from "./venue.ts";
import type { Wish } from "./wishes.ts";

export type BotsWatch = {
  /** To be called after each action that the exchange has executed, and after each price. */
  look(): void;
  /** One sentence for each rail that did not hold. */
  findings(): string[];
  /** The most that a bot has come to, in 10^-16 dollars. */
  most(): bigint;
  /** What the bot of a key holds by its own fills, in 10^-8, below zero for short; null for a key of no bot. */
  netOf(by: Asked["by"]): bigint | null;
};

/** Sizes in 10^-8; a net below zero is short. */
type Book = {
  bot: Bot;
  net: bigint;
  /** Filled by what increases, in 10^-8. */
  traded: bigint;
  /** Numbers of the wishes to increase that the exchange has taken. */
  taken: Set<number>;
  /** At the last look. */
  worst: bigint;
  /** What only reduces and was filled, with the time of it. */
  reduced: { atMs: number; size: bigint }[];
  /** What of it went beyond flat since the last look: it has closed what others held. */
  beyond: bigint;
  seenFills: number;
};

type Prices = { lowest: bigint; highest: bigint };

/** The market of all wishes that place. */
const ASSET = 0;
const MARKET = "BTC";
const ONE = 100_000_000n;

type Asked = Pick<Wish, "by" | "key" | "number">;

type Watched = {
  bots: readonly Bot[];
  /** What is asked for; may grow. */
  wishOf: (request: Request) => Asked | undefined;
  operationOf: (execution: Execution) => Operation | null;
  venue: Venue;
  /** What a bot was held to when this was sent. */
  railsOf: (bot: Bot, execution: Execution) => RailsText;
  /** A clock that goes wrong may be in another day, where a count begins anew. */
  isClockRight: () => boolean;
};

export function watchBots({ bots, wishOf, operationOf, venue, railsOf, isClockRight }: Watched): BotsWatch {
  const books: Book[] = bots.map((bot) => ({
    bot,
    net: 0n,
    traded: 0n,
    taken: new Set(),
    worst: 0n,
    reduced: [],
    beyond: 0n,
    seenFills: 0,
  }));
  const bookOf = new Map<number, Book>();
  const rootOf = new Map<number, number>();
  const increasing = new Set<number>();
  const twaps = new Map<number, Book>();
  const leverages = new Map<string, Leverage>();
  const found: string[] = [];
  const ofDay: string[] = [];
  let seen = 0;
  let most = 0n;
  const prices: Prices = { lowest: 0n, highest: 0n };

  function holderOf({ by }: Pick<Asked, "by">): Book | undefined {
    return books.find(({ bot }) => bot.holders.some((holder) => holder.by === by));
  }

  function notePrices(): void {
    const market = venue.runtime.world.venue.markets.get(ASSET);
    if (market === undefined || market.kind !== "perp") throw new Error("bug: a run without its market");
    const { markPrice, oraclePrice } = market;
    const price = larger(markPrice, oraclePrice);
    if (prices.lowest === 0n || price < prices.lowest) prices.lowest = price;
    if (price > prices.highest) prices.highest = price;
  }

  /** Books what is taken; the orders that this look has to judge. */
  function takeOrders(fresh: readonly Execution[]): Taken[] {
    const placed = fresh.flatMap((execution) => placedBy(execution).map((each) => ({ ...each, execution })));
    return placed.flatMap(({ request, replaces, leg, execution }) => {
      const wish = wishOf(request);
      if (leg === null || wish === undefined || leg.asset !== ASSET) return [];
      const asker = holderOf(wish);
      const replaced = replaces === null ? undefined : bookOf.get(replaces);
      // What replaces an order stands in the books of whoever placed that.
      const book = replaces === null ? asker : replaced;
      const { oid } = leg;
      if (book !== undefined) bookOf.set(oid, book);
      rootOf.set(oid, replaces === null ? oid : (rootOf.get(replaces) ?? replaces));
      if (!request.r) increasing.add(oid);
      const rails = asker === undefined ? null : railsOf(asker.bot, execution);
      return [{ wish, asker, book, request, isModify: replaces !== null, target: replaces, rails }];
    });
  }

  /** The same of TWAPs, which none of the wishes only reduces by; settings of bots are judged at once. */
  function takeOperations(fresh: readonly Execution[]): TakenTwap[] {
    return fresh.flatMap((execution) => {
      const operation = operationOf(execution);
      noteLeverage(execution, operation);
      const asker = operation === null ? undefined : holderOf(operation.wish);
      if (operation === null || asker === undefined) return [];
      const { wish, ask, twapId } = operation;
      const verbs = ask.kind === "twap" ? ["increase", "twap"] : [ask.kind];
      const rails = railsOf(asker.bot, execution);
      for (const verb of verbs.filter((each) => !rails.may.split(",").includes(each)))
        found.push(`${nameOf(asker)} may not ${verb}, and the exchange took ${wish.key}`);
      if (ask.kind !== "twap" || twapId === null) return [];
      twaps.set(twapId, asker);
      return [{ wish, asker, book: asker, size: units(ask.size), rails }];
    });
  }

  function noteLeverage({ signer, atMs, input: { action } }: Execution, operation: Operation | null): void {
    if (action.type !== "updateLeverage") return;
    const name = `${signer} ${action.asset}`;
    const before = leverages.get(name);
    if (operation !== null) leverages.set(name, { leverage: action.leverage, atMs });
    const asker = operation === null ? undefined : holderOf(operation.wish);
    const limit = asker?.bot.rails.maxLeverage ?? "any";
    if (asker === undefined || limit === "any" || action.leverage <= Number(limit)) return;
    // A setting that was lower may have come between what the gateway saw and this.
    if (action.leverage > (before?.leverage ?? START_LEVERAGE) && !isLately(before?.atMs, atMs))
      found.push(`${nameOf(asker)} raised leverage to ${action.leverage}, max ${limit}`);
  }

  function takeFills(book: Book): void {
    const fills = venue.fillsOf(book.bot.party.account.tradingAddress);
    for (const fill of fills.slice(book.seenFills)) {
      const ofTwap = fill.twapId === null ? undefined : twaps.get(fill.twapId);
      if ((bookOf.get(fill.oid) ?? ofTwap) === book) bookFill(book, fill);
    }
    book.seenFills = fills.length;
  }

  function bookFill(book: Book, { oid, size, isBuy, timeMs, twapId }: VenueFill): void {
    const before = book.net;
    book.net += isBuy ? size : -size;
    if (increasing.has(oid) || (twapId !== null && twaps.get(twapId) === book)) {
      book.traded += size;
      return;
    }
    book.reduced.push({ atMs: timeMs, size });
    const sideOf = (net: bigint) => larger(isBuy ? net : -net, 0n);
    book.beyond += sideOf(book.net) - sideOf(before);
  }

  function liveOf(book: Book): Live[] {
    const { openOids } = venue.account(book.bot.party.account.tradingAddress);
    const { orders, twaps: running } = venue.runtime.world.venue;
    const resting = [...openOids].flatMap((oid): Live[] => {
      const order = orders.get(oid);
      if (bookOf.get(oid) !== book || order === undefined || order.reduceOnly) return [];
      return [{ root: String(rootOf.get(oid)), isBuy: order.isBuy, size: order.size }];
    });
    const sliced = [...running.values()].flatMap(({ twapId, isBuy, size, executedSize }): Live[] =>
      twaps.get(twapId) === book ? [{ root: `twap ${twapId}`, isBuy, size: size - executedSize }] : [],
    );
    return [...resting, ...sliced];
  }

  function leverageOf({ bot: { party } }: Book): Leverage | null {
    const set = venue.account(party.account.tradingAddress).leverages.get(ASSET);
    return set === undefined ? null : { ...set, atMs: leverages.get(`${party.agent} ${ASSET}`)?.atMs ?? 0 };
  }

  function judge(book: Book, increase: Increase): void {
    const live = liveOf(book);
    const judged = { book, live, prices, nowMs: venue.nowMs(), rails: increase.rails };
    found.push(...auditIncrease(judged, increase), ...auditCount(judged, new Set(live.map(({ root }) => root)).size));
    found.push(...auditLeverage(judged, increase, leverageOf(book)));
    ofDay.push(...auditDay(judged));
  }

  notePrices();
  return {
    look() {
      notePrices();
      const fresh = venue.log.slice(seen);
      seen = venue.log.length;
      const taken = takeOrders(fresh);
      const sliced = takeOperations(fresh);
      for (const book of books) {
        takeFills(book);
        const worst = worstOf(book, liveOf(book));
        const isTaken = [...taken, ...sliced].some((each) => each.book === book);
        if (!isTaken && worst > book.worst + book.beyond)
          found.push(`the worst of ${nameOf(book)} grew from ${book.worst} to ${worst}, and nothing was taken of it`);
        book.worst = worst;
        book.beyond = 0n;
        most = larger(most, worst * prices.lowest);
      }
      for (const each of taken) {
        const { asker, book, rails } = each;
        if (asker === undefined || rails === null) continue;
        found.push(...auditVerb(asker, rails, each));
        if (each.request.r) continue;
        asker.taken.add(each.wish.number);
        if (book !== asker) {
          found.push(`${nameOf(asker)} increased what is not its own by ${each.wish.key}`);
          continue;
        }
        const { request } = each;
        const isFar = isTooFar(rails.maxDistance, { request, prices });
        judge(book, { key: each.wish.key, size: units(request.s), price: units(request.p), isFar, rails });
      }
      for (const { asker, wish, size, rails } of sliced) {
        asker.taken.add(wish.number);
        const { maxDistance } = rails;
        const isFar = maxDistance !== "any" && Number(maxDistance.replace(" %", "")) < SLICE_SLIPPAGE_PERCENT;
        judge(asker, { key: wish.key, size, price: 0n, isFar, rails });
      }
    },
    findings: () => [...found, ...(isClockRight() ? ofDay : [])],
    most: () => most,
    netOf(by) {
      const book = holderOf({ by });
      if (book === undefined) return null;
      takeFills(book);
      return book.net;
    },
  };
}

type Request = OrderRequest;
type Taken = {
  wish: Asked;
  /** Undefined for a plain key. */
  asker: Book | undefined;
  /** In whose books it stands; undefined for nobody's. */
  book: Book | undefined;
  request: Request;
  isModify: boolean;
  target: number | null;
  /** What the asker was held to when it was sent; null for a plain key. */
  rails: RailsText | null;
};

type TakenTwap = { wish: Asked; asker: Book; book: Book; size: bigint; rails: RailsText };

/** What increases and lives. `root`: the same of what replaces one another. */
type Live = { root: string; isBuy: boolean; size: bigint };
type Leverage = { leverage: number; atMs: number };
/** `price`: its limit; 0 for one whose slices take what comes. `isFar`: beyond the bot's distance. */
type Increase = { key: string; size: bigint; price: bigint; isFar: boolean; rails: RailsText };

/** What a market is set to before anybody sets it: its largest, at most this. */
const START_LEVERAGE = 20;
const SLICE_SLIPPAGE_PERCENT = 3;

function nameOf({ bot }: Book): string {
  return `bot ${bot.rails.bot} of ${bot.party.account.label}`;
}

function worstOf({ net }: Book, live: readonly Live[]): bigint {
  const side = (isBuy: boolean) =>
    live.filter((order) => order.isBuy === isBuy).reduce((sum, { size }) => sum + size, 0n);
  // What only reduces may be filled first: what is held on the other side makes no room.
  return larger(larger(net, 0n) + side(true), larger(-net, 0n) + side(false));
}

function auditVerb(asker: Book, rails: RailsText, { wish, request, isModify, book }: Taken): string[] {
  const verbs = [request.r ? "reduce" : "increase", ...(isModify ? ["modify"] : [])];
  const missing = verbs.filter((verb) => !rails.may.split(",").includes(verb));
  const isOthers = isModify && rails.touches === "own" && book !== asker;
  const isElsewhere = !request.r && rails.markets !== "any" && !rails.markets.split(",").includes(MARKET);
  return [
    ...(isElsewhere ? [`${nameOf(asker)} may not increase in ${MARKET}, and the exchange took ${wish.key}`] : []),
    ...missing.map((verb) => `${nameOf(asker)} may not ${verb}, and the exchange took ${wish.key}`),
    ...(isOthers ? [`${nameOf(asker)} changed another's order by ${wish.key}`] : []),
  ];
}

type Judged = { book: Book; live: readonly Live[]; prices: Prices; nowMs: number; rails: RailsText };

/** What increases is taken within this after it was judged, milliseconds. */
const TAKEN_WITHIN_MS = 30_000;

/**
 * Reductions pass a bot's size whatever is out, so one that is filled while an increase of that side is on its way has moved the net
 * towards it.
 */
function reducedMeanwhile({ reduced }: Book, nowMs: number): bigint {
  return reduced.filter(({ atMs }) => atMs >= nowMs - TAKEN_WITHIN_MS).reduce((sum, { size }) => sum + size, 0n);
}

function auditIncrease({ book, prices, nowMs, rails }: Judged, { key, size, price, isFar }: Increase): string[] {
  const name = `${nameOf(book)}, when ${key} was taken:`;
  const order = size * larger(price, prices.lowest);
  const position = (book.worst - reducedMeanwhile(book, nowMs)) * prices.lowest;
  const limits = [
    ["max_order", rails.maxOrder, order],
    ["max_position", rails.maxPosition, position],
    // All markets of a bot are one here.
    ["max_exposure", rails.maxExposure, position],
  ] as const;
  return [
    ...limits.flatMap(([rail, limit, use]) => (isAbove(use, limit) ? [`${name} ${rail} ${limit}, use ${use}`] : [])),
    ...(isFar ? [`${name} max_distance ${rails.maxDistance}`] : []),
  ];
}

/** By what is set at the exchange, unless that has been set while the order was on its way. */
function auditLeverage({ book, nowMs, rails }: Judged, { key }: Increase, set: Leverage | null): string[] {
  const { maxLeverage } = rails;
  if (set === null || maxLeverage === "any" || set.leverage <= Number(maxLeverage) || isLately(set.atMs, nowMs))
    return [];
  return [`${nameOf(book)}, when ${key} was taken: max_leverage ${maxLeverage}, set ${set.leverage}`];
}

function isLately(atMs: number | undefined, nowMs: number): boolean {
  return atMs !== undefined && atMs > nowMs - TAKEN_WITHIN_MS;
}

function auditCount({ book, rails }: Judged, open: number): string[] {
  const { maxOpenOrders } = rails;
  return maxOpenOrders !== "any" && open > Number(maxOpenOrders)
    ? [`${nameOf(book)} has ${open} orders that increase, and may have ${maxOpenOrders}`]
    : [];
}

function auditDay({ book, live, prices, rails }: Judged): string[] {
  const { maxTurnoverPerDay, maxActionsPerDay } = rails;
  const turnover = (book.traded + live.reduce((sum, { size }) => sum + size, 0n)) * (prices.lowest - BELOW_MARK);
  const isMany = maxActionsPerDay !== "any" && book.taken.size > Number(maxActionsPerDay);
  return [
    ...(isAbove(turnover, maxTurnoverPerDay) ? [`${nameOf(book)} trades ${turnover}, max ${maxTurnoverPerDay}`] : []),
    ...(isMany ? [`${nameOf(book)} increased ${book.taken.size} times, max ${maxActionsPerDay}`] : []),
  ];
}

/** Others trade this far below the mark, in 10^-8 dollars: a fill counts at its own price. */
const BELOW_MARK = 1_000n * ONE;

/** Both in 10^-16 dollars. */
function isAbove(use: bigint, limit: string): boolean {
  return limit !== "any" && use > units(limit.replace(" USD", "")) * ONE;
}

/** What waits for a trigger is held to a distance from that, and is left out. */
function isTooFar(limit: string, { request, prices }: { request: Request; prices: Prices }): boolean {
  if (limit === "any" || "trigger" in request.t) return false;
  const share = units(limit.replace(" %", ""));
  const [price, hundred] = [units(request.p), 100n * ONE];
  if (request.b) return price * hundred > prices.highest * (hundred + share);
  return price * hundred < prices.lowest * (hundred - share);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
