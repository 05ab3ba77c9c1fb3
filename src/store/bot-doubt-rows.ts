/** Rows of what bots hold by one reading or another: see `core/rails/bot-net`. Few, and soon gone. */
import { and, eq, sql } from "drizzle-orm";
import { add, type Decimal, isNegative, isZero, larger, subtract, ZERO } from "../core/decimal.ts";
import type { Side } from "../core/order.ts";
import { type BotTrade, heldAgainst, openedBy, signedSize } from "../core/rails/bot-net.ts";
import { cashOf } from "../core/rails/loss.ts";
import { otherSide } from "../core/trade.ts";
import type { Store } from "./open.ts";
import { assignments, placeholders, prepared } from "./prepared.ts";
import { rememberedOfBot } from "./remembered-of-bot.ts";
import { botDoubts } from "./schema-bots.ts";

export type OfMarket = { accountId: string; bot: string; market: string };

/** Whose fills were booked: an order, or the operation of a TWAP. */
export type DoubtSource = { kind: "order" | "twap"; id: string };

export type BotDoubt = Omit<typeof botDoubts.$inferSelect, "beside" | "sources"> & {
  sources: readonly DoubtSource[];
  beside: readonly string[];
};

/** What was booked: `held` before it, `net` after it, `turnover` of all of it in USD. `atMs`: when it was seen, unix milliseconds: its UTC day. */
export type Booked = BotTrade & {
  source: DoubtSource;
  held: Decimal;
  net: Decimal;
  turnover: Decimal;
  atMs: number;
};

const isBot = and(eq(botDoubts.accountId, sql.placeholder("accountId")), eq(botDoubts.bot, sql.placeholder("bot")));
const ofBot = prepared((store) => store.select().from(botDoubts).where(isBot).prepare());
const all = prepared((store) => store.select().from(botDoubts).prepare());

const doubts = rememberedOfBot<ReadonlyMap<string, BotDoubt>>((store, of) => {
  return new Map(
    ofBot(store)
      .all(of)
      .map((row) => [row.market, parsed(row)]),
  );
});

/** Of a bot, by market. */
export function listBotDoubts(store: Store, accountId: string, bot: string): ReadonlyMap<string, BotDoubt> {
  return doubts.find(store, { accountId, bot }) ?? new Map();
}

export function listAllDoubts(store: Store): BotDoubt[] {
  return all(store).all().map(parsed);
}

function parsed(row: typeof botDoubts.$inferSelect): BotDoubt {
  // Only `heedBooked` writes it.
  const [sources, beside] = [JSON.parse(row.sources) as DoubtSource[], JSON.parse(row.beside) as string[]];
  return { ...row, sources, beside };
}

const put = prepared((store) =>
  store
    .insert(botDoubts)
    .values(placeholders(botDoubts))
    .onConflictDoUpdate({
      target: [botDoubts.accountId, botDoubts.bot, botDoubts.market],
      set: assignments(botDoubts, [
        "soldBeyond",
        "boughtBeyond",
        "soldSince",
        "boughtSince",
        "openedLong",
        "openedShort",
        "beside",
        "closedLong",
        "closedShort",
        "longSold",
        "shortBought",
        "cash",
        "sources",
        "atMs",
      ]),
    })
    .prepare(),
);

export function dropDoubt(store: Store, { accountId, bot, market }: OfMarket): void {
  const isThis = and(eq(botDoubts.accountId, accountId), eq(botDoubts.bot, bot), eq(botDoubts.market, market));
  store.delete(botDoubts).where(isThis).run();
  doubts.drop(store, { accountId, bot });
}

/**
 * For `bots`, of each trade that it books: begins where something of it counted as another's, where it increases against what is held
 * and something is out that may have reduced that before, or where it increases and something is out that reduces it; and then goes on.
 */
