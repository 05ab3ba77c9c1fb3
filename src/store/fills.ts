import { and, desc, eq, gte, isNotNull, isNull, lt, lte, notExists, sql } from "drizzle-orm";
import { uuidOfCloid } from "../core/cloid.ts";
import { add, multiply, ZERO } from "../core/decimal.ts";
import type { Filled } from "../core/order.ts";
import { bookTwapFill } from "./bot-twaps.ts";
import { appendEvent } from "./events.ts";
import { isWithin, type Looked, NEWEST, type Road, type Span, spanOf, type Times } from "./looked-through.ts";
import type { Store } from "./open.ts";
import { twapKeys } from "./operations.ts";
import { listPlacedApart } from "./placed-apart.ts";
import { assignments, placeholders, prepared, rowsOf } from "./prepared.ts";
import { fillCursors, fills, operations, orders } from "./schema.ts";
import { everyLeg } from "./schema-views.ts";
import { bookFeeOfFill } from "./spot-fees.ts";

/** A fill as it is kept. */
export type StoredFill = typeof fills.$inferSelect;

export type FillNews = {
  atMs: number;
  /** Fills from before this time are history that nobody waits for: they are not told. Unix milliseconds. */
  toldFromMs: number;
};

const insert = prepared((store) =>
  store.insert(fills).values(placeholders(fills)).onConflictDoNothing().returning({ id: fills.id }).prepare(),
);

/** Adds what is new and leaves what is known; returns the new ones. */
export function insertFills(store: Store, rows: readonly StoredFill[], news: FillNews): StoredFill[] {
  return rows.filter((row) => {
    if (insert(store).all(row).length !== 1) return false;
    bookTwapFill(store, row);
    bookFeeOfFill(store, row);
    if (row.timeMs >= news.toldFromMs) tellFill(store, row, news.atMs);
    return true;
  });
}

function tellFill(store: Store, { accountId, id: resourceId }: StoredFill, atMs: number): void {
  appendEvent(store, { accountId, atMs, type: "fill.created", resourceId, payload: null });
}

const ofOrder = prepared((store) =>
  amounts(store)
    .where(
      and(
        // Found by the native id: SQLite might else read all fills of the market.
        eq(sql`+${fills.accountId}`, sql.placeholder("accountId")),
        eq(fills.oid, sql.placeholder("oid")),
        eq(sql`+${fills.market}`, sql.placeholder("market")),
        eq(fills.side, sql.placeholder("side")),
      ),
    )
    .prepare(),
);

/** An order of the exchange, as its fills tell it. */
export type FilledOrder = Pick<StoredFill, "oid" | "market" | "side">;

/** Sum of the indexed fills of one exchange order: what carries its native id in another market or on the other side is none. */
export function sumFillsOf(store: Store, accountId: string, { oid, market, side }: FilledOrder): Filled {
  return sumOf(ofOrder(store).all({ accountId, oid, market, side }));
}

/** The indexed fills of one exchange order. */
export function listFillsOf(store: Store, accountId: string, oid: string): StoredFill[] {
  return store
    .select()
    .from(fills)
    .where(and(eq(fills.accountId, accountId), eq(fills.oid, oid)))
    .all();
}

/** Sum of the indexed fills of the slices of one TWAP. */
export function sumFillsOfTwap(store: Store, accountId: string, twapId: string): Filled {
  const isOfTwap = and(eq(fills.accountId, accountId), eq(fills.twapId, twapId));
  return sumOf(amounts(store).where(isOfTwap).all());
}

/** Whether there is a fill of a market and side, at or after a time and of no TWAP, whose order we have no row of. */
export function hasFillOfNobody(
  store: Store,
  { accountId, market, side, sinceMs }: Pick<StoredFill, "accountId" | "market" | "side"> & { sinceMs: number },
): boolean {
  const isOfOurs = store.select({ cloid: everyLeg.cloid }).from(everyLeg).where(eq(everyLeg.oid, fills.oid));
  const isIt = and(
    eq(fills.accountId, accountId),
    gte(fills.timeMs, sinceMs),
    eq(fills.market, market),
    eq(fills.side, side),
    isNull(fills.twapId),
    notExists(isOfOurs),
  );
  return store.select({ id: fills.id }).from(fills).where(isIt).limit(1).get() !== undefined;
}

