/**
 * When our own orders on spot began to hold something back, or otherwise than before, by a clock that nobody sets; kept in memory alone. What a
 * server shows that is behind is of before one of these changes. A rollback takes nothing back, for the exchange has told it: what is run again
 * afterwards changes nothing more.
 */
import { type Decimal, decimal, subtract, ZERO } from "../core/decimal.ts";
import { isSpot } from "../core/market.ts";
import type { Side } from "../core/order.ts";
import { momentNow } from "./leg-moments.ts";
import type { Store } from "./open.ts";

/** What is left of an order that is open, of which size and at which price, decimal texts; null of one that is not. */
export type HeldPart = { left: Decimal; size: string; price: string } | null;

/** `atElapsedMs`: elapsed milliseconds. */
export type HeldChange = {
  orderId: string;
  market: string;
  side: Side;
  before: HeldPart;
  after: HeldPart;
  /** It was filled, which is known later than it has happened. */
  isByFill: boolean;
  /** It stood there before as an order of other hands, and nothing but whose it is has changed. */
  isTakenOver: boolean;
  atElapsedMs: number;
};

/** An order as far as it may hold something back; size and price are decimal texts. */
export type HoldingOrder = {
  id: string;
  market: string;
  side: Side;
  status: string;
  size: string;
  price: string;
  filledSize: Decimal | null;
};

/** Of an account: what each order that is open holds by now, and the changes, the newest first. */
type HeldBook = { open: Map<string, HeldPart>; changes: readonly HeldChange[] };

/** By account. */
export type HeldChangesBook = Map<string, HeldBook>;

/** Of an account. */
const MAX_KEPT = 64;

type OfAccount = HoldingOrder & { accountId: string };

/** What an earlier process has left open: by this it is known how it changes from now on. */
export function rememberHeld(store: Pick<Store, "memory">, orders: readonly OfAccount[]): void {
  for (const order of orders) {
    const part = partOf(order);
    if (part !== null) openBook(store, order.accountId).open.set(order.id, part);
  }
}

/** An order as it stands from now on. */
export function noteHeld(store: Pick<Store, "memory">, order: OfAccount): void {
  note(store, order, false);
}

/** An order that is given a row: one that is open has stood there before. */
export function noteTakenOver(store: Pick<Store, "memory">, order: OfAccount): void {
  note(store, order, true);
}

function note(store: Pick<Store, "memory">, order: OfAccount, isTakenOver: boolean): void {
  const atElapsedMs = momentNow(store);
  if (atElapsedMs === null || !isSpot(order.market)) return;
  const book = openBook(store, order.accountId);
  const { id: orderId, market, side, size, price } = order;
  const after = partOf(order);
  const before = book.open.get(orderId) ?? null;
  if (after === null) book.open.delete(orderId);
  else book.open.set(orderId, after);
  if (before?.left === after?.left && before?.price === after?.price) return;
  const isSame = before !== null && before.size === size && before.price === price;
  const isByFill = isSame && (after !== null || order.status === "filled");
  const change = { orderId, market, side, before, after, isByFill, isTakenOver, atElapsedMs };
  book.changes = [change, ...book.changes].slice(0, MAX_KEPT);
}

function openBook({ memory }: Pick<Store, "memory">, accountId: string): HeldBook {
  const book = memory.heldChanges.get(accountId) ?? { open: new Map<string, HeldPart>(), changes: [] };
  memory.heldChanges.set(accountId, book);
  return book;
}

function partOf({ market, status, size, price, filledSize }: OfAccount): HeldPart {
  if (status !== "open" || !isSpot(market)) return null;
  return { left: subtract(decimal(size), filledSize ?? ZERO), size, price };
}

/** The newest first. */
export function listHeldChanges({ memory }: Pick<Store, "memory">, accountId: string): readonly HeldChange[] {
  return memory.heldChanges.get(accountId)?.changes ?? [];
}
