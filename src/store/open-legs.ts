/** Everything of an account that may still execute, as our rows tell it: a lost answer among it. */
import { and, eq, sql } from "drizzle-orm";
import { type Decimal, isZero, larger, smaller, subtract, sum, ZERO } from "../core/decimal.ts";
import { isClosed, type Leg } from "../core/order.ts";
import type { OpenLeg } from "../core/rails/exposure.ts";
import { listOpenModifies, listOpenModifiesOf, type OpenModify } from "./attempts.ts";
import { listTwapLegs } from "./bot-twaps.ts";
import { findLegByCloid, listLegs, toLeg } from "./legs.ts";
import type { Store } from "./open.ts";
import { MAY_EXECUTE, mayExecute, openLeg, openLegsOf } from "./open-leg-book.ts";
import { findOrder } from "./orders.ts";
import { columnsOf, prepared } from "./prepared.ts";
import { orders } from "./schema.ts";
import { everyLeg, LEG_FIELDS } from "./schema-views.ts";

/** Everything of an account that may still execute: its orders, as they are kept in memory, and TWAPs of its bots. */
export function listOpenLegs(store: Store, accountId: string): readonly OpenLeg[] {
  const orders = openLegsOf(store, accountId, { ofAccount: readOpenLegs, ofOrder });
  const twaps = listTwapLegs(store, accountId);
  return twaps.length === 0 ? orders : [...orders, ...twaps];
}

const TERMS = columnsOf(orders, ["market", "side", "reduceOnly", "keyHash"]);

const ofStatus = prepared((store) =>
  store
    .select({ ...LEG_FIELDS, ...TERMS })
    .from(orders)
    .innerJoin(everyLeg, eq(everyLeg.orderId, orders.id))
    .where(and(eq(orders.accountId, sql.placeholder("accountId")), eq(orders.status, sql.placeholder("status"))))
    .prepare(),
);

/** Every leg of an account's orders that may still execute, read from the rows alone. */
export function readOpenLegs(store: Store, accountId: string): OpenLeg[] {
  const live = MAY_EXECUTE.flatMap((status) => ofStatus(store).all({ accountId, status }));
  const modifies = listOpenModifies(store, accountId);
  const open = live.flatMap((row) => openLeg(store, row, unbooked(store, toLeg(row), modifies)));
  return [...open, ...modifies.flatMap((row) => placedApart(store, row))];
}

/**
 * What is filled of a modify's replacement stands in its order's books only once that is the order; what was placed beside an order
 * that was over is no part of it at all. Until then it counts as if it were still to come.
 */
function unbooked(store: Store, leg: Leg, modifies: readonly OpenModify[]): Leg {
  const modify = modifies.find(({ cloid }) => cloid === leg.cloid);
  const missing = modify === undefined ? ZERO : missingIn(store, leg, modify);
  if (isZero(missing)) return leg;
  return isClosed(leg)
    ? { ...leg, state: "sent", size: missing, filledSize: ZERO }
    : { ...leg, filledSize: subtract(leg.filledSize, missing) };
}

/** What its order's row has not of what is filled of it. */
function missingIn(store: Store, leg: Leg, { isTargetClosed, resourceId }: OpenModify): Decimal {
  if (isTargetClosed || isZero(leg.filledSize)) return leg.filledSize;
  const filled = sum(listLegs(store, leg.orderId).map(({ filledSize }) => filledSize));
  const booked = findOrder(store, resourceId)?.filledSize ?? ZERO;
  return smaller(leg.filledSize, larger(subtract(filled, booked), ZERO));
}

/** What a modify may place although its order is over: its order's status does not tell of it. */
function placedApart(store: Store, modify: OpenModify): OpenLeg[] {
  const { cloid, resourceId } = modify;
  const order = findOrder(store, resourceId);
  const leg = cloid === null ? null : findLegByCloid(store, cloid);
  return order === null || leg === null || mayExecute(order)
    ? []
    : openLeg(store, order, unbooked(store, leg, [modify]));
}

function ofOrder(store: Store, orderId: string): { accountId: string; legs: readonly OpenLeg[] } | null {
  const order = findOrder(store, orderId);
  if (order === null) return null;
  const { accountId } = order;
  const modifies = listOpenModifiesOf(store, orderId);
  if (!mayExecute(order)) return { accountId, legs: modifies.flatMap((row) => placedApart(store, row)) };
  const legs = listLegs(store, orderId);
  return { accountId, legs: legs.flatMap((leg) => openLeg(store, order, unbooked(store, leg, modifies))) };
}
