/**
 * Who has made what, worked out from the exchange's own log: money that went and came, what is held, and nothing of average cost.
 * Sizes, prices and fees are counts of 10^-8, money of 10^-16.
 */
import type { OrderRequest } from "../../src/paper/engine/action.ts";
import type { VenueFill } from "../../src/paper/engine/state.ts";
import { placedBy } from "../simulation/truth.ts";
import type { Venue } from "../simulation/venue.ts";

/** Hash of a key; empty for nobody. */
export type Whose = string;
export const NOBODY: Whose = "";

export type Book = {
  fills: number;
  volume: bigint;
  fees: bigint;
  /** What was received less what was paid for what is held, without fees and funding. */
  cash: bigint;
  size: bigint;
  /** Cut to 10^-8 for each payment. */
  funding: bigint;
};

export type Books = {
  /** By `market key`. */
  books: ReadonlyMap<string, Book>;
  /** Of each fill, in the exchange's order. */
  whose: readonly { fill: VenueFill; whose: Whose }[];
  /** Payments of funding that were shared. */
  payments: number;
};

export const ONE = 100_000_000n;

/** What the clients know of whose an order is: by what it says, or by the id that they were answered. */
export type Known = { ofRequest(request: Asked): Whose | undefined; ofOid(oid: number): Whose | undefined };
type Asked = Pick<OrderRequest, "a" | "s"> & Partial<Pick<OrderRequest, "t">>;

/** Whose each order and each TWAP of the log is. What a modify puts in an order's place is whose that was. */
function ownersOf(venue: Venue, { ofRequest, ofOid }: Known) {
  const orders = new Map<number, Whose>();
  const twaps = new Map<number, Whose>();
  for (const execution of venue.log) {
    for (const { request, replaces, leg } of placedBy(execution)) {
      if (leg === null) continue;
      const replaced = replaces === null ? undefined : orders.get(replaces);
      const whose = replaced ?? ofOid(leg.oid) ?? ofRequest(request);
      if (whose === undefined) throw new Error(`an order that nobody asked for: ${JSON.stringify(request)}`);
      orders.set(leg.oid, whose);
    }
    const { input, reply } = execution;
    if (input.action.type !== "twapOrder" || reply.status !== "ok" || reply.response.type !== "twapOrder") continue;
    const { status } = reply.response.data;
    const { a, s } = input.action.twap;
    const whose = ofRequest({ a, s });
    if ("running" in status && whose !== undefined) twaps.set(status.running.twapId, whose);
  }
  return ({ oid, twapId }: VenueFill): Whose =>
    orders.get(oid) ?? (twapId === null ? undefined : twaps.get(twapId)) ?? NOBODY;
}

function bookIn(books: Map<string, Book>, market: string, whose: Whose): Book {
  const name = `${market} ${whose}`;
  const known = books.get(name) ?? { fills: 0, volume: 0n, fees: 0n, cash: 0n, size: 0n, funding: 0n };
  books.set(name, known);
  return known;
}

/** A buy on spot is paid for in what was bought. */
function isPaidInKind({ feeToken, isBuy, asset }: VenueFill): boolean {
  return asset >= FIRST_SPOT_ASSET && isBuy && feeToken !== "USDC";
}
const FIRST_SPOT_ASSET = 10_000;

export function readBooks(venue: Venue, user: string, known: Known): Books {
  const { fills, fundings } = venue.account(user);
  const ownerOf = ownersOf(venue, known);
  const books = new Map<string, Book>();
  const held = new Map<string, bigint>();
  const whose = fills.map((fill) => ({ fill, whose: ownerOf(fill) }));
  let paid = 0;

  function pay(untilMs: number): void {
    for (let next = fundings[paid]; next !== undefined && isDue(next, untilMs); next = fundings[paid]) {
      share(books, next);
      paid += 1;
    }
  }

  // What is paid at the moment of a fill was paid for what was held before it, or after: the payment says for how much.
  function isDue({ timeMs, coin, size }: (typeof fundings)[number], atMs: number): boolean {
    return timeMs < atMs || (timeMs === atMs && (held.get(coin) ?? 0n) === size);
  }

  for (const { fill, whose: owner } of whose) {
    pay(fill.timeMs);
    const { coin, price, size, isBuy, fee, startPosition } = fill;
    const unexplained = startPosition - (held.get(coin) ?? 0n);
    if (unexplained !== 0n) move(bookIn(books, coin, NOBODY), unexplained, price);
    const inKind = isPaidInKind(fill);
    const signed = isBuy ? size - (inKind ? fee : 0n) : -size;
    const book = bookIn(books, coin, owner);
    move(book, signed, price);
    book.fills += 1;
    book.volume += price * size;
    book.fees += fee * (inKind ? price : ONE);
    held.set(coin, startPosition + signed);
  }
  pay(Number.POSITIVE_INFINITY);
  return { books, whose, payments: paid };
}

function move(book: Book, signed: bigint, price: bigint): void {
  book.cash -= signed * price;
  book.size += signed;
}

/** To each by what it holds of its own; what no key holds is nobody's. */
function share(books: Map<string, Book>, { coin, usdc, size }: { coin: string; usdc: bigint; size: bigint }): void {
  let rest = usdc;
  for (const [name, book] of books) {
    const [market, whose] = name.split(" ");
    if (market !== coin || whose === NOBODY || book.size === 0n) continue;
    const part = (usdc * book.size) / size;
    book.funding += part * ONE;
    rest -= part;
  }
  bookIn(books, coin, NOBODY).funding += rest * ONE;
}
