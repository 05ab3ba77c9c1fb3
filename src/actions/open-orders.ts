import type { Account } from "../core/account.ts";
import { add, compare, multiply, subtract, ZERO } from "../core/decimal.ts";
import { madeOnce, whileSame } from "../core/made-once.ts";
import { averagePrice } from "../core/market.ts";
import {
  type Filled,
  isClosed,
  isSaidOver,
  type Leg,
  type Order,
  type OrderStatus,
  wasListedSince,
} from "../core/order.ts";
import type { ToLook, With } from "../deps.ts";
import type { ToldOpen } from "../exchange/account-picture.ts";
import type { InfoRequest, Reader } from "../exchange/exchange.ts";
import { shownParts } from "../settle/feed/shown.ts";
import { completes, filledOrder, fillsOfOrder, readFillsSince, sumFills } from "../settle/fills/fill-pages.ts";
import { sinceUnread } from "../settle/fills/new-fills.ts";
import { notedAtEarliestMs } from "../settle/record/noted-time.ts";
import { recordLegEvent } from "../settle/record/record.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";
import { sumFillsOf } from "../store/fills.ts";
import { findLegByCloid, findLegByOid } from "../store/legs.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import type { Fill } from "../wire/answer/fills.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { AGE_MS, currentOpenOrders, toldAge } from "./current.ts";
import { couldNotAsk, FILLS, fillsUnanswered } from "./not-asked.ts";
import { describeOutside, heardOf, legShown } from "./outside-order.ts";
import { lookAtTold, toldBeside } from "./told-beside.ts";
import { isWhole, mostFilled } from "./told-outside.ts";
import { isShown, type OpenList, openRows, unlistedOrders, unnamedRows } from "./unlisted-orders.ts";

export type OpenOrder = Order & { exchangeOrderId: string };

export type OpenOrdersWanted = {
  reader: Reader;
  /** Null for all dexes, `""` for the native one and spot. */
  dex: string | null;
  /** Only those with a smaller place in the list (`placeOf`), which is the native id of all that have one; null for all. */
  below: bigint | null;
  count: number;
};

export type OpenOrders = {
  /** The native id is null where the exchange has not named one of ours yet: these come first. */
  orders: Order[];
  /** Of the oldest list or order that is not of now, unix milliseconds; null where all are. */
  asOfMs: number | null;
};

/**
 * Resting and untriggered orders of an account as the exchange shows them now, by native id descending, those placed
 * elsewhere included. A list that lacks an order of ours may only be late: it is there as well, as last known, unless
 * something says that it is over. Throws when the exchange cannot be asked.
 */
