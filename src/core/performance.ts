/**
 * Who has made what: fills and funding of an account, booked for the keys that they belong to, at average cost. Whatever is cut
 * in dividing stays in the books, so that all lines together are just the account's.
 */
import {
  absolute,
  add,
  compare,
  type Decimal,
  divide,
  isNegative,
  isZero,
  multiply,
  negate,
  subtract,
  ZERO,
} from "./decimal.ts";
import { isPaidInKind } from "./market.ts";
import type { Side } from "./order.ts";
import { signedSize } from "./signed-size.ts";

/** The key of what belongs to nobody: traded elsewhere, liquidated, or from before anything was indexed. */
export const NOBODY = "";

/** What is held, and what that has cost in units of the quote; both negative for a short. */
export type Held = { size: Decimal; cost: Decimal };

export type HeldBy = Held & { market: string; keyHash: string };

export type Figures = {
  fills: number;
  /** Price times size of them, in units of the quote, as all that follows. */
  volume: Decimal;
  /** The builder's part included; negative is a rebate. */
  fees: Decimal;
  builderFees: Decimal;
  /** Negative where it was paid. */
  funding: Decimal;
  /** Without fees. */
  realizedPnl: Decimal;
};

export const NO_FIGURES: Figures = {
  fills: 0,
  volume: ZERO,
  fees: ZERO,
  builderFees: ZERO,
  funding: ZERO,
  realizedPnl: ZERO,
};

/** Days since 1970. */
export type Line = Figures & { day: number; market: string; keyHash: string };

export type OwnedFill = {
  timeMs: number;
  market: string;
  /** Of the key that it belongs to, or `NOBODY`. */
  keyHash: string;
  side: Side;
  price: Decimal;
  size: Decimal;
  fee: Decimal;
  feeToken: string;
  builderFee: Decimal | null;
  /** Of the account, before it; negative is short. */
  startPosition: Decimal;
};

export type PaidFunding = { timeMs: number; market: string; amount: Decimal; position: Decimal };

/** Digits behind the point of what has to be divided. */
const SHARE_DECIMALS = 8;
const DAY_MS = 86_400_000;

export function sumFigures(a: Figures, b: Figures): Figures {
  return {
    fills: a.fills + b.fills,
    volume: add(a.volume, b.volume),
    fees: add(a.fees, b.fees),
    builderFees: add(a.builderFees, b.builderFees),
    funding: add(a.funding, b.funding),
    realizedPnl: add(a.realizedPnl, b.realizedPnl),
  };
}

/** What it would bring to sell, or cost to buy back, at this mark. */
export function unrealizedPnl({ size, cost }: Held, mark: Decimal): Decimal {
  return subtract(multiply(size, mark), cost);
}

/** One trade at average cost: the part that closes realises, the rest adds. */
export function traded(held: Held, signed: Decimal, price: Decimal): { held: Held; realizedPnl: Decimal } {
  const isClosing = !isZero(held.size) && isNegative(held.size) !== isNegative(signed);
  if (!isClosing) return { held: grown(held, signed, price), realizedPnl: ZERO };
  const isWhole = compare(absolute(signed), absolute(held.size)) >= 0;
  const closing = isWhole ? negate(held.size) : signed;
  const costOfIt = isWhole
    ? held.cost
    : divide(multiply(held.cost, absolute(closing)), absolute(held.size), SHARE_DECIMALS);
  const left = { size: add(held.size, closing), cost: subtract(held.cost, costOfIt) };
  const realizedPnl = subtract(negate(multiply(closing, price)), costOfIt);
  return { held: grown(left, subtract(signed, closing), price), realizedPnl };
}

function grown({ size, cost }: Held, signed: Decimal, price: Decimal): Held {
  return { size: add(size, signed), cost: add(cost, multiply(signed, price)) };
}

export type BookedLines = {
  /** What has changed of what is held. */
  held: HeldBy[];
  lines: Line[];
};

/**
 * Books what has happened since `before`. Both lists oldest first; of one moment funding comes before fills. Fills of one moment
 * are put in the order in which they follow on one another. A position that no known fill explains is nobody's, at
 * the price of the fill that shows it.
 */
export function book(
  before: readonly HeldBy[],
  { fills, payments }: { fills: readonly OwnedFill[]; payments: readonly PaidFunding[] },
): BookedLines {
  const books = openBooks(before);
  let paid = 0;
  for (const moment of momentsOf(fills)) {
    const atMs = moment[0]?.timeMs ?? 0;
    for (; (payments[paid]?.timeMs ?? Number.POSITIVE_INFINITY) <= atMs; paid += 1) share(books, payments[paid]);
    for (const fill of inOrder(moment, books.position(moment[0]?.market ?? ""))) bookFill(books, fill);
  }
  for (const payment of payments.slice(paid)) share(books, payment);
  return books.result();
}

type OpenBooks = ReturnType<typeof openBooks>;

