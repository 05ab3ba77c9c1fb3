import { and, asc, count, desc, eq, isNotNull, isNull, ne, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import type { Attempt } from "../core/attempt.ts";
import { cloidOf } from "../core/cloid.ts";
import type { KeyAnswer, KeyRecord } from "../core/idempotency.ts";
import { type Leg, LIVE_STATUSES, ORDER_STATUSES, type Order, type OrderStatus } from "../core/order.ts";
import { requireOwnNumber } from "./batch-number.ts";
import { bookFills, type FilledPart, filledBefore } from "./bots.ts";
import { noteHeld, noteTakenOver } from "./held-changes.ts";
import { noteFilled, noteSentOrder } from "./leg-moments.ts";
import { deleteLegsOf } from "./legs.ts";
import { type LiveCount, type LiveRange, liveWithin, noteWritten } from "./live-tally.ts";
import { passNonce } from "./nonces.ts";
import { isOfDex } from "./of-dex.ts";
import type { Store } from "./open.ts";
import { putOpenLeg, touchOpenLegs } from "./open-leg-book.ts";
import { type OrderEventType, tellOrder, tellRemoved } from "./order-events.ts";
import {
  attemptColumns,
  ENDING,
  keyColumns,
  legColumns,
  NO_ATTEMPT,
  NO_KEY,
  NO_LEG,
  OUTCOME,
  toTrigger,
  triggerColumns,
} from "./placing-columns.ts";
import { assignments, columnsOf, placeholders, prepared, preparedChange } from "./prepared.ts";
import { takeRowId } from "./row-ids.ts";
import { orders } from "./schema.ts";
import { listedOrders } from "./schema-lists.ts";
import { heedNativeId } from "./spot-fees.ts";
import { whileUnchanged } from "./while-unchanged.ts";

/** An order as it is kept: with what placed it and how often it has changed. */
export type StoredOrder = Order & {
  assetId: number;
  /** Hash of the API key that placed it; null for one that was placed elsewhere. */
  keyHash: string | null;
  /** The Idempotency-Key that placed it; null for one that was placed elsewhere. */
  idempotencyKey: string | null;
  /** The batch that it was placed in; null for one that was placed by itself. */
  batchId: string | null;
  /** Which order of its batch it is; 0 for one that was placed by itself. */
  batchIndex: number;
  /** Wall time of the exchange's last word about it, unix milliseconds; null before the first. */
  seenAtMs: number | null;
  /** When the operator gave it up as unknown, unix milliseconds; null where nobody did, and once there is news of it. */
  releasedAtMs: number | null;
  version: number;
};

/** Columns of an order that never change: setting them all the same would write their indexes again. */
const FIXED = [
  "id",
  "accountId",
  "market",
  "assetId",
  "side",
  "keyHash",
  "idempotencyKey",
  "batchId",
  "batchIndex",
  "createdAtMs",
  "version",
] as const;
const CHANGING = [
  "size",
  "price",
  "timeInForce",
  "reduceOnly",
  "triggerPrice",
  "triggerKind",
  "triggerMarket",
  ...OUTCOME,
] as const;

/** The order's own columns; its row also has those of its key, first leg and attempt. */
export const ORDER_COLUMNS = columnsOf(orders, [...FIXED, ...CHANGING]);

export type OrderRow = Pick<typeof orders.$inferSelect, (typeof FIXED)[number] | (typeof CHANGING)[number]>;

export function toOrder(row: OrderRow): StoredOrder {
  const { triggerPrice, triggerKind, triggerMarket, ...rest } = row;
  return { ...rest, trigger: toTrigger({ triggerPrice, triggerKind, triggerMarket }) };
}

/** The order as a row, its trigger in columns of its own; no statement reads the member `trigger`. */
function toRow(order: StoredOrder): OrderRow {
  return { ...order, ...triggerColumns(order.trigger) };
}

const byId = prepared((store) =>
  store
    .select(ORDER_COLUMNS)
    .from(orders)
    .where(eq(orders.id, sql.placeholder("id")))
    .prepare(),
);

export function findOrder(store: Store, id: string): StoredOrder | null {
  const row = byId(store).get({ id });
  return row === undefined ? null : toOrder(row);
}

const insert = prepared((store) => store.insert(orders).values(placeholders(orders)).prepare());

const PLACED_ELSEWHERE = { ...NO_KEY, ...NO_ATTEMPT, ...NO_LEG };

/** Stores an order that was placed elsewhere, or whose leg and attempt have rows of their own. */
export function insertOrder(store: Store, order: StoredOrder): void {
  insertUntold(store, order);
  tellOrder(store, order, "order.created");
}

/** The same of one that is told once what its legs say of it is stored: `updateOrder` does, as `order.created`. */
export function insertUntold(store: Store, order: StoredOrder): void {
  insert(store).run({ ...PLACED_ELSEWHERE, ...toRow(order), number: takeRowId(store) });
  noteTakenOver(store, order);
  noteWritten(store);
  noteHeld(store, order);
}

/** Stores an order that is refused here, of which nothing is sent, in one row with its key. */
export function insertRefused(store: Store, order: StoredOrder, keyRecord: KeyRecord): void {
  const ofKey = { ...keyColumns(order, keyRecord), ...NO_ATTEMPT, ...NO_LEG };
  insert(store).run({ ...ofKey, ...toRow(order), number: takeRowId(store) });
  tellNew(store, order);
}

/** An order that is placed through the API, as its row has it: with the key that asked for it, its first leg and its attempt. */
export type Placing<ItsAttempt = Attempt> = { order: StoredOrder; keyRecord: KeyRecord; leg: Leg; attempt: ItsAttempt };

/** Stores an order with its key, its first leg and the attempt that places it, in one row; its (signer, nonce) may exist only once. */
export function insertPlacing(store: Store, placing: Placing<Omit<Attempt, "id">>): Attempt {
  const { order, keyRecord, leg } = placing;
  requireOwn(placing);
  const attempt = { ...placing.attempt, id: takeRowId(store) };
  requireOwnNumber(store, order, attempt);
  // Not by `toRow`, which would copy the order once more.
  insert(store).run({
    ...order,
    ...triggerColumns(order.trigger),
    ...keyColumns(order, keyRecord),
    ...attemptColumns(attempt),
    ...legColumns(leg),
    number: attempt.id,
  });
  putOpenLeg(store, order, leg);
  noteSentOrder(store, leg.cloid, attempt.id);
  tellNew(store, order);
  passNonce(store, attempt);
  return attempt;
}

function tellNew(store: Store, order: StoredOrder): void {
  noteWritten(store);
  noteHeld(store, order);
  tellOrder(store, order, "order.created");
}

/** Throws unless leg and attempt are the order's own: the row has no columns for what they share with it. */
function requireOwn({ order, keyRecord, leg, attempt }: Placing<Omit<Attempt, "id">>): void {
  const { kind, resource, accountId, cloid, idempotencyKey, targetOid, isTargetClosed, intendedTotal } = attempt;
  const isPlacing = kind === "place" && targetOid === null && !isTargetClosed && intendedTotal === null;
  const isOfOrder = resource.id === order.id && accountId === order.accountId && cloid === cloidOf(order.id);
  if (!isPlacing || !isOfOrder || idempotencyKey !== keyRecord.idempotencyKey)
    throw new Error("bug: not the attempt of this placing");
  const isFirst = leg.orderId === order.id && leg.cloid === cloid && leg.ordinal === 0;
  if (!isFirst) throw new Error("bug: not the first leg of this placing");
}

const REMOVED = columnsOf(orders, ["number", ...FIXED]);

/** Takes back an order of which it is proven that no byte left. */
export function deleteOrder(store: Store, id: string, atMs: number): void {
  deleteLegsOf(store, id);
  noteWritten(store);
  const removed = store.delete(orders).where(eq(orders.id, id)).returning(REMOVED).all();
  for (const { number, ...order } of removed) {
    store.delete(listedOrders).where(eq(listedOrders.number, number)).run();
    tellRemoved(store, order, atMs);
  }
}

const CHANGE = { ...assignments(orders, CHANGING), version: sql`${orders.version} + 1` };
const isThisVersion = and(eq(orders.id, sql.placeholder("id")), eq(orders.version, sql.placeholder("version")));

const update = preparedChange((store) => store.update(orders).set(CHANGE).where(isThisVersion).prepare());

/**
 * Stores an order only over the version it was decided on: a late answer must not overwrite what a look-up has
 * meanwhile settled. False when the row has moved on.
 *
 * @param known what of it was filled at that version, where it is at hand. @param told `order.created` of one that nobody was told of yet
 */
export function updateOrder(
  store: Store,
  order: StoredOrder,
  known: FilledPart | null = null,
  told: OrderEventType = "order.updated",
): boolean {
  const before = known ?? filledBefore(store, order);
  if (update(store)(toRow(order)).rows !== 1) return false;
  touchOpenLegs(store, order.id);
  noteWritten(store);
  // What a modify has placed may have ceased to reduce only.
  if (before !== null) bookFills(store, order, before);
  noteHeld(store, order);
  tellOrder(store, order, told);
  return true;
}

const settle = preparedChange((store) =>
  store
    .update(orders)
    .set({
      ...assignments(orders, ENDING),
      // An empty action may have told what became of its number meanwhile, which changes no version.
      seal: sql`coalesce(${sql.placeholder("seal")}, ${orders.seal})`,
      version: sql`${orders.version} + 1`,
    })
    .where(
      and(
        isThisVersion,
        ne(orders.attemptState, "done"),
        isNotNull(orders.legState),
        isNotNull(orders.fingerprint),
        isNull(orders.answerBody),
      ),
    )
    .prepare(),
);

/**
 * `updateOrder` together with its first leg, the end of the attempt that placed it and the answer of its key, which is the
 * order as text. False, and nothing has changed, where any of them has moved on since, or has a row of its own.
 */
export function settleOrder(
  store: Store,
  before: Pick<Placing, "order" | "leg" | "attempt">,
  { order, leg, seal }: Pick<Placing, "order" | "leg"> & Pick<Attempt, "seal">,
  answer: KeyAnswer,
): boolean {
  const times = { sentAtMs: before.attempt.createdAtMs, settledAtMs: order.seenAtMs };
  const end = { attemptState: "done", seal, ...times, answerStatus: answer.status, answerBody: answer.body };
  if (settle(store)({ ...order, ...legColumns(leg), ...end }).rows !== 1) return false;
  putOpenLeg(store, order, leg);
  bookFills(store, order, before.order);
  if (leg.filledSize !== before.leg.filledSize) noteFilled(store, leg.cloid);
  heedNativeId(store, order, { before: before.leg.oid, after: leg.oid });
  noteHeld(store, order);
  tellOrder(store, order, "order.updated", answer.body);
  return true;
}

export type OrderPage = {
  accountId: string;
  /** Null for all. */
  status: OrderStatus | null;
  /** Null for all; `""` for the native dex and spot. */
  dex: string | null;
  /** Rows after this one in the listing. */
  after: { createdAtMs: number; id: string } | null;
  limit: number;
};

/** Newest first, then by id descending. Returns up to one row past `limit`, which tells the caller there is more. */
export function listOrders(store: Store, page: OrderPage): StoredOrder[] {
  const asked = { ...(page.after ?? NEWEST), accountId: page.accountId, dex: page.dex, limit: page.limit + 1 };
  const rows = page.status === null ? ofAny(store).all(asked) : ofStatus(store).all({ ...asked, status: page.status });
  return rows.map(toOrder);
}

/** Rows of each status in `listOpenOrders`, the newest; lists of open orders ask for them many times a second. */
const MAX_OPEN = 1_000;

/** An account's orders that are open or wait for a trigger. Shared by all readers: not to be changed. */
export const listOpenOrders = whileUnchanged<readonly StoredOrder[]>((store, accountId) =>
  (["open", "waiting_for_trigger"] as const).flatMap((status) =>
    listOrders(store, { accountId, status, dex: null, after: null, limit: MAX_OPEN }),
  ),
);

/** Condition for orders of one account in one status, as indexes have them, and for what else is asked. */
export function inOneStatus(...isSo: readonly SQL[]): SQL | undefined {
  const { accountId, status } = orders;
  return and(eq(accountId, sql.placeholder("accountId")), eq(status, sql.placeholder("status")), ...isSo);
}

const isOfPage: readonly SQL[] = [
  sql`(${orders.createdAtMs}, ${orders.id}) < (${sql.placeholder("createdAtMs")}, ${sql.placeholder("id")})`,
  isOfDex(orders.market, sql.placeholder("dex")),
];

const ofStatus = prepared((store) =>
  store
    .select(ORDER_COLUMNS)
    .from(orders)
    .where(inOneStatus(...isOfPage))
    .orderBy(desc(orders.createdAtMs), desc(orders.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** One status beside the other, as the index has them, merged row by row: of all in one, SQLite would read and sort the whole history. */
const ofAny = prepared((store) => {
  const { accountId, status, createdAtMs, id } = orders;
  const isOfAccount = eq(accountId, sql.placeholder("accountId"));
  const [first, second, ...others] = ORDER_STATUSES.map((one) =>
    store
      .select(ORDER_COLUMNS)
      .from(orders)
      .where(and(isOfAccount, eq(status, one), ...isOfPage)),
  );
  if (first === undefined || second === undefined) throw new Error("bug: fewer than two statuses");
  return unionAll(first, second, ...others)
    .orderBy(desc(createdAtMs), desc(id))
    .limit(sql.placeholder("limit"))
    .prepare();
});

/** The place in the listing before every order: a first page begins there. */
const NEWEST = { createdAtMs: Number.MAX_SAFE_INTEGER, id: "" };

const oldestOfStatus = prepared((store) =>
  store
    .select(ORDER_COLUMNS)
    .from(orders)
    .where(inOneStatus())
    .orderBy(asc(orders.createdAtMs), asc(orders.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** Orders of an account about which the exchange may still have news, oldest first. */
export function listLiveOrders(store: Store, accountId: string, limit: number): StoredOrder[] {
  // One status at a time, as the index has them: asked for together, SQLite would read the whole history.
  const rows = LIVE_STATUSES.flatMap((status) => oldestOfStatus(store).all({ accountId, status, limit }));
  return rows
    .sort((a, b) => a.createdAtMs - b.createdAtMs)
    .slice(0, limit)
    .map(toOrder);
}

const unnamedOfStatus = prepared((store) =>
  store
    .select(ORDER_COLUMNS)
    .from(orders)
    .where(inOneStatus(isNull(orders.exchangeOrderId)))
    .orderBy(asc(orders.createdAtMs), asc(orders.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** Live orders of an account that the exchange has not named, oldest first of each status. */
export function listUnnamedOrders(store: Store, accountId: string, limit: number): StoredOrder[] {
  return LIVE_STATUSES.flatMap((status) => unnamedOfStatus(store).all({ accountId, status, limit }))
    .slice(0, limit)
    .map(toOrder);
}

const liveOfStatus = prepared((store) =>
  store
    .select({ count: count() })
    .from(orders)
    .where(and(eq(orders.accountId, sql.placeholder("accountId")), eq(orders.status, sql.placeholder("status"))))
    .prepare(),
);

const RESTING: readonly OrderStatus[] = ["open", "waiting_for_trigger"];

/** A range that holds what `countLiveOrders` says; as often as not nothing is counted for it. */
export function liveOrdersWithin(store: Store, accountId: string): LiveRange {
  return liveWithin(store, accountId, countLiveOrders);
}

/** Orders of an account that may be open, and of these how many the exchange has shown to be. */
export function countLiveOrders(store: Store, accountId: string): LiveCount {
  const counts = LIVE_STATUSES.map(
    (status) => [status, liveOfStatus(store).get({ accountId, status })?.count ?? 0] as const,
  );
  const shown = counts.filter(([status]) => RESTING.includes(status));
  return { live: total(counts), shown: total(shown) };
}

function total(counts: readonly (readonly [OrderStatus, number])[]): number {
  return counts.reduce((sum, [, each]) => sum + each, 0);
}

/** Whether the account has an order about which the exchange may still have news. */
export function hasLiveOrder(store: Store, accountId: string): boolean {
  return LIVE_STATUSES.some((status) => oldestOfStatus(store).get({ accountId, status, limit: 1 }) !== undefined);
}

export function countOrders(store: Store): number {
  return store.select({ orders: count() }).from(orders).get()?.orders ?? 0;
}
