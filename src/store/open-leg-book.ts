/**
 * What may still execute of each account, kept in memory beside its rows: whoever is held to rails is judged by all of it,
 * for each order. Every write of an order, a leg or a modify tells here which order it has touched, and that one is read
 * anew; after a rollback, or a commit of another process, everything is.
 */

import { decimal, isNegative, subtract, ZERO } from "../core/decimal.ts";
import { isSpot } from "../core/market.ts";
import { isClosed, type Leg, type OrderStatus } from "../core/order.ts";
import type { OpenLeg } from "../core/rails/exposure.ts";
import { botOf } from "./bots.ts";
import type { Store } from "./open.ts";
import type { StoredOrder } from "./orders.ts";
import { noteRefused } from "./refused-book.ts";
import { remembered } from "./remembered.ts";

/** Of an order, what its open legs say of it. */
export type Terms = Pick<StoredOrder, "market" | "side" | "reduceOnly" | "keyHash">;

type OpenLegs = {
  /** By account and order; none of an order of which nothing is open. */
  accounts: Map<string, Map<string, readonly OpenLeg[]>>;
  /** Orders that were written since, and not read. */
  touched: Set<string>;
  /** All of an account, until one of them changes. */
  lists: Map<string, readonly OpenLeg[]>;
};

/** One book a connection: under one name. */
const NAME = "open";
const kept = remembered<OpenLegs>(() => null);

export type Readers = {
  ofAccount(store: Store, accountId: string): readonly OpenLeg[];
  ofOrder(store: Store, orderId: string): { accountId: string; legs: readonly OpenLeg[] } | null;
};

/** As the rows are now. Not to be changed by who asks. */
export function openLegsOf(store: Store, accountId: string, readers: Readers): readonly OpenLeg[] {
  const book = bookOf(store);
  for (const orderId of book.touched) readAgain(store, book, { orderId, readers });
  book.touched.clear();
  const list = book.lists.get(accountId);
  if (list !== undefined) return list;
  const orders = book.accounts.get(accountId) ?? grouped(readers.ofAccount(store, accountId));
  book.accounts.set(accountId, orders);
  const all: OpenLeg[] = [];
  for (const legs of orders.values()) all.push(...legs);
  book.lists.set(accountId, all);
  return all;
}

function bookOf(store: Store): OpenLegs {
  const known = kept.find(store, NAME);
  if (known !== null) return known;
  const book: OpenLegs = { accounts: new Map(), touched: new Set(), lists: new Map() };
  kept.put(store, NAME, book);
  return book;
}

function readAgain(store: Store, book: OpenLegs, { orderId, readers }: { orderId: string; readers: Readers }): void {
  const read = readers.ofOrder(store, orderId);
  for (const [accountId, orders] of book.accounts) {
    if (read?.accountId !== accountId && orders.delete(orderId)) book.lists.delete(accountId);
  }
  if (read !== null) put(book, read.accountId, orderId, read.legs);
}

function put(book: OpenLegs, accountId: string, orderId: string, legs: readonly OpenLeg[]): void {
  const orders = book.accounts.get(accountId);
  // Of an account that nobody has asked for nothing is kept.
  if (orders === undefined) return;
  book.lists.delete(accountId);
  if (legs.length === 0) orders.delete(orderId);
  else orders.set(orderId, legs);
}

function grouped(legs: readonly OpenLeg[]): Map<string, readonly OpenLeg[]> {
  return Map.groupBy(legs, ({ orderId }) => orderId);
}

/** Orders that are noted as touched, at most: past these all is read anew. */
const MAX_TOUCHED = 1_000;

/** For whoever writes an order, a leg of it, or a modify of it. */
export function touchOpenLegs(store: Store, orderId: string): void {
  const book = kept.find(store, NAME);
  if (book === null) return;
  book.touched.add(orderId);
  if (book.touched.size > MAX_TOUCHED) forgetOpenLegs(store);
}

/** For whoever writes an order together with its first leg: the same, without reading it again. */
export function putOpenLeg(store: Store, order: StoredOrder, leg: Leg): void {
  // Only what was not placed may still come by a copy of its action.
  if (leg.state === "absent") noteRefused(store);
  const book = kept.find(store, NAME);
  if (book === null) return;
  const { id: orderId, accountId } = order;
  const before = book.accounts.get(accountId)?.get(orderId) ?? [];
  // Beside others, or where a modify may be out, the rows have to say it.
  if (book.touched.has(orderId) || before.some(({ cloid }) => cloid !== leg.cloid)) book.touched.add(orderId);
  else put(book, accountId, orderId, mayExecute(order) ? openLeg(store, order, leg) : []);
}

/** For whoever writes what names no order. */
export function forgetOpenLegs(store: Store): void {
  kept.put(store, NAME, { accounts: new Map(), touched: new Set(), lists: new Map() });
}

/** Of an order in one of these something may still be filled: one of which nobody knows anything is among them. */
export const MAY_EXECUTE: readonly OrderStatus[] = ["processing", "unknown", "open", "waiting_for_trigger"];

export function mayExecute({ status }: Pick<StoredOrder, "status">): boolean {
  return MAY_EXECUTE.includes(status);
}

/** What of a leg may still execute; one at most. */
export function openLeg(store: Store, terms: Terms, leg: Leg): OpenLeg[] {
  const remaining = isClosed(leg) ? ZERO : subtract(leg.size, leg.filledSize);
  if (remaining === ZERO || isNegative(remaining)) return [];
  const { market, side } = terms;
  const canOnlyReduce = terms.reduceOnly || (side === "sell" && isSpot(market));
  const waiting = leg.state === "resting" ? null : leg.trigger;
  return [
    {
      orderId: leg.orderId,
      cloid: leg.cloid,
      market,
      side,
      canOnlyReduce,
      remaining,
      price: decimal(leg.price),
      triggerPrice: waiting === null ? null : decimal(waiting.price),
      triggerKind: waiting?.kind ?? null,
      isUnheard: leg.state === "lost" || leg.state === "closing",
      isInFlight: leg.state === "sent",
      // What the exchange has shown on the book stands there, whatever was asked for.
      mayRest: leg.timeInForce !== "ioc" || leg.trigger !== null || leg.state === "resting",
      bot: botOf(store, terms.keyHash),
    },
  ];
}
