/** Whether what the exchange shows or tells is an order of ours, and what follows from that alone. */
import type { Account } from "../../core/account.ts";
import type { Leg } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { inTransaction } from "../../store/commit.ts";
import { findLegByCloid, findLegByOid } from "../../store/legs.ts";
import { findOrder } from "../../store/orders.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";
import type { OrderUpdate } from "../../wire/answer/stream.ts";
import { askedTerms, differenceFrom } from "../evidence/difference.ts";
import { isKnownAnothers, raiseAlarm } from "../look/apply-sight.ts";
import { recordLegEvent } from "../record/record.ts";
import { isLost } from "./early-words.ts";

export function legOf(world: With<"store">, account: Account, { order }: Pick<OrderUpdate, "order">): Leg | null {
  const byOid = findLegByOid(world.store, account.id, order.oid);
  if (byOid !== null || order.cloid === null) return byOid;
  const leg = findLegByCloid(world.store, order.cloid);
  return leg !== null && findOrder(world.store, leg.orderId)?.accountId === account.id ? leg : null;
}

/** Whether what is shown under an id of ours is another order, by its terms. Then the alarm is raised, and nothing of it is believed. */
export function isAnother(
  world: With<"clock" | "log" | "markets" | "store">,
  leg: Leg,
  shown: Parameters<typeof differenceFrom>[1],
): boolean {
  const order = findOrder(world.store, leg.orderId);
  const difference = order === null ? null : differenceFrom({ ...askedTerms(order), leg }, shown);
  if (difference !== null) raiseAlarm(world, leg, difference);
  return difference !== null;
}

/** Opens orders again that are shown although we had concluded that they never arrived. Returns their ids: each needs a look. */
export function reopenShown(
  world: With<"clock" | "log" | "markets" | "store">,
  account: Account,
  shown: Iterable<FrontendOrder>,
): string[] {
  return [...shown].flatMap((order) => {
    const leg = legOf(world, account, { order });
    if (leg === null || isAnother(world, leg, order) || leg.state !== "absent") return [];
    noteReported(world, leg, order.oid);
    return [leg.orderId];
  });
}

/**
 * Writes down that the exchange has an order, whatever its other stores show: one whose answer was lost gets its native id, and one that
 * we took for absent is open again. What became of it a look has to say.
 */
export function noteReported(world: With<"clock" | "store">, leg: Leg, oid: string): void {
  if (leg.oid !== null && leg.state !== "absent") return;
  if ((!isLost(world, leg) && leg.state !== "absent") || isKnownAnothers(world, leg, oid)) return;
  const event = { type: "reported", oid } as const;
  inTransaction(world.store, () => recordLegEvent(world.store, leg.cloid, event, world.clock.nowMs()));
}
