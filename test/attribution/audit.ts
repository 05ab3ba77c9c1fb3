/** What the gateway says that each key has made, held against the exchange's log: to the digit, and together against the account. */
import type { Venue } from "../simulation/venue.ts";
import { type Book, type Books, NOBODY, ONE } from "./books-from-the-log.ts";

export type Line = {
  market: string;
  key_hash: string | null;
  fills: number;
  volume: string;
  fees: string;
  funding: string;
  realized_pnl: string;
  net_pnl: string;
};
export type Position = {
  market: string;
  key_hash: string | null;
  size: string;
  mark_price: string | null;
  unrealized_pnl: string | null;
};
export type Told = {
  lines: readonly Line[];
  positions: readonly Position[];
  /** The same lines, by day. */
  days: readonly Line[];
  fills: readonly { id: string; exchange_order_id: string; size: string; price: string; key_hash: string | null }[];
};

export type Audit = {
  venue: Venue;
  user: string;
  /** Worth of the account before anything was traded, 10^-16 dollars. */
  worthBefore: bigint;
  books: Books;
  told: Told;
  /** The gateway's name of a market, to the exchange's. */
  coinOf(market: string): string;
};

const DECIMALS = 16;

/** Decimal text in 10^-16; more digits than that nobody has. */
export function money(text: string): bigint {
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  if (fraction.length > DECIMALS) throw new Error(`${text} has more digits than money has`);
  const value = BigInt(whole) * 10n ** BigInt(DECIMALS) + BigInt(fraction.padEnd(DECIMALS, "0"));
  return text.startsWith("-") ? -value : value;
}

const EMPTY: Book = { fills: 0, volume: 0n, fees: 0n, cash: 0n, size: 0n, funding: 0n };

export function auditAttribution(audit: Audit): string[] {
  return [...auditBooks(audit), ...auditDays(audit.told), ...auditFills(audit), ...auditAccount(audit)];
}

function nameOf({ coinOf }: Audit, { market, key_hash: hash }: { market: string; key_hash: string | null }): string {
  return `${coinOf(market)} ${hash ?? NOBODY}`;
}

function auditBooks(audit: Audit): string[] {
  const { books, payments } = audit.books;
  const lines = new Map(audit.told.lines.map((line) => [nameOf(audit, line), line]));
  const positions = new Map(audit.told.positions.map((position) => [nameOf(audit, position), position]));
  const names = new Set([...books.keys(), ...lines.keys(), ...positions.keys()]);
  return [...names].flatMap((name) => {
    const book = books.get(name) ?? EMPTY;
    const [line, position] = [lines.get(name), positions.get(name)];
    const told = (text: string | undefined | null) => money(text ?? "0");
    const mark = told(position?.mark_price) / ONE;
    // Whatever the average cost: what was made and what is held is worth what came in, and what it would bring now.
    const worth = told(line?.realized_pnl) + told(position?.unrealized_pnl);
    const net = told(line?.realized_pnl) + told(line?.funding) - told(line?.fees);
    const figures: [string, bigint, bigint][] = [
      ["fills", BigInt(line?.fills ?? 0), BigInt(book.fills)],
      ["volume", told(line?.volume), book.volume],
      ["fees", told(line?.fees), book.fees],
      ["size", told(position?.size), book.size * ONE],
      ["realised and unrealised profit", worth, book.cash + book.size * mark],
      ["net profit", told(line?.net_pnl), net],
    ];
    // Shares are cut, and what was cut is somebody's.
    const most = BigInt(payments) * BigInt(names.size) * ONE;
    const off = told(line?.funding) - book.funding;
    return [
      ...figures.flatMap(([what, said, is]) => (said === is ? [] : [`${name}: ${what} ${said}, and is ${is}`])),
      ...(off > most || off < -most ? [`${name}: funding ${line?.funding}, and is ${book.funding}`] : []),
    ];
  });
}

/** Days of a key and market add up to all of it. */
function auditDays({ lines, days }: Told): string[] {
  const sumOf = (of: readonly Line[], what: "volume" | "fees" | "funding" | "realized_pnl" | "net_pnl") =>
    of.reduce((sum, line) => sum + money(line[what]), 0n);
  return lines.flatMap((line) => {
    const own = days.filter(({ market, key_hash: hash }) => market === line.market && hash === line.key_hash);
    const kinds = ["volume", "fees", "funding", "realized_pnl", "net_pnl"] as const;
    return kinds
      .filter((what) => sumOf(own, what) !== money(line[what]))
      .map((what) => `${line.market} ${line.key_hash}: days do not add up to its ${what} ${line[what]}`);
  });
}

/** Each fill is told once, as its own key's. */
function auditFills({ books, told }: Audit): string[] {
  const named = (of: { oid: string; size: bigint; price: bigint; whose: string }) =>
    `${of.oid} ${of.size} at ${of.price} of ${of.whose === NOBODY ? "nobody" : of.whose}`;
  const is = books.whose.map(({ fill: { oid, size, price }, whose }) => named({ oid: `${oid}`, size, price, whose }));
  const said = told.fills.map((fill) =>
    named({
      oid: fill.exchange_order_id,
      size: money(fill.size) / ONE,
      price: money(fill.price) / ONE,
      whose: fill.key_hash ?? NOBODY,
    }),
  );
  const [one, other] = [is.toSorted(), said.toSorted()];
  const wrong = one.flatMap((text, at) => (text === other[at] ? [] : [`fill ${text}, told ${other[at]}`])).slice(0, 3);
  return one.length === other.length ? wrong : [`${one.length} fills, told ${other.length}`, ...wrong];
}

/** Perpetuals of every dex at their marks, and tokens, 10^-16 dollars; `marks`: by coin, 10^-8. */
export function worthOf(venue: Venue, user: string, marks: ReadonlyMap<string, bigint>): bigint {
  const { cash, positions, spot } = venue.account(user);
  const { markets } = venue.runtime.world.venue;
  let worth = [...cash.values()].reduce((sum, value) => sum + value * ONE, 0n);
  for (const [asset, { size, signedEntry, isolatedMargin }] of positions) {
    const mark = marks.get(markets.get(asset)?.coin ?? "") ?? 0n;
    worth += size * mark - signedEntry * ONE + isolatedMargin * ONE;
  }
  for (const market of markets.values()) {
    if (market.kind !== "spot") continue;
    worth += (spot.get(market.baseToken)?.total ?? 0n) * (marks.get(market.coin) ?? 0n);
  }
  return worth + (spot.get(0)?.total ?? 0n) * ONE;
}

/** All lines together at one mark are what the account has won or lost. Entries and fees are in whole micro-dollars. */
function auditAccount(audit: Audit): string[] {
  const { venue, user, told, coinOf, worthBefore, books } = audit;
  const marks = new Map(
    told.positions.map(({ market, mark_price: mark }) => [coinOf(market), money(mark ?? "0") / ONE]),
  );
  const made = told.lines.reduce((sum, line) => sum + money(line.net_pnl), 0n);
  const open = told.positions.reduce((sum, { unrealized_pnl: unrealized }) => sum + money(unrealized ?? "0"), 0n);
  const off = made + open - (worthOf(venue, user, marks) - worthBefore);
  const most = BigInt(books.whose.length + books.payments + 1) * MICRO_DOLLAR;
  return off > most || off < -most ? [`all lines together are ${off} more than the account has won (10^-16 USD)`] : [];
}

const MICRO_DOLLAR = 10n ** 10n;
