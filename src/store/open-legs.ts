/** Everything of an account that may still execute, as our rows tell it: a lost answer among it. */
import { and, eq, sql } from "drizzle-orm";
import { decimal, isNegative, subtract, ZERO } from "../core/decimal.ts";
import { isClosed, isLive, type Leg, type OrderStatus } from "../core/order.ts";
import type { OpenLeg } from "../core/rails/exposure.ts";
import { botOf } from "./bots.ts";
import { findLegByCloid, toLeg } from "./legs.ts";
import type { Store } from "./open.ts";
import { findOrder } from "./orders.ts";
import { columnsOf, prepared } from "./prepared.ts";
import { attempts, orders } from "./schema.ts";
import { everyLeg, LEG_FIELDS } from "./schema-views.ts";

const TERMS = columnsOf(orders, ["market", "side", "reduceOnly", "keyHash", "status"]);
type Terms = Pick<typeof orders.$inferSelect, keyof typeof TERMS>;

const ofStatus = prepared((store) =>
  store
    .select({ ...LEG_FIELDS, ...TERMS })
    .from(orders)
    .innerJoin(everyLeg, eq(everyLeg.orderId, orders.id))
    .where(and(eq(orders.accountId, sql.placeholder("accountId")), eq(orders.status, sql.placeholder("status"))))
    .prepare(),
);

const LIVE = ["processing", "unknown", "open", "waiting_for_trigger"] as const satisfies readonly OrderStatus[];

export function listOpenLegs(store: Store, accountId: string): OpenLeg[] {
  const live = LIVE.flatMap((status) => ofStatus(store).all({ accountId, status }));
  return [...live.flatMap((row) => openLeg(store, row, toLeg(row))), ...listPlacedApart(store, accountId)];
}

/** No placing is a modify: these have rows of their own. In the words of the index that holds only what is open. */
const openModifies = prepared((store) =>
  store
    .select(columnsOf(attempts, ["cloid", "resourceId"]))
    .from(attempts)
    .where(
      and(
        sql`${attempts.state} <> 'done'`,
        eq(attempts.accountId, sql.placeholder("accountId")),
        eq(attempts.kind, "modify"),
      ),
    )
    .prepare(),
);

/** What a modify may place although its order is over: its order's status does not tell of it. */
function listPlacedApart(store: Store, accountId: string): OpenLeg[] {
  const open = openModifies(store).all({ accountId });
  return open.flatMap(({ cloid, resourceId }) => {
    const order = findOrder(store, resourceId);
    const leg = cloid === null ? null : findLegByCloid(store, cloid);
    return order === null || leg === null || isLive(order.status) ? [] : openLeg(store, order, leg);
  });
}

function openLeg(store: Store, terms: Terms, leg: Leg): OpenLeg[] {
  const remaining = isClosed(leg) ? ZERO : subtract(leg.size, leg.filledSize);
  if (remaining === ZERO || isNegative(remaining)) return [];
  const { market, side, reduceOnly } = terms;
  const waits = leg.trigger !== null && leg.state !== "resting";
  return [
    {
      ...{ orderId: leg.orderId, cloid: leg.cloid, market, side, reduceOnly, remaining, price: decimal(leg.price) },
      triggerPrice: waits && leg.trigger !== null ? decimal(leg.trigger.price) : null,
      bot: botOf(store, terms.keyHash),
    },
  ];
}