export async function listOpenOrders(
  deps: ToLook & With<"instance" | "orderNews" | "reads" | "settling">,
  account: Account,
  wanted: OpenOrdersWanted,
): Promise<OpenOrders> {
  const { reader, dex, below, count } = wanted;
  const dexes = dex === null ? ["", ...deps.settings.dexes] : [dex];
  const wholly = requestsOf(deps, account, dexes);
  const read = await Promise.all(dexes.map((each) => readOpen(deps, account, { dex: each, reader, wholly })));
  const lists = read.map((list) => ({ ...list, rows: openRows(deps, account, list.dex) }));
  const open = new Map(lists.flatMap(({ rows }) => rows.map((stored) => [stored.exchangeOrderId, stored] as const)));
  const unlisted = await unlistedOrders(deps, account, lists, reader);
  // A server may answer for one dex with what it has of another.
  const told = new Map(lists.flatMap(({ beside, value }) => [...beside, ...value]).map((order) => [order.oid, order]));
  const rows = [...[...told].map(([oid, order]) => ({ oid, order })), ...unlisted.filter(({ oid }) => !told.has(oid))]
    .map((row) => ({ ...row, id: BigInt(row.oid) }))
    .filter(({ id }) => below === null || id < below)
    .sort((a, b) => (b.id > a.id ? 1 : -1));
  const owns = new Map<string, OwnOrder | null>();
  const shown = firstOf(rows, count, (row) => {
    if (!("order" in row)) return true;
    const stored = open.get(row.oid);
    const own = stored === undefined ? ownOf(deps, account, row.order) : { leg: null, stored };
    owns.set(row.oid, own);
    // How much of it was filled may not be known yet; that it is over is.
    if (deps.picture.toldOf(account.tradingAddress, row.oid)?.isOver === true) return false;
    return own === null || isOpenByRow(own, row.oid);
  });
  const listed = shown.flatMap((row) => ("order" in row ? [row.order] : []));
  // What was filled of one placed elsewhere its feed tells before a list shows it; of ours the row says it.
  const isTold = deps.feeds.isLive(account.tradingAddress);
  const isBegun = (order: FrontendOrder) =>
    order.size !== order.originalSize || (isTold && owns.get(order.oid) === null);
  const begun = listed.filter(isBegun);
  const { filled, fills } = await readFilledOf(deps, account, begun, reader);
  const isGrown = keepFilled(deps, owns, filled);
  // They are of other orders too, and what a bot holds is never told by a part of an answer.
  if (fills.length > 0) deps.settling.heedFills(account.id, fills);
  const known = isGrown || fills.length > 0 ? asTheyAre(deps, owns) : owns;
  const orders = shown.flatMap((row) => {
    if (!("order" in row)) return row.stored;
    const own = known.get(row.oid) ?? null;
    if (own !== null && !isShown(own.stored) && !isListedSince(own)) return [];
    const read = filled.get(row.oid) ?? NOTHING;
    if (own !== null) return refreshedOnce(deps, own, { ...row, filled: read });
    const most = mostFilled(deps, account, row.order, read) ?? read;
    // The list is from before the last of its fills.
    return isWhole(row.order, most) ? [] : describe(deps, account, { ...row, filled: most });
  });
  const lookedMs = shown.flatMap((row) => ("asOfMs" in row && row.asOfMs !== null ? [row.asOfMs] : []));
  const listedMs = lists.flatMap(({ asOfMs }) => toldAge(deps, asOfMs, AGE_MS) ?? []);
  const isAmong = new Set(orders.map(({ id }) => id));
  const unnamed = unnamedRows(deps, account, dexes)
    .filter((row) => !isAmong.has(row.id) && (below === null || placeOf(row) < below))
    .sort((a, b) => (placeOf(b) > placeOf(a) ? 1 : -1));
  const unnamedMs = unnamed.flatMap((row) => toldAge(deps, notedAtEarliestMs(deps, row), AGE_MS) ?? []);
  const times = [...lookedMs, ...listedMs, ...unnamedMs];
  return { orders: [...unnamed, ...orders].slice(0, count), asOfMs: times.length === 0 ? null : Math.min(...times) };
}

/** Above all native ids, which have 64 bits. */
const ABOVE_ALL = 2n ** 64n;
/** Of the digits that an order's id is made of by account and key. */
const DIGITS = { hex: 6, bits: 24n };

/**
 * Its place in the list, of at most 20 digits: its native id, or above all of these by when it was asked for, while the exchange has
 * not named it.
 */
export function placeOf({ exchangeOrderId, id, createdAtMs }: Order): bigint {
  if (exchangeOrderId !== null) return BigInt(exchangeOrderId);
  return ABOVE_ALL + (BigInt(createdAtMs) << DIGITS.bits) + BigInt(`0x${id.slice(-DIGITS.hex)}`);
}

/** The first that pass; no more are looked at: the exchange may show thousands. */
function firstOf<T>(rows: readonly T[], count: number, passes: (row: T) => boolean): T[] {
  const found: T[] = [];
  for (const row of rows) {
    if (found.length >= count) break;
    if (passes(row)) found.push(row);
  }
  return found;
}

/** What we have of an order that the list shows; no leg of one that is open by its row, under this very id. */
type OwnOrder = { leg: Leg | null; stored: StoredOrder };

function ownOf(deps: With<"clock" | "store">, account: Account, shown: FrontendOrder): OwnOrder | null {
  const leg = findLegByOid(deps.store, account.id, shown.oid) ?? unnamedLeg(deps, account, shown);
  const stored = leg === null ? null : findOrder(deps.store, leg.orderId);
  return leg === null || stored === null ? null : { leg, stored };
}

/** Ours by its client order id and its terms, which nothing has named yet. A list that is behind shows none that was never there. */
function unnamedLeg(deps: With<"clock" | "store">, account: Account, shown: FrontendOrder): Leg | null {
  const own = legShown(deps, account, shown);
  if (own === null || own.leg.oid !== null) return null;
  heardOf(deps, own, shown.oid);
  return findLegByCloid(deps.store, own.leg.cloid);
}

/**
 * No list contradicts a row, but one of after the end that it tells. One that is behind shows what our own evidence says has ended,
 * or was replaced; what is asked for and not known yet is `processing` or `unknown` by its row, until that says what the list shows.
 */
