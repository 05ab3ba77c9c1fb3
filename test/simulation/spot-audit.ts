/**
 * What bots come to on spot by the exchange's own books, looked at after each action: a purchase fits its rails with all that is out, and a
 * sale is of what the bot has bought. A size is valued at what the purchase itself may cost, or at the lowest mark that there was.
 */
import type { RailsText } from "../../src/core/rails/rails.ts";
import type { OrderRequest } from "../../src/paper/engine/action.ts";
import type { Bot } from "./bots.ts";
import type { SentWhen } from "./sent-when.ts";
import { SPOT_ASSET, SPOT_BEFORE_MS, SPOT_MARKET } from "./spot.ts";
import { placedBy, units, type WishOf } from "./truth.ts";
import type { Execution, Venue } from "./venue.ts";
import type { Wish } from "./wishes.ts";

export type SpotWatch = {
  /** To be called after each action that the exchange has executed, and after each price. */
  look(venue: Venue, wishOf: WishOf): void;
  findings(about: { deathsAtMs: readonly number[]; isClockRight: boolean }): string[];
};

type Parts = {
  bots: readonly Bot[];
  railsOf: (bot: Bot, execution: Execution) => RailsText;
  sentWhen: SentWhen;
};

/** Sizes in 10^-8. `cost`: of all that was bought, in 10^-16 dollars. */
type Book = { bot: Bot; bought: bigint; sold: bigint; cost: bigint; worst: bigint; seenFills: number };

const ONE = 100_000_000n;

export function openSpotWatch({ bots, railsOf, sentWhen }: Parts): SpotWatch {
  const books = bots.map((bot): Book => ({ bot, bought: 0n, sold: 0n, cost: 0n, worst: 0n, seenFills: 0 }));
  const bookOf = new Map<number, Book>();
  const found: string[] = [];
  const ofDay: string[] = [];
  const purchases: { asker: Book; key: string; sentAtMs: number }[] = [];
  const prices = { lowest: 0n, highest: 0n };
  let seen = 0;

  function notePrices(venue: Venue): void {
    const price = venue.runtime.world.venue.markets.get(SPOT_ASSET)?.markPrice ?? 0n;
    if (prices.lowest === 0n || price < prices.lowest) prices.lowest = price;
    if (price > prices.highest) prices.highest = price;
  }

  function take(venue: Venue, wishOf: WishOf): Taken[] {
    const fresh = venue.log.slice(seen);
    seen = venue.log.length;
    return fresh.flatMap((execution) =>
      placedBy(execution).flatMap(({ request, replaces, leg }): Taken[] => {
        const wish = leg?.asset === SPOT_ASSET ? wishOf(request) : undefined;
        if (leg === null || wish === undefined) return [];
        const asker = books.find(({ bot }) => bot.holders.some(({ by }) => by === wish.by));
        const book = replaces === null ? asker : bookOf.get(replaces);
        if (book !== undefined) bookOf.set(leg.oid, book);
        return [{ execution, request, wish, asker, book, isModify: replaces !== null }];
      }),
    );
  }

  function takeFills(venue: Venue, book: Book): void {
    const fills = venue.fillsOf(book.bot.party.account.tradingAddress);
    for (const { oid, size, price, isBuy } of fills.slice(book.seenFills)) {
      if (bookOf.get(oid) !== book) continue;
      if (isBuy) book.cost += size * price;
      book[isBuy ? "bought" : "sold"] += size;
    }
    book.seenFills = fills.length;
  }

  /** What is out of a bot, by side. */
  function outOf({ runtime: { world } }: Venue, book: Book): { buys: bigint; sells: bigint; count: number } {
    const live = [...world.venue.orders.values()].filter(({ oid }) => bookOf.get(oid) === book);
    const sum = (isBuy: boolean) =>
      live.filter((order) => order.isBuy === isBuy).reduce((all, { size }) => all + size, 0n);
    return { buys: sum(true), sells: sum(false), count: live.filter(({ isBuy }) => isBuy).length };
  }

  function worstOf(venue: Venue, book: Book): bigint {
    const net = book.bought - book.sold;
    return (net > 0n ? net : 0n) + outOf(venue, book).buys;
  }

  function judge(venue: Venue, taken: Taken): void {
    const { execution, request, wish, asker, book, isModify } = taken;
    if (asker === undefined) return;
    const rails = railsOf(asker.bot, execution);
    const name = `bot ${asker.bot.rails.bot} of ${asker.bot.party.account.label}, when ${wish.key} was taken on spot:`;
    const fail = (what: string) => void found.push(`${name} ${what}`);
    const verbs = [request.b ? "increase" : "reduce", ...(isModify ? ["modify"] : [])];
    for (const verb of verbs) if (!rails.may.split(",").includes(verb)) fail(`may not ${verb}`);
    if (isFar(rails.maxDistance, request, prices)) fail(`max_distance ${rails.maxDistance}`);
    if (!request.b && rails.touches === "all") return;
    if (book !== asker) fail("it is not its own");
    if (request.b) {
      const sentAtMs = sentWhen(execution);
      const isOvertaken = purchases.some((each) => each.asker === asker && each.sentAtMs > sentAtMs);
      purchases.push({ asker, key: wish.key, sentAtMs });
      judgePurchase({ venue, asker, request, rails, isOvertaken }, fail);
      return;
    }
    const { sells } = outOf(venue, asker);
    const own = asker.bought - asker.sold;
    if (sells > own) fail(`${sells} are out to be sold, with this, and ${own} are its own`);
  }

  function judgePurchase({ venue, asker, request, rails, isOvertaken }: Purchase, fail: (what: string) => void): void {
    if (!rails.markets.split(",").includes(SPOT_MARKET)) fail(`markets ${rails.markets}`);
    const price = units(request.p) > prices.lowest ? units(request.p) : prices.lowest;
    const { buys, count } = outOf(venue, asker);
    // What was signed after it and came first was judged at its own price, with this one beside it.
    const worst = asker.worst * (isOvertaken ? prices.lowest : price);
    const limits = [
      ["max_order", rails.maxOrder, units(request.s) * price],
      ["max_position", rails.maxPosition, worst],
      ["max_exposure", rails.maxExposure, worst],
    ] as const;
    for (const [rail, limit, use] of limits) if (isAbove(use, limit)) fail(`${rail} ${limit}, use ${use}`);
    const turnover = asker.cost + buys * prices.lowest;
    const { maxTurnoverPerDay, maxOpenOrders } = rails;
    if (isAbove(turnover, maxTurnoverPerDay)) ofDay.push(`${asker.bot.rails.bot} trades ${turnover} on spot`);
    if (maxOpenOrders !== "any" && count > Number(maxOpenOrders))
      fail(`max_open_orders ${maxOpenOrders}, use ${count}`);
  }

  return {
    look(venue, wishOf) {
      notePrices(venue);
      const taken = take(venue, wishOf);
      for (const book of books) {
        takeFills(venue, book);
        const worst = worstOf(venue, book);
        const isTaken = taken.some((each) => each.book === book && each.request.b);
        if (worst > book.worst && !isTaken)
          found.push(`the worst of bot ${book.bot.rails.bot} on spot grew from ${book.worst} to ${worst} by nothing`);
        book.worst = worst;
      }
      for (const each of taken) judge(venue, each);
    },
    findings: ({ deathsAtMs, isClockRight }) => [
      ...found,
      ...(isClockRight ? ofDay : []),
      ...purchases.flatMap((each) => auditFollowed(each, deathsAtMs)),
    ],
  };
}