function openBooks(before: readonly HeldBy[]) {
  const markets = new Map<string, Map<string, Held>>();
  const changed = new Map<string, HeldBy>();
  const lines = new Map<string, Line>();
  for (const { market, keyHash, size, cost } of before) holdersOf(market).set(keyHash, { size, cost });

  function holdersOf(market: string): Map<string, Held> {
    const known = markets.get(market) ?? new Map<string, Held>();
    markets.set(market, known);
    return known;
  }

  return {
    holders: (market: string): ReadonlyMap<string, Held> => holdersOf(market),
    position: (market: string) => [...holdersOf(market).values()].reduce((sum, { size }) => add(sum, size), ZERO),
    held: (market: string, keyHash: string): Held => holdersOf(market).get(keyHash) ?? { size: ZERO, cost: ZERO },
    put(market: string, keyHash: string, held: Held): void {
      holdersOf(market).set(keyHash, held);
      changed.set(`${market} ${keyHash}`, { market, keyHash, ...held });
    },
    add(of: { timeMs: number; market: string; keyHash: string }, figures: Partial<Figures>): void {
      const { market, keyHash } = of;
      const day = Math.floor(of.timeMs / DAY_MS);
      const name = `${day} ${market} ${keyHash}`;
      const known = lines.get(name) ?? NO_FIGURES;
      lines.set(name, { day, market, keyHash, ...sumFigures(known, { ...NO_FIGURES, ...figures }) });
    },
    result: (): BookedLines => ({ held: [...changed.values()], lines: [...lines.values()] }),
  };
}

/** Of one time and market each. */
function momentsOf(fills: readonly OwnedFill[]): OwnedFill[][] {
  return [...Map.groupBy(fills, ({ timeMs }) => timeMs).values()].flatMap((ofTime) => [
    ...Map.groupBy(ofTime, ({ market }) => market).values(),
  ]);
}

/** Each that follows on the position which the one before has left; where none does, one that follows on none of the others. */
function inOrder(moment: readonly OwnedFill[], position: Decimal): OwnedFill[] {
  const rest = [...moment];
  const ordered: OwnedFill[] = [];
  let standing = position;
  while (rest.length > 0) {
    const found = rest.findIndex(({ startPosition }) => startPosition === standing);
    const [next] = rest.splice(found === -1 ? firstOf(rest) : found, 1);
    if (next === undefined) break;
    ordered.push(next);
    standing = endOf(next);
  }
  return ordered;
}

function firstOf(fills: readonly OwnedFill[]): number {
  const ends = new Set(fills.map(endOf));
  return Math.max(
    0,
    fills.findIndex(({ startPosition }) => !ends.has(startPosition)),
  );
}

function endOf(fill: OwnedFill): Decimal {
  return add(fill.startPosition, movedBy(fill));
}

/** What is bought on spot is paid for in what was bought: so much less of it is held. */
function movedBy(fill: OwnedFill): Decimal {
  const size = isPaidInKind(fill) ? subtract(fill.size, fill.fee) : fill.size;
  return signedSize(fill.side, size);
}

function bookFill(books: OpenBooks, fill: OwnedFill): void {
  const { market, keyHash, price, size, fee, builderFee, startPosition } = fill;
  const unexplained = subtract(startPosition, books.position(market));
  if (!isZero(unexplained)) trade(books, { ...fill, keyHash: NOBODY }, unexplained);
  trade(books, fill, movedBy(fill));
  const inQuote = (amount: Decimal) => (isPaidInKind(fill) ? multiply(amount, price) : amount);
  const fees = inQuote(fee);
  const builderFees = inQuote(builderFee ?? ZERO);
  books.add({ timeMs: fill.timeMs, market, keyHash }, { fills: 1, volume: multiply(price, size), fees, builderFees });
}

function trade(books: OpenBooks, { timeMs, market, keyHash, price }: OwnedFill, signed: Decimal): void {
  const { held, realizedPnl } = traded(books.held(market, keyHash), signed, price);
  books.put(market, keyHash, held);
  books.add({ timeMs, market, keyHash }, { realizedPnl });
}

/** Each pays for its own net, whatever side that is on; what no key holds is nobody's. */
function share(books: OpenBooks, payment: PaidFunding | undefined): void {
  if (payment === undefined) return;
  const { timeMs, market, amount, position } = payment;
  const holders = [...books.holders(market)].filter(([keyHash, { size }]) => keyHash !== NOBODY && !isZero(size));
  let rest = amount;
  let unheld = position;
  for (const [keyHash, { size }] of isZero(position) ? [] : holders) {
    const funding = divide(multiply(amount, size), position, SHARE_DECIMALS);
    books.add({ timeMs, market, keyHash }, { funding });
    rest = subtract(rest, funding);
    unheld = subtract(unheld, size);
  }
  if (isZero(rest)) return;
  // Where keys hold all of it, what was cut belongs to the largest of them.
  const [largest] = holders.toSorted(([, a], [, b]) => compare(absolute(b.size), absolute(a.size)));
  const isCut = isZero(unheld) && !isZero(position) && largest !== undefined;
  books.add({ timeMs, market, keyHash: isCut ? largest[0] : NOBODY }, { funding: rest });
}
