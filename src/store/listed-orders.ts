/** Orders by market, by key and by time, in any combination: what `listed_orders` has, and what has not come there yet. */
import { and, desc, eq, gt, max, type SQL, sql } from "drizzle-orm";
import { ORDER_STATUSES } from "../core/order.ts";
import {
  isWithin,
  type Looked,
  lastLookedAt,
  MAX_LOOKED_THROUGH,
  type Road,
  type Span,
  spanOf,
  type Times,
} from "./looked-through.ts";
import { isOfDex } from "./of-dex.ts";
import type { Store } from "./open.ts";
import { ORDER_COLUMNS, type OrderPage, type OrderRow, type StoredOrder, toOrder } from "./orders.ts";
import { placeholders, prepared, rowsOf } from "./prepared.ts";
import { orders } from "./schema.ts";
import { listedOrders } from "./schema-lists.ts";

export type OrderFilter = Times & {
  /** Canonical name; null for all. */
  market: string | null;
  /** Hashes of the API keys that placed them; null for all, those that were placed elsewhere included. */
  keyHashes: readonly string[] | null;
};

/** Orders that a page reads besides the list. After an upgrade there may be all of them, for minutes: then it goes by status. */
const MAX_NOT_LISTED = 5_000;

/** By more than the index of statuses has. */
export function lookForOrders(
  store: Store,
  { filter, ...page }: OrderPage & { filter: OrderFilter },
  { most = MAX_LOOKED_THROUGH, mostNotListed = MAX_NOT_LISTED }: { most?: number; mostNotListed?: number } = {},
): Looked<StoredOrder> {
  const after = page.after === null ? null : { atMs: page.after.createdAtMs, id: page.after.id };
  const span = spanOf(filter, after);
  const roads = roadsTo(page, countNotListed(store) > mostNotListed ? null : filter);
  const isByStatus = roads.some(({ table }) => table === orders);
  const lookedTo = isJustAsked(page, filter, isByStatus) ? null : lastLookedAt(store, roads, span, most);
  const asked = {
    span: { ...span, lower: lookedTo ?? span.lower },
    isIt: isAsked(page, filter),
    limit: page.limit + 1,
  };
  const rows = isByStatus
    ? roads.flatMap((road) => ofStatus(store, road, asked))
    : [...roads.flatMap((road) => ofList(store, road, asked)), ...notListed(store, page, asked)];
  return {
    rows: rows
      .sort(newestFirst)
      .slice(0, page.limit + 1)
      .map(toOrder),
    lookedTo,
  };
}

/** Whether the roads lead to just what is asked for: then nothing is looked through for more than a page. */
function isJustAsked({ status, dex }: OrderPage, { market, keyHashes }: OrderFilter, isByStatus: boolean): boolean {
  if (dex !== null) return false;
  if (isByStatus) return market === null && keyHashes === null;
  return status === null && (market === null || keyHashes === null);
}

function isAsked({ status, dex }: OrderPage, { market, keyHashes }: OrderFilter): SQL | undefined {
  return and(
    status === null ? undefined : eq(orders.status, status),
    market === null ? undefined : eq(orders.market, market),
    keyHashes === null
      ? undefined
      : sql`${orders.keyHash} in (select value from json_each(${JSON.stringify(keyHashes)}))`,
    dex === null ? undefined : isOfDex(orders.market, dex),
  );
}

/** By keys, else by market, else by status: of the first there are fewest. Null: by status, whatever is asked. */
function roadsTo({ accountId, status }: OrderPage, filter: OrderFilter | null): Road[] {
  const { keyHashes = null, market = null } = filter ?? {};
  const isListed = eq(listedOrders.accountId, accountId);
  if (keyHashes !== null) return keyHashes.map((hash) => list(and(isListed, eq(listedOrders.keyHash, hash))));
  if (market !== null) return [list(and(isListed, eq(listedOrders.market, market)))];
  const { createdAtMs: atMs, id } = orders;
  return (status === null ? ORDER_STATUSES : [status]).map((one) => ({
    table: orders,
    atMs,
    id,
    is: and(eq(orders.accountId, accountId), eq(orders.status, one)),
  }));
}

function list(is: SQL | undefined): Road {
  return { table: listedOrders, atMs: listedOrders.createdAtMs, id: listedOrders.id, is };
}

type OrderQuery = { span: Span; isIt: SQL | undefined; limit: number };

function ofStatus(store: Store, road: Road, { span, isIt, limit }: OrderQuery): OrderRow[] {
  return rowsOf(
    store
      .select(ORDER_COLUMNS)
      .from(orders)
      .where(and(isWithin(road, span), isIt))
      .orderBy(desc(orders.createdAtMs), desc(orders.id))
      .limit(limit),
  );
}

function ofList(store: Store, road: Road, { span, isIt, limit }: OrderQuery): OrderRow[] {
  return rowsOf(
    store
      .select(ORDER_COLUMNS)
      .from(listedOrders)
      // In this order: SQLite might else begin with all orders.
      .crossJoin(orders)
      .where(and(isWithin(road, span), eq(orders.number, listedOrders.number), isIt))
      .orderBy(desc(listedOrders.createdAtMs), desc(listedOrders.id))
      .limit(limit),
  );
}

const newestListed = prepared((store) =>
  store
    .select({ number: max(listedOrders.number) })
    .from(listedOrders)
    .prepare(),
);

const newestOrder = prepared((store) =>
  store
    .select({ number: max(orders.number) })
    .from(orders)
    .prepare(),
);

function countNotListed(store: Store): number {
  return (newestOrder(store).get()?.number ?? 0) - (newestListed(store).get()?.number ?? 0);
}

/** Of the last seconds. */
function notListed(store: Store, { accountId }: OrderPage, { span, isIt }: OrderQuery): OrderRow[] {
  const last = newestListed(store).get()?.number ?? 0;
  const { createdAtMs: atMs, id } = orders;
  const is = and(gt(orders.number, last), eq(sql`+${orders.accountId}`, accountId), isIt);
  return store
    .select(ORDER_COLUMNS)
    .from(orders)
    .where(isWithin({ table: orders, atMs, id, is }, span))
    .all();
}

const newerThan = prepared((store) => {
  const { number, accountId, market, keyHash, createdAtMs, id } = orders;
  return store
    .select({ number, accountId, market, keyHash, createdAtMs, id })
    .from(orders)
    .where(gt(orders.number, sql.placeholder("last")))
    .orderBy(orders.number)
    .limit(sql.placeholder("count"))
    .prepare();
});

/** Whether there are orders that the list lacks. */
export function lacksOrders(store: Store): boolean {
  return newerThan(store).get({ last: newestListed(store).get()?.number ?? 0, count: 1 }) !== undefined;
}

/** Takes up to `count` orders into the list; returns how many. */
export function listOrdersAnew(store: Store, count: number): number {
  const last = newestListed(store).get()?.number ?? 0;
  const rows = newerThan(store).all({ last, count });
  const insert = insertListed(store);
  for (const row of rows) insert.run(row);
  return rows.length;
}

const insertListed = prepared((store) => store.insert(listedOrders).values(placeholders(listedOrders)).prepare());

function newestFirst(a: OrderRow, b: OrderRow): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs;
  return a.id < b.id ? 1 : -1;
}
