/** Triggers that a flattening cancels because nobody knew whether they wait: one that is told to wait after all protects what is held. */
import type { Attempt } from "../../core/attempt.ts";
import type { With } from "../../deps.ts";
import { findOrder } from "../../store/orders.ts";
import { findStop } from "../../store/stops.ts";
import type { Grounds } from "../cancel/grounds.ts";
import { stopOfName } from "./cancel-covered.ts";
import { isWaiting } from "./flatten-step.ts";
import { keptOrders } from "./remaining.ts";

type KeptRows = Parameters<typeof keptOrders>[0];

/** Whether the cancel of a stop is to be sent again: not that of a trigger which the stop keeps, once it is told to wait. */
export function keptTriggerGrounds(worldOf: () => KeptRows): Grounds {
  return {
    read: async () => undefined,
    judge: (attempt) => (isKeptTrigger(worldOf(), attempt) ? "lapsed" : "stands"),
  };
}

function isKeptTrigger(world: KeptRows, { kind, idempotencyKey, resource }: Attempt): boolean {
  const stopId = kind === "cancel" ? stopOfName(idempotencyKey) : null;
  if (stopId === null || !isTriggerWaiting(world, resource.id)) return false;
  const stop = findStop(world.store, stopId);
  return stop !== null && keptOrders(world, stop).some(({ id }) => id === resource.id);
}

export function isTriggerWaiting({ store }: With<"store">, orderId: string): boolean {
  const order = findOrder(store, orderId);
  return order !== null && isWaiting(order);
}
