/**
 * Bots: who placed what, whichever of its keys asked, and what each holds and has done. The books are written inside the
 * transaction that learns of a fill, from the orders' own rows.
 */
import { and, eq, sql } from "drizzle-orm";
import { add, type Decimal, decimal, isZero, multiply, subtract, ZERO } from "../core/decimal.ts";
import { LIVE_STATUSES, type Side } from "../core/order.ts";
import { netAfter } from "../core/rails/bot-net.ts";
import type { LimitedGrant } from "../core/rails/limited-grant.ts";
import { cashOf } from "../core/rails/loss.ts";
import { findApiKey, type KeyRow, limitedGrantOf, listKeyRows } from "./api-keys.ts";
import { type DoubtSource, heedBooked, type OfMarket } from "./bot-doubt-rows.ts";
import { bookCash } from "./day-markets.ts";
import type { Store } from "./open.ts";
import type { StoredOrder } from "./orders.ts";
import { assignments, columnsOf, placeholders, prepared } from "./prepared.ts";
import { remembered } from "./remembered.ts";
import { orders } from "./schema.ts";
import { botDays, botNets } from "./schema-bots.ts";
import { findSealed, hasSealedRows, listSealed } from "./sealed-rows.ts";
import { writeAtTheEnd, writeLast } from "./written-last.ts";

/** Name of the bot that a key belongs to; null for a plain key. What became of its row does not matter. */
export function botOf(store: Store, keyHash: string | null): string | null {
  if (keyHash === null) return null;
  const known = findApiKey(store, keyHash);
  const granted = known === null ? sealedGrantOf(store, keyHash) : known.limited;
  return granted?.rails.bot ?? null;
}

function sealedGrantOf(store: Store, keyHash: string): LimitedGrant | null {
  const content = findSealed(store, "key", keyHash);
  return content === null ? null : grantIn(content);
}

/** Only `contentOfKey` makes what is sealed; plain keys have no such member there. */
function grantIn(content: string): LimitedGrant | null {
  const { limitedGrant = null, keyHash } = JSON.parse(content) as Pick<KeyRow, "keyHash"> & Partial<KeyRow>;
  return limitedGrantOf({ keyHash, limitedGrant });
}

/** All grants of a bot, the newest first: its rails are those of the first. */
export function listBotGrants(store: Store, accountId: string, bot: string): readonly LimitedGrant[] {
  return grantsOf.find(store, `${accountId} ${bot}`) ?? [];
}

const grantsOf = remembered<readonly LimitedGrant[]>((store, name) => {
  const grants = hasSealedRows(store)
    ? listSealed(store, "key").map(([, content]) => grantIn(content))
    : listKeyRows(store).map(limitedGrantOf);
  const own = grants.filter((grant) => grant !== null && `${grant.accountId} ${grant.rails.bot}` === name);
  return own.flatMap((grant) => grant ?? []).sort((a, b) => b.issuedAtMs - a.issuedAtMs);
});

const isBot = and(eq(botNets.accountId, sql.placeholder("accountId")), eq(botNets.bot, sql.placeholder("bot")));
const netsOf = prepared((store) => store.select().from(botNets).where(isBot).prepare());

/** What a bot holds by its own fills, by market; none that is flat. */
export function listBotNets(store: Store, accountId: string, bot: string): ReadonlyMap<string, Decimal> {
  return nets.find(store, `${accountId} ${bot}`) ?? new Map();
}

const nets = remembered<ReadonlyMap<string, Decimal>>((store, name) => {
  const [accountId = "", bot = ""] = name.split(" ");
  writeLast(store);
  const rows = netsOf(store).all({ accountId, bot });
  return new Map(rows.filter(({ net }) => !isZero(net)).map(({ market, net }) => [market, net]));
});

const putNet = prepared((store) =>
  store
    .insert(botNets)
    .values(placeholders(botNets))
    .onConflictDoUpdate({
      target: [botNets.accountId, botNets.bot, botNets.market],
      set: assignments(botNets, ["net"]),
    })
    .prepare(),
);

export type BotDay = Pick<typeof botDays.$inferSelect, "turnover" | "actions" | "fees">;

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

const putDay = prepared((store) =>
  store
    .insert(botDays)
    .values(placeholders(botDays))
    .onConflictDoUpdate({
      target: [botDays.accountId, botDays.bot, botDays.day],
      set: assignments(botDays, ["turnover", "actions", "fees"]),
    })
    .prepare(),
);

type BotName = { accountId: string; bot: string };
const DAY_MS = 86_400_000;

const days = remembered<BotDay>((store, name) => {
  const [accountId = "", bot = "", day = ""] = name.split(" ");
  writeLast(store);
  return dayOf(store).get({ accountId, bot, day: Number(day) }) ?? { turnover: ZERO, actions: 0, fees: ZERO };
});

/** What a bot has done on the UTC day of this moment. */
export function findBotDay(store: Store, of: BotName, atMs: number): BotDay {
  return dayIn(store, { ...of, day: Math.floor(atMs / DAY_MS) });
}

type DayOfBot = BotName & { day: number };

function dayIn(store: Store, { accountId, bot, day }: DayOfBot): BotDay {
  return days.find(store, `${accountId} ${bot} ${day}`) ?? { turnover: ZERO, actions: 0, fees: ZERO };
}

