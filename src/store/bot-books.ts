/**
 * What bots hold and have done, kept in memory beside its rows: one book a bot, which is changed with each fill and each order, and
 * written once at the end of the transaction. After a rollback, or a commit of another process, it is read anew.
 */
import { and, desc, eq, sql } from "drizzle-orm";
import { type Decimal, isZero, ZERO } from "../core/decimal.ts";
import { madeOnce } from "../core/made-once.ts";
import type { DayMarket } from "../core/rails/loss.ts";
import type { Store } from "./open.ts";
import { placeholders, prepared } from "./prepared.ts";
import { type BotName, rememberedOfBot } from "./remembered-of-bot.ts";
import { botDays } from "./schema-bots.ts";
import { writeAtTheEnd, writeLast } from "./written-last.ts";

export type BotDay = Pick<typeof botDays.$inferSelect, "turnover" | "actions" | "fees">;

/** `fundingShown`: funding of the account's position since it was opened, when last looked at; null before. */
export type StoredDayMarket = DayMarket & { fundingShown: Decimal | null };

/** Of one UTC day; `own` of all markets together. */
type DayBook = { own: BotDay; markets: Map<string, StoredDayMarket> };

export type BotBook = {
  /** Among what is to be written. */
  name: string;
  accountId: string;
  bot: string;
  /** By market; none that is flat. */
  nets: Map<string, Decimal>;
  /** In whose row they are. */
  newest: { day: number };
  /** By day, as far as they were asked for. */
  days: Map<number, DayBook>;
  /** Days that are not in their rows as they are here. */
  unwritten: Set<number>;
  /** Puts them there. */
  write(store: Store): void;
};

export function bookOf(store: Store, of: BotName): BotBook {
  const book = books.find(store, of);
  if (book === null) throw new Error("bug: a bot without a book");
  return book;
}

/** The day of a bot that has not had one. */
const NO_DAY = 0;

const books = rememberedOfBot<BotBook>((store, { accountId, bot }) => {
  writeLast(store);
  const row = newestOf(store).get({ accountId, bot });
  const book: BotBook = {
    name: `book ${accountId} ${bot}`,
    accountId,
    bot,
    nets: new Map(row === undefined ? [] : netsIn(row)),
    newest: { day: row?.day ?? NO_DAY },
    days: new Map(row === undefined ? [] : [[row.day, dayOfRow(row)]]),
    unwritten: new Set(),
    write: (open) => write(open, book),
  };
  return book;
});

const isBot = and(eq(botDays.accountId, sql.placeholder("accountId")), eq(botDays.bot, sql.placeholder("bot")));
const newestOf = prepared((store) =>
  store.select().from(botDays).where(isBot).orderBy(desc(botDays.day)).limit(1).prepare(),
);
const rowOf = prepared((store) =>
  store
    .select()
    .from(botDays)
    .where(and(isBot, eq(botDays.day, sql.placeholder("day"))))
    .prepare(),
);

type BotDayRow = typeof botDays.$inferSelect;

function netsIn({ nets }: BotDayRow): [string, Decimal][] {
  // Only `netsText` makes it, and the migration that merged the books.
  return JSON.parse(nets) as [market: string, net: Decimal][];
}

function dayOfRow({ turnover, actions, fees, markets }: BotDayRow): DayBook {
  // Only `marketsText` makes it, and the migration that merged the books.
  const rows = (JSON.parse(markets) as MarketFigures[]).map(marketOf);
  return { own: { turnover, actions, fees }, markets: new Map(rows.map((row) => [row.market, row])) };
}

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
  const row = rowOf(store).get({ accountId, bot, day });
  const read = row === undefined ? { own: NOTHING_DONE, markets: new Map() } : dayOfRow(row);
  book.days.set(day, read);
  return read;
}

const NOTHING_DONE: BotDay = { turnover: ZERO, actions: 0, fees: ZERO };

export function putDay(store: Store, book: BotBook, day: number, own: BotDay): void {
  dayIn(store, book, day).own = own;
  change(store, book, day);
}

export function putNet(store: Store, book: BotBook, market: string, net: Decimal): void {
  if (isZero(net)) book.nets.delete(market);
  else book.nets.set(market, net);
  // Among the days of the book before it is to be written.
  dayIn(store, book, book.newest.day);
  change(store, book, book.newest.day);
}

export function putMarket(store: Store, book: BotBook, day: number, row: StoredDayMarket): void {
  dayIn(store, book, day).markets.set(row.market, row);
  change(store, book, day);
}

function change(store: Store, book: BotBook, day: number): void {
  // From the first change of a day on its row has what the bot holds.
  if (day > book.newest.day) book.newest.day = day;
  book.unwritten.add(day);
  writeAtTheEnd(store, book.name, book.write);
}

const target = [botDays.accountId, botDays.bot, botDays.day];
const DONE = {
  turnover: sql`excluded.turnover`,
  actions: sql`excluded.actions`,
  fees: sql`excluded.fees`,
  markets: sql`excluded.markets`,
};
const writeNewest = prepared((store) =>
  insertInto(store)
    .onConflictDoUpdate({ target, set: { ...DONE, nets: sql`excluded.nets` } })
    .prepare(),
);
/** What was held then stays as it was written. */
const writeOlder = prepared((store) => insertInto(store).onConflictDoUpdate({ target, set: DONE }).prepare());

function insertInto(store: Store) {
  return store.insert(botDays).values(placeholders(botDays));
}

function write(store: Store, book: BotBook): void {
  const { accountId, bot, newest, days, unwritten } = book;
  for (const day of unwritten) {
    const known = days.get(day);
    if (known === undefined) throw new Error("bug: a day that was forgotten before it was written");
    const { turnover, actions, fees } = known.own;
    const done = { accountId, bot, day, turnover, actions, fees, markets: marketsText(known) };
    if (day === newest.day) writeNewest(store).run({ ...done, nets: netsText(book) });
    else writeOlder(store).run({ ...done, nets: "[]" });
  }
  unwritten.clear();
}

function netsText({ nets }: BotBook): string {
  return JSON.stringify([...nets]);
}

function marketsText({ markets }: DayBook): string {
  let text = "";
  for (const row of markets.values()) text += text === "" ? textOfMarket(row) : `,${textOfMarket(row)}`;
  return `[${text}]`;
}

/** Without names: a bot may trade a hundred markets, and its row is written whole. */
type MarketFigures = [
  market: string,
  openNet: Decimal,
  openMark: Decimal | null,
  cash: Decimal,
  funding: Decimal,
  fundingShown: Decimal | null,
];

function marketOf([market, openNet, openMark, cash, funding, fundingShown]: MarketFigures): StoredDayMarket {
  return { market, openNet, openMark, cash, funding, fundingShown };
}

/** Of them, a fill changes one. */
const textOfMarket = madeOnce(({ market, openNet, openMark, cash, funding, fundingShown }: StoredDayMarket) => {
  const figures: MarketFigures = [market, openNet, openMark, cash, funding, fundingShown];
  return JSON.stringify(figures);
});
