import type { Account } from "../core/account.ts";
import { madeOnce } from "../core/made-once.ts";
import { dexOf } from "../core/market.ts";
import type { OrderStatus } from "../core/order.ts";
import type { With } from "../deps.ts";
import type { Reader } from "../exchange/exchange.ts";
import type { Known } from "../exchange/picture.ts";
import { notedAtEarliestMs, type ToDate } from "../settle/record/noted-time.ts";
import { findOrder, listOpenOrders, type StoredOrder } from "../store/orders.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { toldAge } from "./current.ts";
import type { OpenOrder } from "./open-orders.ts";

/** The exchange's open orders of one dex, spot with `""`. */
export type OpenList = { dex: string } & Known<readonly FrontendOrder[]> & {
    /** Placed elsewhere, told open since and looked up one by one: they say nothing of how new the list is. */
    beside: readonly FrontendOrder[];
  };

/** A row of ours that the exchange has named. */
export type OpenRow = StoredOrder & OpenOrder;

export type Unlisted = {
  oid: string;
  stored: OpenOrder;
  /** Unix milliseconds; null where the order's own record has just shown it. */
  asOfMs: number | null;
};

/** Orders of which the record is read for one list, the newest; the others are told as last known. */
const MAX_LOOKS = 20;

/** A list that is older than the row by no more than this is behind it, and no disagreement, milliseconds. */
const BEHIND_MS = 10_000;

/**
 * Our orders that are open by the exchange's own word and that its list lacks. The list may be behind that word, and then its silence says
 * nothing; or it is another account's, which one answer never tells. Only a feed's own list that shows what was placed after that word, or its
 * word of the end, leaves one out by itself. While a live feed goes on without telling the end the row stands beside a list that is no newer;
 * else its record is asked for.
 */
export async function unlistedOrders(
  deps: ToDate & With<"feeds" | "orderNews" | "picture" | "settling">,
  account: Account,
  lists: readonly (OpenList & { rows: readonly OpenRow[] })[],
  reader: Reader,
): Promise<Unlisted[]> {
  const missing = lists.flatMap((list) => missingFrom(deps, account, list));
  // Once for all: the feed may change its state while records are read.
  const standing = new Set(missing.filter((row) => isTold(deps, account, row)));
  const looked = missing
    .filter((row) => !standing.has(row))
    .sort((a, b) => b.stored.createdAtMs - a.stored.createdAtMs);
  const found = await Promise.all(looked.slice(0, MAX_LOOKS).map((row) => lookAt(deps, row, reader)));
  const others = looked.slice(MAX_LOOKS).map(({ oid, stored }) => lastKnown(deps, oid, stored));
  return [...[...standing].map((row) => dated(deps, row)), ...found.flatMap((row) => row ?? []), ...others];
}

/** Newer than what its list is of, as far as a feed that is live would have told otherwise. */
function isTold(deps: With<"feeds">, { tradingAddress }: Account, { newsMs, list, isNewer }: MissingOrder): boolean {
  return !isNewer && deps.feeds.isLive(tradingAddress) && list.timeMs <= newsMs + BEHIND_MS;
}

/** A row that this process found so, and that nothing has shown since, is as old as it is: the order may have ended meanwhile. */
function dated(deps: ToDate & With<"orderNews">, row: MissingOrder): MissingOrder {
  return deps.orderNews.wasListed(row.stored)
    ? row
    : { ...row, asOfMs: toldAge(deps, notedAtEarliestMs(deps, row.stored), BEHIND_MS) };
}

/** `isNewer`: its list shows what was placed after the last news of it. */
type MissingOrder = Unlisted & { stored: OpenRow; newsMs: number; list: OpenList; isNewer: boolean };

const SHOWN: readonly OrderStatus[] = ["open", "waiting_for_trigger"];

/** Whether a list of open orders has it, by what its row says. */
export function isShown({ status }: Pick<StoredOrder, "status">): boolean {
  return SHOWN.includes(status);
}

/** Our newest rows of a dex that are open by the exchange's own word. */
export function openRows({ store }: With<"store">, account: Account, dex: string): readonly OpenRow[] {
  return byDex(listOpenOrders(store, account.id)).get(dex) ?? [];
}

/** Our rows of these dexes that are open by the exchange's own word, which has not named them yet: some answers to triggers do not. */
export function unnamedRows(
  { store }: With<"store">,
  account: Account,
  dexes: readonly string[],
): readonly StoredOrder[] {
  return unnamedOf(listOpenOrders(store, account.id)).filter(({ market }) => dexes.includes(dexOf(market)));
}

const unnamedOf = madeOnce((rows: readonly StoredOrder[]) => rows.filter((row) => !isNamed(row) && isShown(row)));

/** Rows are the same list while nothing is written. */
const byDex = madeOnce((rows: readonly StoredOrder[]) =>
  Map.groupBy(rows.filter(isNamed), ({ market }) => dexOf(market)),
);

function missingFrom(
  deps: With<"orderNews" | "picture">,
  account: Account,
  list: OpenList & { rows: readonly OpenRow[] },
): MissingOrder[] {
  const oids = new Set(list.value.map(({ oid }) => oid));
  const newestMs = Math.max(0, ...list.value.map(({ timestampMs }) => timestampMs));
  return list.rows.flatMap((stored) => {
    const oid = stored.exchangeOrderId;
    const isListed = oids.has(oid);
    const newsMs = deps.orderNews.newsMs(stored, { isListed, newestMs });
    const isNewer = newestMs > newsMs;
    if (isListed || (isNewer && list.isTold) || isToldOver(deps, account, oid)) return [];
    return [{ oid, stored, asOfMs: null, newsMs, list, isNewer }];
  });
}

function isToldOver({ picture }: With<"picture">, { tradingAddress }: Account, oid: string): boolean {
  return picture.toldOf(tradingAddress, oid)?.isOver === true;
}

function isNamed(order: StoredOrder): order is OpenRow {
  return order.exchangeOrderId !== null;
}

/** Null when its record says that it is over. That it is open is of now only where no list that is newer speaks against it. */
async function lookAt(
  deps: ToDate & With<"settling">,
  { stored: { id }, isNewer }: MissingOrder,
  reader: Reader,
): Promise<Unlisted | null> {
  const looked = await deps.settling.look(id, reader);
  const stored = findOrder(deps.store, id);
  if (looked === "unfinished" || stored === null || !isNamed(stored) || !isShown(stored)) return null;
  const oid = stored.exchangeOrderId;
  return looked === "open" && !isNewer ? { oid, stored, asOfMs: null } : lastKnown(deps, oid, stored);
}

function lastKnown(deps: ToDate, oid: string, stored: OpenRow): Unlisted {
  return { oid, stored, asOfMs: notedAtEarliestMs(deps, stored) };
}