export function heedBooked(
  store: Store,
  of: OfMarket,
  booked: Booked,
  reductionsOut: (side: Side) => readonly string[],
): void {
  const known = listBotDoubts(store, of.accountId, of.bot).get(of.market) ?? null;
  const beyond = beyondNet(booked);
  const { longSold, shortBought } = heldAgainst(booked.held, booked);
  const isAgainst = !(isZero(longSold) && isZero(shortBought)) && reductionsOut(booked.side).length > 0;
  const opened = openedBy(booked);
  const isOpened = !(isZero(opened.openedLong) && isZero(opened.openedShort));
  const out = isOpened ? reductionsOut(otherSide(booked.side)) : [];
  const isBeside = out.length > 0;
  if (known === null && isZero(beyond) && !isAgainst && !isBeside) return;
  const { source, atMs } = booked;
  const before = known ?? { ...NO_DOUBT, sinceMs: atMs, atMs };
  const isNamed = before.sources.some(({ kind, id }) => kind === source.kind && id === source.id);
  const sources = isNamed ? before.sources : [...before.sources, source];
  const isSale = isNegative(beyond);
  put(store).run({
    ...of,
    soldBeyond: isSale ? subtract(before.soldBeyond, beyond) : before.soldBeyond,
    boughtBeyond: isSale ? before.boughtBeyond : add(before.boughtBeyond, beyond),
    ...increasedSince(before, booked),
    openedLong: isBeside ? add(before.openedLong, opened.openedLong) : before.openedLong,
    openedShort: isBeside ? add(before.openedShort, opened.openedShort) : before.openedShort,
    beside: JSON.stringify([...new Set([...before.beside, ...out])]),
    ...closedSince(before, booked),
    longSold: isAgainst ? larger(before.longSold, longSold) : before.longSold,
    shortBought: isAgainst ? larger(before.shortBought, shortBought) : before.shortBought,
    cash: add(before.cash, cashOf({ size: booked.size, notional: booked.turnover, moved: beyond })),
    sources: JSON.stringify(sources),
    sinceMs: before.sinceMs,
    // What was placed later than this cannot have been filled before it.
    atMs: isZero(beyond) && !isAgainst && !isBeside ? before.atMs : Math.max(before.atMs, atMs),
  });
  doubts.drop(store, of);
}

const NO_DOUBT = {
  soldBeyond: ZERO,
  boughtBeyond: ZERO,
  soldSince: ZERO,
  boughtSince: ZERO,
  openedLong: ZERO,
  openedShort: ZERO,
  beside: [],
  closedLong: ZERO,
  closedShort: ZERO,
  longSold: ZERO,
  shortBought: ZERO,
  cash: ZERO,
  sources: [],
} as const;

/** Only what is booked after what counted as another's, on the other side, can have been its own before that. */
function increasedSince(
  { soldBeyond, boughtBeyond, soldSince, boughtSince }: typeof NO_DOUBT | BotDoubt,
  { side, reduceOnly, size }: Booked,
): Pick<BotDoubt, "soldSince" | "boughtSince"> {
  const isSale = !reduceOnly && side === "sell" && !isZero(boughtBeyond);
  const isPurchase = !reduceOnly && side === "buy" && !isZero(soldBeyond);
  return {
    soldSince: isSale ? larger(add(soldSince, size), ZERO) : soldSince,
    boughtSince: isPurchase ? larger(add(boughtSince, size), ZERO) : boughtSince,
  };
}

/** What reduces and was booked as the bot's own, after what increases was booked beside it: what was asked for later was not. */
function closedSince(
  { openedLong, openedShort, closedLong, closedShort, beside }: Omit<BotDoubt, keyof OfMarket>,
  { source, side, reduceOnly, held, net }: Booked,
): Pick<BotDoubt, "closedLong" | "closedShort"> {
  const wasOut = reduceOnly && beside.includes(source.id);
  const isSale = wasOut && side === "sell" && !isZero(openedLong);
  const isPurchase = wasOut && side === "buy" && !isZero(openedShort);
  return {
    closedLong: isSale ? larger(add(closedLong, subtract(held, net)), ZERO) : closedLong,
    closedShort: isPurchase ? larger(add(closedShort, subtract(net, held)), ZERO) : closedShort,
  };
}

/** What of it has not moved the bot's net, signed. */
function beyondNet({ side, reduceOnly, size, held, net }: Booked): Decimal {
  if (!reduceOnly || isNegative(size)) return ZERO;
  return subtract(signedSize(side, size), subtract(net, held));
}