/** Whether there is a slice of a market and side, from one time up to another, of a TWAP that none of our operations has. */
export function hasSliceOfNobody(
  store: Store,
  { accountId, market, side }: Pick<StoredFill, "accountId" | "market" | "side">,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): boolean {
  const isOfOperation = and(
    eq(operations.accountId, accountId),
    eq(operations.exchangeId, fills.twapId),
    eq(operations.action, "twap"),
  );
  const isIt = and(
    eq(fills.accountId, accountId),
    gte(fills.timeMs, fromMs),
    lte(fills.timeMs, toMs),
    eq(fills.market, market),
    eq(fills.side, side),
    isNotNull(fills.twapId),
    notExists(store.select({ id: operations.id }).from(operations).where(isOfOperation)),
  );
  return store.select({ id: fills.id }).from(fills).where(isIt).limit(1).get() !== undefined;
}

function amounts(store: Store) {
  return store.select({ price: fills.price, size: fills.size }).from(fills);
}

function sumOf(rows: readonly Pick<StoredFill, "price" | "size">[]): Filled {
  return rows.reduce<Filled>(
    (sum, row) => ({
      size: add(sum.size, row.size),
      notional: add(sum.notional, multiply(row.price, row.size)),
    }),
    { size: ZERO, notional: ZERO },
  );
}

export function findFill(store: Store, accountId: string, id: string): StoredFill | null {
  const isIt = and(eq(fills.accountId, accountId), eq(fills.timeMs, timeOf(id)), eq(fills.id, id));
  return store.select().from(fills).where(isIt).get() ?? null;
}

const earlierFill = prepared((store) =>
  store
    .select({ timeMs: fills.timeMs })
    .from(fills)
    .where(and(eq(fills.accountId, sql.placeholder("accountId")), lt(fills.timeMs, sql.placeholder("beforeMs"))))
    .limit(1)
    .prepare(),
);

/** True when a fill of the account from before that time is known, by the exchange's time, unix milliseconds. */
export function hasFillBefore(store: Store, accountId: string, beforeMs: number): boolean {
  return earlierFill(store).get({ accountId, beforeMs }) !== undefined;
}

/** The exchange's time that an id begins with, unix milliseconds; NaN, which no row has, for what is no id. */
function timeOf(id: string): number {
  return /^[0-9]{1,15}-/.test(id) ? Number.parseInt(id, 10) : Number.NaN;
}

const newestOf = prepared((store) =>
  store
    .select({ timeMs: fills.timeMs })
    .from(fills)
    .where(eq(fills.accountId, sql.placeholder("accountId")))
    .orderBy(desc(fills.timeMs), desc(fills.id))
    .limit(1)
    .prepare(),
);

/** Exchange time of the newest fill that is indexed; null for none. */
export function newestFillMs(store: Store, accountId: string): number | null {
  return newestOf(store).get({ accountId })?.timeMs ?? null;
}

export type FillPage = {
  accountId: string;
  /** Rows after this one in the listing. */
  after: { timeMs: number; id: string } | null;
  limit: number;
};

/** A fill with the order of ours that it belongs to, and the key whose it is. */
export type ListedFill = { fill: StoredFill; orderId: string | null; keyHash: string | null };

/** One fill as it would be listed; null when there is none. */
export function findListedFill(store: Store, accountId: string, id: string): ListedFill | null {
  const fill = findFill(store, accountId, id);
  return fill === null ? null : (listed(store, accountId, [fill])[0] ?? null);
}

const pageOf = prepared((store) => {
  const below = sql`(${fills.timeMs}, ${fills.id}) < (${sql.placeholder("atMs")}, ${sql.placeholder("id")})`;
  return store
    .select()
    .from(fills)
    .where(and(eq(fills.accountId, sql.placeholder("accountId")), below))
    .orderBy(desc(fills.timeMs), desc(fills.id))
    .limit(sql.placeholder("count"))
    .prepare();
});

/** Newest first, then by id descending. Returns up to one row past `limit`, which tells the caller there is more. */
export function listFills(store: Store, { accountId, after, limit }: FillPage): ListedFill[] {
  const below = after === null ? NEWEST : { atMs: after.timeMs, id: after.id };
  return listed(store, accountId, pageOf(store).all({ accountId, ...below, count: limit + 1 }));
}

export type FillFilter = Times & {
  /** Canonical name; null for all. */
  market: string | null;
  /** Hashes of the API keys that placed the orders, or asked for the TWAPs; null for all, those of nobody included. */
  keyHashes: readonly string[] | null;
};

/** Fills that one page looks through for those of a key: each has to be asked whose it is. */
const MAX_ASKED_WHOSE = 4_000;
const ASKED_AT_ONCE = 500;

