/**
 * What is known of an order that was placed elsewhere, beside the record of it that one server shows: what its account's feed has told,
 * what lists have shown, and the fills that are indexed. Servers are behind one another; none of these takes back what another said.
 */
import type { Account } from "../core/account.ts";
import { compare, isZero } from "../core/decimal.ts";
import { BEHIND_MS } from "../core/evidence.ts";
import type { Filled } from "../core/order.ts";
import type { With } from "../deps.ts";
import { filledOrder } from "../settle/fills/fill-pages.ts";
import { listFillsOf, sumFillsOf } from "../store/fills.ts";
import type { FrontendOrder, OrderRecord } from "../wire/answer/order-status.ts";
import { statusMeaning } from "../wire/answer/status-words.ts";

type ToTellOutside = With<"exchange" | "picture" | "settings" | "store">;

/** A record that says that the order is open, when its feed has told its end, is from before that. */
export function withToldEnd({ picture }: With<"picture">, account: Account, record: OrderRecord): OrderRecord {
  const meaning = statusMeaning(record.status);
  const end = picture.toldOf(account.tradingAddress, record.order.oid)?.end ?? null;
  if (end === null || (meaning !== "open" && meaning !== "triggered")) return record;
  const { status, statusTimestampMs } = end;
  return { order: { ...record.order, size: end.order.size }, status, statusTimestampMs };
}

/** What a list of open orders of now shows of an order that a server does not know; null where none does. */
export function listedRecord(
  { exchange, picture, settings }: ToTellOutside,
  { tradingAddress: user }: Account,
  oid: string,
): OrderRecord | null {
  const fromMs = exchange.nowMs() - settings.timings.maxReadAgeMs;
  const lists = ["", ...settings.dexes].flatMap((dex) => picture.openOrders(user, dex) ?? []);
  const listed = lists.filter(({ toldToMs }) => toldToMs >= fromMs).flatMap(({ value }) => value);
  const told = picture.toldOpen(user).flatMap(({ record }) => record ?? []);
  const order = [...told, ...listed].find((each) => each.oid === oid);
  return order === undefined ? null : { order, status: "open", statusTimestampMs: order.timestampMs };
}

/** Whether a server that does not know the order may be behind what was told of it, or what was filled. */
export function wasToldLately({ exchange, picture, store }: ToTellOutside, account: Account, oid: string): boolean {
  const fromMs = exchange.nowMs() - BEHIND_MS;
  const told = picture.toldOf(account.tradingAddress, oid);
  if (told !== null && told.timeMs >= fromMs) return true;
  return listFillsOf(store, account.id, oid).some(({ timeMs }) => timeMs >= fromMs);
}

/** Whether fills come to all that it asked for: then it is open no longer, whatever shows it so. */
export function isWhole({ originalSize, size }: FrontendOrder, filled: Filled): boolean {
  return compare(filled.size, originalSize ?? size) >= 0;
}

/**
 * What is filled of it: the fills that were read, or those that are indexed, whichever are more. Of fills that could not be read what is
 * indexed has been told already, and is not taken back; null where that is nothing.
 */
export function mostFilled(
  { store }: With<"store">,
  account: Account,
  order: FrontendOrder,
  read: Filled | null,
): Filled | null {
  const indexed = sumFillsOf(store, account.id, filledOrder(order));
  if (read === null) return isZero(indexed.size) ? null : indexed;
  return compare(indexed.size, read.size) > 0 ? indexed : read;
}
