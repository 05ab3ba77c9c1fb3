import { ApiError } from "../core/errors.ts";
import { madeOnce } from "../core/made-once.ts";
import { dexOf } from "../core/market.ts";
import type { Order, OrderStatus } from "../core/order.ts";
import { pageLooked, pageOf } from "../core/page.ts";
import { listOfTexts, orderText } from "../core/resource.ts";
import type { ToLook, With } from "../deps.ts";
import { lookForOrders } from "../store/listed-orders.ts";
import { findOrder, listOrders as listStored, type OrderPage, type StoredOrder } from "../store/orders.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { filterOf, type ListFilter, UNFILTERED, type WantedFilter } from "./list-filter.ts";
import { listOpenOrders, placeOf } from "./open-orders.ts";
import { newestFirst, placedUnder } from "./placed-under.ts";

export type ListOrders = {
  /** Null for the whole history. */
  status: string | null;
  /** Null for all dexes, `""` for the native one and spot. */
  dex: string | null;
  cursor: string | null;
  /** 1 to 500. */
  limit: number;
  /** Left out for all. */
  filter?: WantedFilter;
  /** Of the request that placed it, as its client sent it; left out for all. */
  idempotencyKey?: string | null;
};

const STATUSES: readonly OrderStatus[] = [
  "processing",
  "open",
  "filled",
  "canceled",
  "rejected",
  "unknown",
  "waiting_for_trigger",
];

/** `GET /v1/orders`: `open` is what is open at the exchange now, everything else is the stored history. Writes nothing. */
export async function listOrders(
  deps: ToLook & With<"instance" | "markets" | "orderNews" | "reads" | "settling">,
  caller: Caller,
  wanted: ListOrders,
): Promise<ReadAnswer> {
  const status = requireStatus(wanted.status);
  requireDex(deps, wanted.dex);
  const filter = filterOf(deps, caller, wanted.filter ?? UNFILTERED);
  const { idempotencyKey = null } = wanted;
  if (idempotencyKey !== null) {
    const isAsked = isShown({ status, dex: wanted.dex, filter });
    return { body: placedPage(deps, caller, { ...wanted, idempotencyKey, isAsked }), asOfMs: null };
  }
  if (status === "open") return openPage(deps, caller, { ...wanted, narrowedBy: filter });
  return { body: historyPage(deps, caller, { ...wanted, status, narrowedBy: filter }), asOfMs: null };
}

export function requireStatus(text: string | null): OrderStatus | null {
  if (text === null) return null;
  const status = STATUSES.find((known) => known === text);
  if (status === undefined) throw new ApiError("invalid_status", `\`status\` is one of ${STATUSES.join(", ")}.`);
  return status;
}

/** A dex filter names a supported dex; empty is the native one. */
export function requireDex(deps: With<"settings">, dex: string | null): void {
  if (dex === null || dex === "" || deps.settings.dexes.includes(dex)) return;
  const known = ["an empty value", ...deps.settings.dexes].join(", ");
  throw new ApiError("unknown_dex", `\`dex\` is one of ${known}.`);
}

/** An open order is the same object while neither its row nor what the exchange shows of it has changed. */
const textOf = madeOnce(orderText);

/** More open orders no account has. */
const MAX_OPEN = 10_000;

const PLACE = /^[0-9]{1,20}$/;

async function openPage(
  deps: ToLook & With<"instance" | "orderNews" | "reads" | "settling">,
  caller: Caller,
  { dex, cursor, limit, narrowedBy }: ListOrders & { narrowedBy: ListFilter | null },
): Promise<ReadAnswer> {
  if (cursor !== null && !PLACE.test(cursor)) {
    throw new ApiError("invalid_cursor", "`cursor` of open orders is a native order id.");
  }
  const below = cursor === null ? null : BigInt(cursor);
  const { orders, asOfMs } = await listOpenOrders(deps, caller.account, {
    reader: caller.reader,
    dex,
    below,
    count: narrowedBy === null ? limit + 1 : MAX_OPEN,
  });
  const isAsked = isShown({ status: null, dex: null, filter: narrowedBy });
  const asked = orders.filter((order) => isAsked({ ...order, keyHash: placedBy(deps, order, narrowedBy) }));
  const page = pageOf(asked, limit, (order) => String(placeOf(order)));
  return { body: listOfTexts(page.rows.map(textOf), page.nextCursor), asOfMs };
}

/** Only where it is asked for. */
function placedBy({ store }: With<"store">, { id }: Order, filter: ListFilter | null): string | null {
  return filter === null || filter.keyHashes === null ? null : (findOrder(store, id)?.keyHash ?? null);
}

type OrderListQuery = { status: OrderStatus | null; dex: string | null; filter: ListFilter | null };

function isShown({ status, dex, filter }: OrderListQuery): (order: Order & { keyHash: string | null }) => boolean {
  return ({ status: own, market, createdAtMs, keyHash }) => {
    if ((status !== null && own !== status) || (dex !== null && dexOf(market) !== dex)) return false;
    if (filter === null) return true;
    const { sinceMs, untilMs, keyHashes } = filter;
    const isInTime = (sinceMs === null || createdAtMs >= sinceMs) && (untilMs === null || createdAtMs < untilMs);
    const isOfKey = keyHashes === null || (keyHash !== null && keyHashes.includes(keyHash));
    return isInTime && isOfKey && (filter.market === null || filter.market === market);
  };
}

type PlacedQuery = ListOrders & { idempotencyKey: string; isAsked: ReturnType<typeof isShown> };

function placedPage(deps: With<"store">, caller: Caller, wanted: PlacedQuery): string {
  const { idempotencyKey, isAsked, cursor, limit } = wanted;
  const placed = placedUnder(deps, caller, idempotencyKey).filter(isAsked);
  const last = cursor === null ? null : requireCursor(deps, caller, cursor);
  const rest = last === null ? placed : placed.filter((order) => newestFirst(last, order) < 0);
  const page = pageOf(rest, limit, (order) => order.id);
  return listOfTexts(page.rows.map(orderText), page.nextCursor);
}

type NarrowedOrders = ListOrders & { status: OrderStatus | null; narrowedBy: ListFilter | null };

function historyPage(deps: With<"store">, caller: Caller, wanted: NarrowedOrders): string {
  const { cursor, limit, status, dex, narrowedBy } = wanted;
  const after = cursor === null ? null : requireCursor(deps, caller, cursor);
  const asked: OrderPage = { accountId: caller.account.id, status, dex, after, limit };
  const looked =
    narrowedBy === null
      ? { rows: listStored(deps.store, asked), lookedTo: null }
      : lookForOrders(deps.store, { ...asked, filter: narrowedBy });
  const page = pageLooked(looked, limit, (order: Order) => order.id);
  return listOfTexts(page.rows.map(orderText), page.nextCursor);
}

function requireCursor(deps: With<"store">, caller: Caller, cursor: string): StoredOrder {
  const order = findOrder(deps.store, cursor.toLowerCase());
  if (order !== null && order.accountId === caller.account.id) return order;
  throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
}