function writeDay(store: Store, { accountId, bot, day }: DayOfBot, now: BotDay): void {
  const name = `${accountId} ${bot} ${day}`;
  writeAtTheEnd(store, `day ${name}`, (open) => putDay(open).run({ accountId, bot, day, ...now }));
  days.put(store, name, now);
}

/** Notes the fees of a bot's day; there may be no row of it yet. */
export function noteFees(store: Store, of: DayOfBot, fees: Decimal): void {
  writeDay(store, of, { ...dayIn(store, of), fees });
}

/** Adds to that. */
export function addToBotDay(
  store: Store,
  of: BotName,
  { turnover, actions, atMs }: Pick<BotDay, "turnover" | "actions"> & { atMs: number },
): void {
  const { accountId, bot } = of;
  const ofDay = { accountId, bot, day: Math.floor(atMs / DAY_MS) };
  const { fees, ...before } = dayIn(store, ofDay);
  writeDay(store, ofDay, { turnover: add(before.turnover, turnover), actions: before.actions + actions, fees });
}

/** What of an order is filled, as its row has it. */
export type FilledPart = Pick<StoredOrder, "filledSize" | "averagePrice">;

const filledOf = prepared((store) =>
  store
    .select(columnsOf(orders, ["filledSize", "averagePrice"]))
    .from(orders)
    .where(eq(orders.id, sql.placeholder("id")))
    .prepare(),
);

/** For `orders`: what a bot's row says before it is changed; null for an order of no bot, of which there are no books. */
export function filledBefore(store: Store, { id, keyHash }: Pick<StoredOrder, "id" | "keyHash">): FilledPart | null {
  return botOf(store, keyHash) === null ? null : (filledOf(store).get({ id }) ?? null);
}

/** For `orders`: books what has been filled of a bot's order since its row said `before`. */
export function bookFills(store: Store, order: StoredOrder, before: FilledPart): void {
  const bot = botOf(store, order.keyHash);
  if (bot === null) return;
  const size = subtract(order.filledSize ?? ZERO, before.filledSize ?? ZERO);
  const turnover = subtract(notionalOf(order), notionalOf(before));
  const { accountId, id, market, side, reduceOnly, seenAtMs, createdAtMs } = order;
  const source = { kind: "order", id } as const;
  const atMs = seenAtMs ?? createdAtMs;
  bookTrade(store, { accountId, bot }, { source, market, side, reduceOnly, size, turnover, atMs });
}

/** What a bot has traded; below zero for what is taken back, because it is another's. */
export type Trade = {
  source: DoubtSource;
  market: string;
  side: Side;
  reduceOnly: boolean;
  size: Decimal;
  /** USD. */
  turnover: Decimal;
  /** Whose UTC day it belongs to, unix milliseconds. */
  atMs: number;
};

export function bookTrade(store: Store, of: BotName, trade: Trade): void {
  const { market, size, turnover, atMs } = trade;
  if (!isZero(turnover)) addToBotDay(store, of, { turnover, actions: 0, atMs });
  if (isZero(size)) return;
  const { accountId, bot } = of;
  const held = listBotNets(store, accountId, bot).get(market) ?? ZERO;
  const net = netAfter(held, trade);
  setBotNet(store, { accountId, bot, market }, net);
  const cash = cashOf({ size, notional: turnover, moved: subtract(net, held) });
  bookCash(store, { accountId, bot, market, openNet: held, cash, atMs });
  const isReductionOut = () => hasReductionOut(store, { accountId, bot, market, side: trade.side });
  heedBooked(store, { accountId, bot, market }, { ...trade, held, net }, isReductionOut);
}

const reducing = prepared((store) =>
  store
    .select(columnsOf(orders, ["keyHash"]))
    .from(orders)
    .where(
      and(
        eq(orders.accountId, sql.placeholder("accountId")),
        eq(orders.market, sql.placeholder("market")),
        eq(orders.status, sql.placeholder("status")),
        sql`reduce_only = 1`,
        eq(orders.side, sql.placeholder("side")),
      ),
    )
    .prepare(),
);

/** A bot's order, of this side, that only reduces and may be filled. */
function hasReductionOut(store: Store, { bot, ...of }: OfMarket & { side: Side }): boolean {
  return LIVE_STATUSES.some((status) =>
    reducing(store)
      .all({ ...of, status })
      .some(({ keyHash }) => botOf(store, keyHash) === bot),
  );
}

/** For who has worked out anew what was booked. */
export function setBotNet(store: Store, { accountId, bot, market }: OfMarket, net: Decimal): void {
  const name = `${accountId} ${bot}`;
  nets.put(store, name, withNet(listBotNets(store, accountId, bot), market, net));
  writeAtTheEnd(store, `net ${name} ${market}`, (open) => putNet(open).run({ accountId, bot, market, net }));
}

function withNet(before: ReadonlyMap<string, Decimal>, market: string, net: Decimal): ReadonlyMap<string, Decimal> {
  const after = new Map(before);
  if (isZero(net)) after.delete(market);
  else after.set(market, net);
  return after;
}

/** The average price is cut to 8 decimals: what is booked is never less than what was traded. */
const CUT = decimal("0.00000001");

function notionalOf({ filledSize, averagePrice }: FilledPart): Decimal {
  if (filledSize === null || averagePrice === null || isZero(filledSize)) return ZERO;
  return multiply(filledSize, add(averagePrice, CUT));
}
