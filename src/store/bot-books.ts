/**
 * What bots hold and have done, kept in memory beside its rows: one book a bot, which is changed with each fill and each order, and
 * written once at the end of the transaction. After a rollback, or a commit of another process, it is read anew.
 */
import { and, eq, sql } from "drizzle-orm";
import { type Decimal, isZero, ZERO } from "../core/decimal.ts";
import type { Store } from "./open.ts";
import { placeholders, prepared } from "./prepared.ts";
import { remembered } from "./remembered.ts";
import { botDayMarkets, botDays, botNets } from "./schema-bots.ts";
import { writeAtTheEnd, writeLast } from "./written-last.ts";

export type BotName = { accountId: string; bot: string };

export type BotDay = Pick<typeof botDays.$inferSelect, "turnover" | "actions" | "fees">;

export type StoredDayMarket = typeof botDayMarkets.$inferSelect;

/** Of one UTC day; `own` of all markets together. */
type DayBook = { own: BotDay; markets: Map<string, StoredDayMarket> };

export type BotBook = {
  /** Among what is to be written. */
  name: string;
  accountId: string;
  bot: string;
  /** By market; none that is flat. */
  nets: Map<string, Decimal>;
  /** By day, as far as they were asked for. */
  days: Map<number, DayBook>;
  /** What is not in the rows yet. */
  unwritten: { nets: Set<string>; days: Set<number>; markets: Set<StoredDayMarket> };
  /** Puts it there. */
  write(store: Store): void;
};

export function bookOf(store: Store, { accountId, bot }: BotName): BotBook {
  const book = books.find(store, `${accountId} ${bot}`);
  if (book === null) throw new Error("bug: a bot without a book");
  return book;
}

const isBot = and(eq(botNets.accountId, sql.placeholder("accountId")), eq(botNets.bot, sql.placeholder("bot")));
const netsOf = prepared((store) => store.select().from(botNets).where(isBot).prepare());

const books = remembered<BotBook>((store, name) => {
  const [accountId = "", bot = ""] = name.split(" ");
  writeLast(store);
  const rows = netsOf(store).all({ accountId, bot });
  const nets = new Map(rows.filter(({ net }) => !isZero(net)).map(({ market, net }) => [market, net]));
  const unwritten = { nets: new Set<string>(), days: new Set<number>(), markets: new Set<StoredDayMarket>() };
  const days = new Map<number, DayBook>();
  const book: BotBook = {
    name: `book ${name}`,
    accountId,
    bot,
    nets,
    days,
    unwritten,
    write: (open) => write(open, book),
  };
  return book;
});

const dayOf = prepared((store) =>
  store
    .select()
    .from(botDays)
    .where(
      and(
        eq(botDays.accountId, sql.placeholder("accountId")),
        eq(botDays.bot, sql.placeholder("bot")),
        eq(botDays.day, sql.placeholder("day")),
      ),
    )
    .prepare(),
);

const marketsOf = prepared((store) =>
  store
    .select()
    .from(botDayMarkets)
    .where(
      and(
        eq(botDayMarkets.accountId, sql.placeholder("accountId")),
        eq(botDayMarkets.bot, sql.placeholder("bot")),
        eq(botDayMarkets.day, sql.placeholder("day")),
      ),
    )
    .prepare(),
);

/** Days that are kept of a bot, at most. */
const MAX_DAYS = 8;

export function dayIn(store: Store, book: BotBook, day: number): DayBook {
  const known = book.days.get(day);
  if (known !== undefined) return known;
  if (book.days.size >= MAX_DAYS) {
    writeLast(store);
    book.days.clear();
  }
  const { accountId, bot } = book;
  const rows = marketsOf(store).all({ accountId, bot, day });
  const read: DayBook = {
    own: dayOf(store).get({ accountId, bot, day }) ?? { turnover: ZERO, actions: 0, fees: ZERO },
    markets: new Map(rows.map((row) => [row.market, row])),
  };
  book.days.set(day, read);
  return read;
}

export function putDay(store: Store, book: BotBook, day: number, own: BotDay): void {
  dayIn(store, book, day).own = own;
  book.unwritten.days.add(day);
  writeAtTheEnd(store, book.name, book.write);
}

export function putNet(store: Store, book: BotBook, market: string, net: Decimal): void {
  if (isZero(net)) book.nets.delete(market);
  else book.nets.set(market, net);
  book.unwritten.nets.add(market);
  writeAtTheEnd(store, book.name, book.write);
}

export function putMarket(store: Store, book: BotBook, row: StoredDayMarket): void {
  const { markets } = dayIn(store, book, row.day);
  const before = markets.get(row.market);
  if (before !== undefined) book.unwritten.markets.delete(before);
  markets.set(row.market, row);
  book.unwritten.markets.add(row);
  writeAtTheEnd(store, book.name, book.write);
}

const writeNet = prepared((store) =>
  store
    .insert(botNets)
    .values(placeholders(botNets))
    .onConflictDoUpdate({
      target: [botNets.accountId, botNets.bot, botNets.market],
      set: { net: sql`excluded.net` },
    })
    .prepare(),
);

const writeDay = prepared((store) =>
  store
    .insert(botDays)
    .values(placeholders(botDays))
    .onConflictDoUpdate({
      target: [botDays.accountId, botDays.bot, botDays.day],
      set: { turnover: sql`excluded.turnover`, actions: sql`excluded.actions`, fees: sql`excluded.fees` },
    })
    .prepare(),
);

const writeMarket = prepared((store) =>
  store
    .insert(botDayMarkets)
    .values(placeholders(botDayMarkets))
    .onConflictDoUpdate({
      target: [botDayMarkets.accountId, botDayMarkets.bot, botDayMarkets.day, botDayMarkets.market],
      set: {
        openMark: sql`excluded.open_mark`,
        cash: sql`excluded.cash`,
        funding: sql`excluded.funding`,
        fundingShown: sql`excluded.funding_shown`,
      },
    })
    .prepare(),
);

function write(store: Store, { accountId, bot, nets, days, unwritten }: BotBook): void {
  for (const market of unwritten.nets) writeNet(store).run({ accountId, bot, market, net: nets.get(market) ?? ZERO });
  for (const day of unwritten.days) {
    const own = days.get(day)?.own;
    if (own === undefined) throw new Error("bug: a day that was forgotten before it was written");
    const { turnover, actions, fees } = own;
    writeDay(store).run({ accountId, bot, day, turnover, actions, fees });
  }
  for (const row of unwritten.markets) writeMarket(store).run(row);
  unwritten.nets.clear();
  unwritten.days.clear();
  unwritten.markets.clear();
}
