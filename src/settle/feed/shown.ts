import { compare, type Decimal, subtract } from "../../core/decimal.ts";
import type { Shown } from "../../core/testimony.ts";
import type { With } from "../../deps.ts";
import { sumFillsOf } from "../../store/fills.ts";
import type { Position } from "../../wire/answer/account.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";
import { statusMeaning } from "../../wire/answer/status-words.ts";
import { filledOrder } from "../fills/fill-pages.ts";

/**
 * What a list of open orders shows that a feed should have told. What waits for a trigger may be the child of another order,
 * of which the feed says nothing while it waits.
 */
export function shownListed(orders: readonly FrontendOrder[]): Shown[] {
  return orders
    .filter(({ isTrigger }) => !isTrigger)
    .map(({ oid, timestampMs }) => ({ kind: "listed", oid, timeMs: timestampMs }));
}

/** Orders of which, by the size that is left, more is filled than the index has fills. */
export function shownParts({ store }: With<"store">, accountId: string, orders: readonly FrontendOrder[]): Shown[] {
  return orders
    .filter((order) => {
      const filled = shownFilled(order);
      return filled !== null && compare(filled, sumFillsOf(store, accountId, filledOrder(order)).size) > 0;
    })
    .map(({ oid, timestampMs }) => ({ kind: "part", oid, timeMs: timestampMs }));
}

/** What is filled of an order at least, by the size that is left of it; null where that tells nothing. */
export function shownFilled({ size, originalSize, reduceOnly, isTrigger }: FrontendOrder): Decimal | null {
  // A reduce-only order shrinks with its position as well.
  if (originalSize === null || reduceOnly || isTrigger || compare(size, originalSize) >= 0) return null;
  return subtract(originalSize, size);
}

/** The end of an order by its record. What was refused at once has a record too, which no feed need tell. */
export function shownEnd(order: FrontendOrder, status: string, statusTimestampMs: number): Shown[] {
  const meaning = statusMeaning(status);
  const isEnd = meaning === "filled" || meaning === "canceled";
  return isEnd ? [{ kind: "over", oid: order.oid, timeMs: statusTimestampMs }] : [];
}

/** Of perpetuals alone: a spot holding is a balance, which more than fills can change. */
export function shownPositions(dex: string, positions: readonly Position[]): Shown[] {
  const byMarket = new Map(positions.map(({ coin, signedSize }) => [coin, signedSize]));
  return [{ kind: "positions", dex, byMarket }];
}
