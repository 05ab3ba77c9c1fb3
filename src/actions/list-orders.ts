import { ApiError } from "../core/errors.ts";
import { madeOnce } from "../core/made-once.ts";
import type { Order, OrderStatus } from "../core/order.ts";
import { pageOf } from "../core/page.ts";
import { listOfTexts, orderText } from "../core/resource.ts";
import type { ToLook, With } from "../deps.ts";
import { findOrder, listOrders as listStored } from "../store/orders.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { listOpenOrders } from "./open-orders.ts";

export type ListOrders = {
  /** Null for the whole history. */
  status: string | null;
  /** Null for all dexes, `""` for the native one and spot. */
  dex: string | null;
  cursor: string | null;
  /** 1 to 500. */
  limit: number;
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
  deps: ToLook & With<"instance" | "orderNews" | "reads" | "settling">,
  caller: Caller,
  wanted: ListOrders,
): Promise<ReadAnswer> {
  const status = requireStatus(wanted.status);
  requireDex(deps, wanted.dex);
  if (status === "open") return openPage(deps, caller, wanted);
  return { body: historyPage(deps, caller, { ...wanted, status }), asOfMs: null };
}

function requireStatus(text: string | null): OrderStatus | null {
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

const NATIVE_ID = /^[0-9]{1,20}$/;

async function openPage(
  deps: ToLook & With<"instance" | "orderNews" | "reads" | "settling">,
  caller: Caller,
  { dex, cursor, limit }: ListOrders,
): Promise<ReadAnswer> {
  if (cursor !== null && !NATIVE_ID.test(cursor)) {
    throw new ApiError("invalid_cursor", "`cursor` of open orders is a native order id.");
  }
  const below = cursor === null ? null : BigInt(cursor);
  const { orders, asOfMs } = await listOpenOrders(deps, caller.account, {
    reader: caller.reader,
    dex,
    below,
    count: limit + 1,
  });
  const page = pageOf(orders, limit, (order) => order.exchangeOrderId);
  return { body: listOfTexts(page.rows.map(textOf), page.nextCursor), asOfMs };
}

function historyPage(deps: With<"store">, caller: Caller, wanted: ListOrders & { status: OrderStatus | null }): string {
  const { cursor, limit, status, dex } = wanted;
  const after = cursor === null ? null : requireCursor(deps, caller, cursor);
  const rows = listStored(deps.store, { accountId: caller.account.id, status, dex, after, limit });
  const page = pageOf(rows, limit, (order: Order) => order.id);
  return listOfTexts(page.rows.map(orderText), page.nextCursor);
}

function requireCursor(deps: With<"store">, caller: Caller, cursor: string): { createdAtMs: number; id: string } {
  const order = findOrder(deps.store, cursor.toLowerCase());
  if (order !== null && order.accountId === caller.account.id) return order;
  throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
}
