import { and, desc, eq, gte, lt, or, sql } from "drizzle-orm";
import { decimal } from "../core/decimal.ts";
import type { EventType } from "../core/event.ts";
import { isLive } from "../core/order.ts";
import type { OpenLeg } from "../core/rails/exposure.ts";
import { tradeResource } from "../core/resource.ts";
import { type GuardKind, nameOfPart, type Trade } from "../core/trade.ts";
import { botOf } from "./bots.ts";
import { appendEvent } from "./events.ts";
import { findKeyRecord } from "./idempotency.ts";
import type { Looked, Times } from "./looked-through.ts";
import type { Store } from "./open.ts";
import { findOrder, type StoredOrder } from "./orders.ts";
import { prepared } from "./prepared.ts";
import { remembered } from "./remembered.ts";
import { trades } from "./schema-whole-trades.ts";
import type { RowFault } from "./sealed-rows.ts";
import { believedTrade, listSealedTrades, mayWriteTrade, tradeFault, vouchForTrade } from "./sealed-trades.ts";

const COLUMNS = { trade: trades.trade, accountId: trades.accountId, endedAtMs: trades.endedAtMs };

const byId = prepared((store) =>
  store
    .select(COLUMNS)
    .from(trades)
    .where(eq(trades.id, sql.placeholder("id")))
    .prepare(),
);

export function findTrade(store: Store, id: string): Trade | null {
  return believedTrade(store, id, byId(store).get({ id }) ?? null);
}

const open = prepared((store) =>
  store.select({ id: trades.id }).from(trades).where(sql`${trades.endedAtMs} is null`).prepare(),
);

/** Of every account: those that go on. */
export function listOpenTrades(store: Store): Trade[] {
  const ids = [
    ...open(store)
      .all()
      .map(({ id }) => id),
    ...listSealedTrades(store),
  ];
  return living(store, ids);
}

/** Of every account: those that go on, by their rows or as they were sealed, and are not the same in both. */
export function listOpenTradeFaults(store: Store): RowFault[] {
  const ids = new Set([
    ...open(store)
      .all()
      .map(({ id }) => id),
    ...listSealedTrades(store),
  ]);
  return [...ids].flatMap((id) => tradeFault(store, id, byId(store).get({ id }) ?? null) ?? []);
}

/** Each once, as it is believed. */
function living(store: Store, ids: readonly string[]): Trade[] {
  return [...new Set(ids)].flatMap((id) => findTrade(store, id) ?? []).filter(({ endedAtMs }) => endedAtMs === null);
}

const openOf = prepared((store) =>
  store
    .select({ id: trades.id })
    .from(trades)
    .where(sql`${trades.endedAtMs} is null and ${trades.accountId} = ${sql.placeholder("accountId")}`)
    .prepare(),
);

/** By account; asked for with each order of a key with rails. */
const openIds = remembered<readonly string[]>((store, accountId) =>
  openOf(store)
    .all({ accountId })
    .map(({ id }) => id),
);

export function listOpenTradesOf(store: Store, accountId: string): Trade[] {
  const open = openIds.find(store, accountId) ?? [];
  const sealed = listSealedTrades(store);
  if (open.length + sealed.length === 0) return [];
  return living(store, [...open, ...sealed]).filter((trade) => trade.accountId === accountId);
}

/** What the entries of trades may still come to that have not been sent, as if they were out. */
export function listReservedLegs(store: Store, accountId: string): OpenLeg[] {
  return listOpenTradesOf(store, accountId).flatMap((trade) => {
    const { id, market, side, size, price, timeInForce, entryId, isEntryUnwanted, keyHash } = trade;
    // One that was taken back, because it had never left, is going to be sent again.
    const isSent = entryId !== null && findOrder(store, entryId) !== null;
    if (isSent || isEntryUnwanted) return [];
    const bot = botOf(store, keyHash);
    const terms = { remaining: decimal(size), price: decimal(price), canOnlyReduce: false };
    const state = { triggerPrice: null, triggerKind: null, isUnheard: false, isInFlight: false } as const;
    return [{ orderId: id, cloid: id, market, side, bot, mayRest: timeInForce !== "ioc", ...terms, ...state }];
  });
}

export type TradePage = { accountId: string; after: Trade | null; isOpen: boolean; limit: number };

/** Newest first, one more than the limit. */
export function listTrades(store: Store, { limit, ...page }: TradePage): Trade[] {
  return believed(store, rowsOf(store, { ...page, times: ALWAYS, count: limit + 1 }));
}

/** Rows that one page of what is narrowed looks through: some milliseconds, because each is held against its seal. */
const MAX_LOOKED_THROUGH = 500;

export type TradeFilter = Times & { market: string | null; keyHashes: readonly string[] | null };

/**
 * Trades of a market, of keys or of a time, newest first. Market and key stand inside the rows, so that rows are looked
 * through.
 */
