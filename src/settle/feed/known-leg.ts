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
import { raiseAlarm } from "../look/apply-sight.ts";
import { recordLegEvent } from "../record/record.ts";
import { isLost } from "./early-words.ts";

export function legOf(world: With<"store">, account: Account, { order }: Pick<OrderUpdate, "order">): Leg | null {
  const byOid = findLegByOid(world.store, account.id, order.oid);
  if (byOid !== null || order.cloid === null) return byOid;
  const leg = findLegByCloid(world.store, order.cloid);
  return leg !== null && findOrder(world.store, leg.orderId)?.accountId === account.id ? leg : null;
}

/** Something else under our id: nothing of it is believed. */
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

/** Orders that are shown and of which we had concluded that they never arrived: they are open again, and a look is to say what they are. */
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
 * The exchange has it, whatever its other stores show: what was lost has a name, and what we concluded is open again. A look
 * says what it is.
 */
export function noteReported(world: With<"clock" | "store">, leg: Leg, oid: string): void {
  if (leg.oid !== null && leg.state !== "absent") return;
  if (!isLost(world, leg) && leg.state !== "absent") return;
  const event = { type: "reported", oid } as const;
  inTransaction(world.store, () => recordLegEvent(world.store, leg.cloid, event, world.clock.nowMs()));
}
