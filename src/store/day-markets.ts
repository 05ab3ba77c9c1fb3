/** What a bot's loss of the day is worked out from, market by market: written with its books, and by whoever watches. */
import { and, eq, sql } from "drizzle-orm";
import { add, type Decimal, ZERO } from "../core/decimal.ts";
import { dayOf } from "../core/rails/trip.ts";
import type { Store } from "./open.ts";
import { assignments, placeholders, prepared } from "./prepared.ts";
import { remembered } from "./remembered.ts";
import { botDayMarkets } from "./schema-bots.ts";
import { writeAtTheEnd, writeLast } from "./written-last.ts";

export type StoredDayMarket = typeof botDayMarkets.$inferSelect;

type OfDay = { accountId: string; bot: string; day: number };

const ofDay = prepared((store) =>
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

export function listDayMarkets(store: Store, of: OfDay): readonly StoredDayMarket[] {
  return known.find(store, nameOf(of)) ?? [];
}

const known = remembered<readonly StoredDayMarket[]>((store, name) => {
  const [accountId = "", bot = "", day = ""] = name.split(" ");
  writeLast(store);
  return ofDay(store).all({ accountId, bot, day: Number(day) });
});

function nameOf({ accountId, bot, day }: OfDay): string {
  return `${accountId} ${bot} ${day}`;
}

const put = prepared((store) =>
  store
    .insert(botDayMarkets)
    .values(placeholders(botDayMarkets))
    .onConflictDoUpdate({
      target: [botDayMarkets.accountId, botDayMarkets.bot, botDayMarkets.day, botDayMarkets.market],
      set: assignments(botDayMarkets, ["openMark", "cash", "funding", "fundingShown"]),
    })
    .prepare(),
);

export function putDayMarket(store: Store, row: StoredDayMarket): void {
  const others = listDayMarkets(store, row).filter(({ market }) => market !== row.market);
  writeAtTheEnd(store, `day market ${nameOf(row)} ${row.market}`, (open) => put(open).run(row));
  known.put(store, nameOf(row), [...others, row]);
}

/** A market of which nothing is known on that day yet. */
export function newDayMarket(of: OfDay, market: string, openNet: Decimal): StoredDayMarket {
  return { ...of, market, openNet, openMark: null, cash: ZERO, funding: ZERO, fundingShown: null };
}

/** For `bots`: what fills have brought a bot that held `openNet` before them. */
export function bookCash(
  store: Store,
  {
    accountId,
    bot,
    market,
    openNet,
    cash,
    atMs,
  }: Omit<OfDay, "day"> & Record<"openNet" | "cash", Decimal> & { market: string; atMs: number },
): void {
  const of = { accountId, bot, day: dayOf(atMs) };
  const before = listDayMarkets(store, of).find((row) => row.market === market) ?? newDayMarket(of, market, openNet);
  putDayMarket(store, { ...before, cash: add(before.cash, cash) });
}