export function lookForTrades(
  store: Store,
  { limit, filter, ...page }: TradePage & { filter: TradeFilter },
  most = MAX_LOOKED_THROUGH,
): Looked<Trade> {
  const { market, keyHashes, ...times } = filter;
  const rows = rowsOf(store, { ...page, times, count: most });
  const fitting = believed(store, rows).filter(
    (trade) => (market === null || trade.market === market) && (keyHashes?.includes(trade.keyHash) ?? true),
  );
  const last = rows.length === most ? rows.at(-1) : undefined;
  const lookedTo = last === undefined ? null : { atMs: last.createdAtMs, id: last.id };
  return { rows: fitting.slice(0, limit + 1), lookedTo };
}

const ALWAYS: Times = { sinceMs: null, untilMs: null };

type TradeListing = Omit<TradePage, "limit"> & { times: Times; count: number };

function rowsOf(store: Store, { accountId, after, isOpen, times, count }: TradeListing) {
  const { sinceMs, untilMs } = times;
  const isBefore =
    after === null
      ? undefined
      : or(
          lt(trades.createdAtMs, after.createdAtMs),
          and(eq(trades.createdAtMs, after.createdAtMs), lt(trades.id, after.id)),
        );
  const isWanted = and(
    eq(trades.accountId, accountId),
    isBefore,
    sinceMs === null ? undefined : gte(trades.createdAtMs, sinceMs),
    untilMs === null ? undefined : lt(trades.createdAtMs, untilMs),
    isOpen ? sql`${trades.endedAtMs} is null` : undefined,
  );
  return store
    .select({ id: trades.id, createdAtMs: trades.createdAtMs, ...COLUMNS })
    .from(trades)
    .where(isWanted)
    .orderBy(desc(trades.createdAtMs), desc(trades.id))
    .limit(count)
    .all();
}

function believed(store: Store, rows: ReturnType<typeof rowsOf>): Trade[] {
  return rows.flatMap(({ id, createdAtMs: _, ...row }) => believedTrade(store, id, row) ?? []);
}

/** Stores a new trade with its event, inside the caller's transaction. */
export function insertTrade(store: Store, trade: Trade): void {
  store.insert(trades).values(rowOf(trade)).run();
  openIds.drop(store, trade.accountId);
  vouchForTrade(store, trade);
  tellTrade(store, trade, "trade.created", trade.createdAtMs);
}

/**
 * Writes a trade with its event, inside the caller's transaction. The event is left out where nothing that is shown has
 * changed.
 */
export function putTrade(store: Store, trade: Trade, atMs: number): void {
  const before = findTrade(store, trade.id);
  if (before === null) throw new Error("bug: a trade without its row");
  const row = rowOf(trade);
  // One that somebody has deleted stands again.
  store.insert(trades).values(row).onConflictDoUpdate({ target: trades.id, set: row }).run();
  openIds.drop(store, trade.accountId);
  vouchForTrade(store, trade);
  if (JSON.stringify(tradeResource(before)) !== JSON.stringify(tradeResource(trade)))
    tellTrade(store, trade, "trade.updated", atMs);
}

export type Withheld = { accountId: string; isOf(trade: Trade): boolean; error: string; atMs: number };

/** Trades that may enter still enter nothing any more, inside the caller's transaction. `error`: why, where nothing of the entry was sent. */
export function withholdEntries(store: Store, { accountId, isOf, error, atMs }: Withheld): void {
  for (const trade of listOpenTradesOf(store, accountId)) {
    if (trade.isEntryUnwanted || !isOf(trade) || !mayWriteTrade(store, trade.id)) continue;
    const entry = trade.entryId === null ? null : findOrder(store, trade.entryId);
    if (entry === null) putTrade(store, { ...trade, isEntryUnwanted: true, error }, atMs);
    else if (isLive(entry.status)) putTrade(store, { ...trade, isEntryUnwanted: true }, atMs);
  }
}

function rowOf(trade: Trade): typeof trades.$inferInsert {
  const { id, accountId, market, createdAtMs, endedAtMs } = trade;
  return { id, accountId, market, createdAtMs, endedAtMs, trade: JSON.stringify(trade) };
}

function tellTrade(store: Store, trade: Trade, type: EventType, atMs: number): void {
  const payload = JSON.stringify(tradeResource(trade));
  appendEvent(store, { accountId: trade.accountId, atMs, type, resourceId: trade.id, payload });
}

/** The orders that were placed as its stop, or as its take-profit, the oldest first. */
export function listGuards(store: Store, trade: Trade, as: GuardKind): StoredOrder[] {
  const count = as === "stop" ? trade.stops : trade.profits;
  return Array.from({ length: count }, (_, index) => nameOfPart(trade, { as, number: index + 1 })).flatMap((name) => {
    const record = findKeyRecord(store, trade.accountId, name);
    return record === null ? [] : (findOrder(store, record.resource.id) ?? []);
  });
}
