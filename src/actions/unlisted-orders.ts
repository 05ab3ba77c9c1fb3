import type { Account } from "../core/account.ts";
import type { OrderStatus } from "../core/order.ts";
import type { Deps } from "../deps.ts";
import type { Reader } from "../exchange/exchange.ts";
import { findOrder, listOrders, type StoredOrder } from "../store/orders.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import type { OpenOrder } from "./open-orders.ts";

/** The exchange's open orders of one dex, spot with `""`. */
export type OpenList = { dex: string; listed: readonly FrontendOrder[] };

/** A row of ours that the exchange has named. */
export type OpenRow = StoredOrder & OpenOrder;

export type Unlisted = {
  oid: string;
  stored: OpenOrder;
  /** Unix milliseconds; null where the order's own record has just shown it. */
  asOfMs: number | null;
};

/** The newest rows of each status that are looked through: an older one has had the time to be listed. */
const MAX_ROWS = 500;
/** Orders of which the record is read for one list; more of them are left out, as the exchange does. */
const MAX_LOOKS = 20;

/**
 * Our orders that are open by the exchange's own word and that its list lacks. The list may be behind that word, and then
 * its silence says nothing; one that shows what was placed after that word is not, nor is a feed that told the end.
 */
export async function unlistedOrders(
  deps: Deps,
  account: Account,
  lists: readonly (OpenList & { rows: readonly OpenRow[] })[],
  reader: Reader,
): Promise<Unlisted[]> {
  const missing = lists.flatMap((list) => missingFrom(deps, account, list));
  const newest = missing.sort((a, b) => b.createdAtMs - a.createdAtMs).slice(0, MAX_LOOKS);
  const found = await Promise.all(newest.map((row) => lookAt(deps, row, reader)));
  return found.flatMap((row) => row ?? []);
}

const SHOWN: readonly OrderStatus[] = ["open", "waiting_for_trigger"];

/** Our newest rows of a dex that are open by the exchange's own word. */
export function openRows({ store }: Deps, account: Account, dex: string): OpenRow[] {
  return SHOWN.flatMap((status) =>
    listOrders(store, { accountId: account.id, status, dex, after: null, limit: MAX_ROWS }),
  ).filter(isNamed);
}

function missingFrom(
  deps: Deps,
  account: Account,
  { listed, rows }: OpenList & { rows: readonly OpenRow[] },
): OpenOrder[] {
  const oids = new Set(listed.map(({ oid }) => oid));
  const newestMs = Math.max(0, ...listed.map(({ timestampMs }) => timestampMs));
  return rows.filter((row) => {
    const isListed = oids.has(row.exchangeOrderId);
    const sinceMs = lastNewsOf(deps, row, { isListed, newestMs });
    if (isListed || newestMs > sinceMs) return false;
    return !deps.feeds.hasToldOver(account.tradingAddress, row.exchangeOrderId);
  });
}

type News = { version: number; exchangeMs: number };

/** Orders of which it is remembered when there was news of them; past it the oldest starts over. */
const MAX_REMEMBERED = 10_000;

/** By database: what is told of an order is the same for all who ask. Lost in a crash, it only begins later. */
const newsIn = new WeakMap<Deps["store"]["$client"], Map<string, News>>();

/**
 * When, at the latest, there was the last news that the order is open: exchange time, unix milliseconds. Our wall clock, by
 * which rows are dated, may be wrong by more than a list is behind; so it is when the row was first met as it stands, or a
 * list last held it.
 */
function lastNewsOf(
  { store, exchange }: Deps,
  { id, version }: OpenRow,
  shown: { isListed: boolean; newestMs: number },
): number {
  const news = newsIn.get(store.$client) ?? new Map<string, News>();
  newsIn.set(store.$client, news);
  const known = news.get(id);
  if (known?.version === version && !shown.isListed) return known.exchangeMs;
  const [oldest] = news.keys();
  if (news.size >= MAX_REMEMBERED && oldest !== undefined) news.delete(oldest);
  const exchangeMs = Math.max(exchange.nowMs(), shown.newestMs);
  news.delete(id);
  news.set(id, { version, exchangeMs });
  return exchangeMs;
}

function isNamed(order: StoredOrder): order is OpenRow {
  return order.exchangeOrderId !== null;
}

/** Null when its record says that it is over. */
async function lookAt(deps: Deps, { id }: OpenOrder, reader: Reader): Promise<Unlisted | null> {
  const looked = await deps.settling.look(id, reader);
  const stored = findOrder(deps.store, id);
  if (looked === "unfinished" || stored === null || !isNamed(stored) || !SHOWN.includes(stored.status)) return null;
  const asOfMs = looked === "open" ? null : (stored.seenAtMs ?? stored.createdAtMs);
  return { oid: stored.exchangeOrderId, stored, asOfMs };
}