function isOpenByRow({ leg, stored }: OwnOrder, oid: string): boolean {
  if (leg === null) return true;
  // Lists of after its end have shown it, which is told with the alarm.
  if (wasListedSince(leg)) return stored.exchangeOrderId === null || stored.exchangeOrderId === oid;
  if (isClosed(leg) || isSaidOver(leg) || !isShown(stored)) return false;
  return stored.exchangeOrderId === null || stored.exchangeOrderId === oid;
}

function isListedSince({ leg }: OwnOrder): boolean {
  return leg !== null && wasListedSince(leg);
}

const NOTHING = sumFills([]);

/** All that one answer may ask for: fills as well, of what a list shows to have begun to fill while no feed tells of it. */
function requestsOf({ feeds }: With<"feeds">, { tradingAddress }: Account, dexes: readonly string[]): InfoRequest[] {
  const lists = dexes.map(() => LIST);
  return feeds.isLive(tradingAddress) ? lists : [...lists, FILLS];
}

const LIST: InfoRequest = { type: "frontendOpenOrders" };

/** Its list, and what was told open since and is in no row of ours. */
async function readOpen(
  deps: ToLook & With<"reads">,
  account: Account,
  { dex, reader, wholly }: { dex: string; reader: Reader; wholly: readonly InfoRequest[] },
): Promise<OpenList> {
  const list = await currentOpenOrders(deps, { account, reader, wholly }, dex);
  const told = toldBeside(deps, account, { dexes: [dex], listed: list.value });
  const beside = told.filter((each) => !isOurs(deps, account, each));
  const known = beside.flatMap(({ record }) => record ?? []);
  const strangers = beside.filter(({ record }) => record === null);
  if (strangers.length === 0) return { dex, ...list, beside: known };
  const looked = await Promise.all(
    strangers
      .slice(0, MAX_STRANGERS)
      .map((each) => lookAtTold(deps, { user: account.tradingAddress, oid: each.oid }, reader)),
  );
  const found = [...known, ...looked.flatMap((order) => (order === "unknown" || order === "over" ? [] : order))];
  const unknown = strangers.filter((_, nth) => (looked[nth] ?? "unknown") === "unknown");
  // The list is of before they were placed.
  const asOfMs = Math.min(list.asOfMs, ...unknown.map(({ timeMs }) => timeMs - 1));
  return { dex, ...list, beside: found, asOfMs };
}

/** Orders placed elsewhere that are asked for one by one for one list, until a list holds them. */
const MAX_STRANGERS = 5;

function isOurs({ store }: With<"store">, { id }: Account, { oid, cloid }: ToldOpen): boolean {
  return findLegByOid(store, id, oid) !== null || (cloid !== null && findLegByCloid(store, cloid) !== null);
}

/**
 * Fills of the orders that have begun to fill, by native id: sizes left are never taken for sizes filled. A live feed has
 * told them, unless a list shows that more is filled.
 */
async function readFilledOf(
  deps: With<"exchange" | "feeds" | "settings" | "store">,
  account: Account,
  begun: readonly FrontendOrder[],
  reader: Reader,
): Promise<{ filled: ReadonlyMap<string, Filled>; fills: readonly Fill[] }> {
  const isLive = deps.feeds.isLive(account.tradingAddress);
  const more = new Set(shownParts(deps, account.id, begun).map((shown) => ("oid" in shown ? shown.oid : "")));
  const unknown = isLive ? begun.filter(({ oid }) => more.has(oid)) : begun;
  const told = begun.filter((order) => !unknown.includes(order));
  const filled = new Map(told.map((order) => [order.oid, sumFillsOf(deps.store, account.id, filledOrder(order))]));
  if (unknown.length === 0) return { filled, fills: [] };
  const sinceMs = sinceUnread(deps.store, account.id, Math.min(...unknown.map((order) => order.timestampMs)));
  const asked = { user: account.tradingAddress, sinceMs, isEnough: completes(unknown) };
  const fills = await readFillsSince(deps, asked, { purpose: reader });
  const lists = ["", ...deps.settings.dexes].map(() => LIST);
  if (fills === "failed") throw couldNotAsk(deps, "for the open orders", fillsUnanswered(deps, reader, lists), reader);
  for (const order of unknown) filled.set(order.oid, sumFills(fillsOfOrder(fills, order)));
  return { filled, fills };
}

