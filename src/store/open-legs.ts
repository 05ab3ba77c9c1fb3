/** Everything of an account that may still execute, as our rows tell it: a lost answer among it. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { OpenLeg } from "../core/rails/exposure.ts";
import { listTwapLegs } from "./bot-twaps.ts";
import { findLegByCloid, listLegs, toLeg } from "./legs.ts";
import type { Store } from "./open.ts";
import { MAY_EXECUTE, mayExecute, openLeg, openLegsOf } from "./open-leg-book.ts";
import { findOrder } from "./orders.ts";
import { columnsOf, prepared } from "./prepared.ts";
import { attempts, orders } from "./schema.ts";
import { everyLeg, LEG_FIELDS } from "./schema-views.ts";

/** As the rows are now: orders as they are kept in memory, and TWAPs of bots. */
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

/** The same of orders, from the rows alone. */
export function readOpenLegs(store: Store, accountId: string): OpenLeg[] {
  const live = MAY_EXECUTE.flatMap((status) => ofStatus(store).all({ accountId, status }));
  const open = live.flatMap((row) => openLeg(store, row, toLeg(row)));
  return [
    ...open,
    ...openModifies(store)
      .all({ accountId })
      .flatMap((row) => placedApart(store, row)),
  ];
}

/** No placing is a modify: these have rows of their own. In the words of the index that holds only what is open. */
function openModifiesWhere(isWanted: SQL) {
  const isOpen = sql`${attempts.state} <> 'done'`;
  return prepared((store) =>
    store
      .select(columnsOf(attempts, ["cloid", "resourceId"]))
      .from(attempts)
      .where(and(isOpen, isWanted, eq(attempts.kind, "modify")))
      .prepare(),
  );
}

const openModifies = openModifiesWhere(eq(attempts.accountId, sql.placeholder("accountId")));
const openModifiesOf = openModifiesWhere(eq(attempts.resourceId, sql.placeholder("resourceId")));

/** What a modify may place although its order is over: its order's status does not tell of it. */
function placedApart(store: Store, { cloid, resourceId }: { cloid: string | null; resourceId: string }): OpenLeg[] {
  const order = findOrder(store, resourceId);
  const leg = cloid === null ? null : findLegByCloid(store, cloid);
  return order === null || leg === null || mayExecute(order) ? [] : openLeg(store, order, leg);
}

function ofOrder(store: Store, orderId: string): { accountId: string; legs: readonly OpenLeg[] } | null {
  const order = findOrder(store, orderId);
  if (order === null) return null;
  const { accountId } = order;
  if (mayExecute(order))
    return { accountId, legs: listLegs(store, orderId).flatMap((leg) => openLeg(store, order, leg)) };
  const apart = openModifiesOf(store).all({ resourceId: orderId });
  return { accountId, legs: apart.flatMap((row) => placedApart(store, row)) };
}