/** Fills by market, keys and time as well, newest first. */
export function lookForFills(
  store: Store,
  { filter, ...page }: FillPage & { filter: FillFilter },
  most = MAX_ASKED_WHOSE,
): Looked<ListedFill> {
  const { accountId, limit } = page;
  const { market, keyHashes } = filter;
  const after = page.after === null ? null : { atMs: page.after.timeMs, id: page.after.id };
  const isOfMarket = market === null ? undefined : eq(fills.market, market);
  const road = { table: fills, atMs: fills.timeMs, id: fills.id, is: and(eq(fills.accountId, accountId), isOfMarket) };
  const span = spanOf(filter, after);
  if (keyHashes === null)
    return { rows: listed(store, accountId, fillsOf(store, road, span, limit + 1)), lookedTo: null };
  const rows: ListedFill[] = [];
  const atOnce = Math.min(most, ASKED_AT_ONCE);
  let rest = span;
  for (let asked = 0; asked < most; asked += atOnce) {
    const found = fillsOf(store, road, rest, atOnce);
    const own = listed(store, accountId, found).filter(
      ({ keyHash }) => keyHash !== null && keyHashes.includes(keyHash),
    );
    rows.push(...own);
    const last = found.at(-1);
    if (found.length < atOnce || last === undefined) return { rows, lookedTo: null };
    rest = { upper: { atMs: last.timeMs, id: last.id }, lower: span.lower };
    if (rows.length > limit) break;
  }
  return { rows, lookedTo: rest.upper };
}

function fillsOf(store: Store, road: Road, span: Span, count: number): StoredFill[] {
  return rowsOf(
    store.select().from(fills).where(isWithin(road, span)).orderBy(desc(fills.timeMs), desc(fills.id)).limit(count),
  );
}

/** Of all the fills of a page at once. */
const ordersOf = prepared((store) =>
  store
    .select({ oid: everyLeg.oid, foundBy: everyLeg.foundBy, id: orders.id, keyHash: orders.keyHash })
    .from(everyLeg)
    // In this order: SQLite might else begin with all orders of the account.
    .crossJoin(orders)
    .where(
      and(
        sql`${everyLeg.oid} in (select value from json_each(${sql.placeholder("oids")}))`,
        eq(orders.id, everyLeg.orderId),
        eq(orders.accountId, sql.placeholder("accountId")),
      ),
    )
    .prepare(),
);

/** By native id: the orders of ours that fills belong to, and the keys that placed them. */
function ownersOf(store: Store, accountId: string, rows: readonly Pick<StoredFill, "oid">[]) {
  const oids = JSON.stringify([...new Set(rows.map(({ oid }) => oid))]);
  const found = ordersOf(store).all({ accountId, oids });
  const apart = found.length === 0 ? null : listPlacedApart(store, accountId);
  return new Map(found.map((order) => [order.oid, apart?.has(order.foundBy) ? asItsOwn(order) : order]));
}

/** What is placed beside an order that is over stands with that until its modify is settled, and has this id from then on. */
function asItsOwn<Order extends { id: string; foundBy: string }>(order: Order): Order {
  return { ...order, id: uuidOfCloid(order.foundBy) ?? order.id };
}

/** Whose each fill is: of the key that placed its order, or asked for the TWAP that it is a slice of. */
export function listed(store: Store, accountId: string, rows: readonly StoredFill[]): ListedFill[] {
  const byOid = ownersOf(store, accountId, rows);
  const byTwap = twapKeys(
    store,
    accountId,
    rows.flatMap(({ twapId }) => twapId ?? []),
  );
  return rows.map((fill) => {
    const order = byOid.get(fill.oid);
    const ofTwap = fill.twapId === null ? null : (byTwap.get(fill.twapId) ?? null);
    return { fill, orderId: order?.id ?? null, keyHash: order?.keyHash ?? ofTwap };
  });
}

const cursorOf = prepared((store) =>
  store
    .select()
    .from(fillCursors)
    .where(eq(fillCursors.accountId, sql.placeholder("accountId")))
    .prepare(),
);

/**
 * Up to when the fills of an account have been read, exchange time, unix milliseconds: the next reading begins there. Null before the
 * first complete one. Up to when they are whole, `fill-holes` tells.
 */
export function findFillCursor(store: Store, accountId: string): number | null {
  return cursorOf(store).get({ accountId })?.readToMs ?? null;
}

const setCursor = prepared((store) =>
  store
    .insert(fillCursors)
    .values(placeholders(fillCursors))
    .onConflictDoUpdate({ target: fillCursors.accountId, set: assignments(fillCursors, ["readToMs"]) })
    .prepare(),
);

export function setFillCursor(store: Store, accountId: string, readToMs: number): void {
  setCursor(store).run({ accountId, readToMs });
}