/**
 * What a list has shown to be filled of an order of ours is its own from then on: no later answer, whose servers may be behind this
 * one's, tells of less. False where none has changed.
 */
function keepFilled(
  { store, clock }: With<"clock" | "store">,
  owns: ReadonlyMap<string, OwnOrder | null>,
  filled: ReadonlyMap<string, Filled>,
): boolean {
  const grown = [...filled].flatMap(([oid, sum]) => {
    const own = owns.get(oid) ?? null;
    const leg = own === null ? null : (own.leg ?? findLegByOid(store, own.stored.accountId, oid));
    if (leg === null || compare(sum.size, leg.filledSize) <= 0 || compare(sum.size, leg.size) > 0) return [];
    return [{ cloid: leg.cloid, event: { type: "fills_seen", filled: sum } as const }];
  });
  if (grown.length === 0) return false;
  const nowMs = clock.nowMs();
  inTransactionNotWaiting(store, () => {
    for (const { cloid, event } of grown) recordLegEvent(store, cloid, event, nowMs);
  });
  return true;
}

/** Our orders by native id, with what has become known of them since they were found. */
function asTheyAre(
  { store }: With<"store">,
  owns: ReadonlyMap<string, OwnOrder | null>,
): ReadonlyMap<string, OwnOrder | null> {
  const now = [...owns].map(([oid, own]) => {
    const stored = own === null ? null : findOrder(store, own.stored.id);
    if (own === null || stored === null) return [oid, own] as const;
    return [oid, { leg: own.leg === null ? null : findLegByCloid(store, own.leg.cloid), stored }] as const;
  });
  return new Map(now);
}

function describe(
  deps: With<"instance" | "picture" | "store">,
  account: Account,
  { order, filled }: { order: FrontendOrder; filled: Filled },
): OpenOrder {
  // A list may be of before it fired.
  const status = deps.picture.toldOf(account.tradingAddress, order.oid)?.hasFired === true ? "triggered" : "open";
  return describeOutside(deps, account, { order, status, statusTimestampMs: order.timestampMs, filled });
}

/** Of one that nobody has filled row and list tell all: the same of both is the same order. */
function refreshedOnce(deps: With<"store">, own: OwnOrder, shown: { order: FrontendOrder; filled: Filled }): OpenOrder {
  if (own.leg !== null || shown.filled !== NOTHING) return refreshed(deps, own, shown);
  return lastRefreshed(own.stored)([shown.order], () => refreshed(deps, own, shown));
}

const lastRefreshed = madeOnce((_row: StoredOrder) => whileSame<OpenOrder>());

/** Our own row with what the exchange shows of it now: listing writes nothing, and no fill is taken back. */
function refreshed(
  { store }: With<"store">,
  { leg, stored }: OwnOrder,
  { order, filled }: { order: FrontendOrder; filled: Filled },
): OpenOrder {
  // A trigger fires once.
  const hasFired = stored.status === "open" || leg?.state === "resting";
  const isWaiting = order.isTrigger && !hasFired;
  const status: OrderStatus = isWaiting ? "waiting_for_trigger" : "open";
  // Of an order that is open only an alarm has words.
  const isAlarm = isShown(stored) || isListedSince({ leg, stored });
  const error = isAlarm ? stored.error : null;
  const isBegun = compare(filled.size, ZERO) > 0;
  const filledLeg = isBegun ? (leg ?? findLegByOid(store, stored.accountId, order.oid)) : null;
  return { ...stored, ...withNewFills(stored, filledLeg, filled), status, exchangeOrderId: order.oid, error };
}

/** The row's sum is over all its legs; only the last is listed, and may have fills that the row does not know yet. */
function withNewFills(
  stored: StoredOrder,
  leg: Leg | null,
  filled: Filled,
): Pick<Order, "filledSize" | "averagePrice"> {
  const filledSize = stored.filledSize ?? ZERO;
  const newSize = subtract(filled.size, leg?.filledSize ?? ZERO);
  if (compare(newSize, ZERO) <= 0) return { filledSize, averagePrice: stored.averagePrice };
  const newNotional = subtract(filled.notional, leg?.filledNotional ?? ZERO);
  const size = add(filledSize, newSize);
  const notional = add(multiply(stored.averagePrice ?? ZERO, filledSize), newNotional);
  return { filledSize: size, averagePrice: averagePrice(notional, size) };
}
