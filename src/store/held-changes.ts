/**
 * When our own orders on spot began to hold something back, or otherwise than before, by a clock that nobody sets; kept in memory alone. What a
 * server shows that is behind is of before one of these changes.
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

/** By account: what each order that is open holds by now, and the changes, the newest first. */
export type HeldChangesBook = Map<string, { open: Map<string, HeldPart>; changes: readonly HeldChange[] }>;

/** Of an account. */
const MAX_KEPT = 64;

/** An order as it stands from now on. */
export function noteHeld(store: Pick<Store, "memory">, order: HoldingOrder & { accountId: string }): void {
  const atElapsedMs = momentNow(store);
  if (atElapsedMs === null || !isSpot(order.market)) return;
  const book = store.memory.heldChanges.get(order.accountId) ?? { open: new Map<string, HeldPart>(), changes: [] };
  const { id: orderId, market, side, size, price } = order;
  const part = { left: subtract(decimal(size), order.filledSize ?? ZERO), size, price };
  const after = order.status === "open" ? part : null;
  const before = book.open.get(orderId) ?? null;
  if (after === null) book.open.delete(orderId);
  else book.open.set(orderId, after);
  if (before?.left === after?.left && before?.price === after?.price) return;
  const isSame = before !== null && before.size === size && before.price === price;
  const isByFill = isSame && (after !== null || order.status === "filled");
  const change = { orderId, market, side, before, after, isByFill, atElapsedMs };
  const changes = [change, ...book.changes].slice(0, MAX_KEPT);
  store.memory.heldChanges.set(order.accountId, { open: book.open, changes });
}

/** The newest first. */
export function listHeldChanges({ memory }: Pick<Store, "memory">, accountId: string): readonly HeldChange[] {
  return memory.heldChanges.get(accountId)?.changes ?? [];
}