type Taken = {
  execution: Execution;
  request: OrderRequest;
  wish: Wish;
  /** Undefined for a plain key. */
  asker: Book | undefined;
  /** In whose books it stands. */
  book: Book | undefined;
  isModify: boolean;
};
type Purchase = { venue: Venue; asker: Book; request: OrderRequest; rails: RailsText; isOvertaken: boolean };

/** A process follows a market for so long before it knows its price of ten minutes, milliseconds. */
const FOLLOWED_MS = 5 * 60_000;

/** Without its price of ten minutes nothing is bought, and whoever starts anew does not know it. */
function auditFollowed({ key, sentAtMs }: { key: string; sentAtMs: number }, deathsAtMs: readonly number[]): string[] {
  const bornAtMs = deathsAtMs.findLast((atMs) => atMs <= sentAtMs) ?? -SPOT_BEFORE_MS;
  if (sentAtMs - bornAtMs >= FOLLOWED_MS) return [];
  return [`${key} bought on spot at ${sentAtMs}, by a gateway that had followed it since ${bornAtMs}`];
}

/** Both in 10^-16 dollars. */
function isAbove(use: bigint, limit: string): boolean {
  return limit !== "any" && use > units(limit.replace(" USD", "")) * ONE;
}

function isFar(
  limit: string,
  { b, p }: OrderRequest,
  { lowest, highest }: { lowest: bigint; highest: bigint },
): boolean {
  if (limit === "any") return false;
  const [price, share, hundred] = [units(p), units(limit.replace(" %", "")), 100n * ONE];
  return b ? price * hundred > highest * (hundred + share) : price * hundred < lowest * (hundred - share);
}
