/** Whether anything of an order is still to come. */
import { endsAtMs } from "../core/attempt.ts";
import { isLive } from "../core/order.ts";
import type { With } from "../deps.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import type { StoredOrder } from "../store/orders.ts";

/** An order of which anything may still execute, or of which the size is not final. */
export function isUnsettled({ store }: With<"store">, { id, status }: StoredOrder): boolean {
  return isLive(status) || isUnderWay({ store }, id);
}

/** Something that was sent for it is not answered, or not settled: who waits for what that does looks himself. */
export function isUnderWay({ store }: With<"store">, orderId: string): boolean {
  return listAttemptsOf(store, orderId).some(({ state }) => state !== "done");
}

/**
 * Whether anything of an order may still execute. One that executes at once or not at all is out of question once its
 * time is over: whatever it did is in what is held later.
 *
 * @param exchangeMs as of when what is held was shown, exchange time, unix milliseconds
 */
export function mayStillExecute(world: With<"store">, order: StoredOrder, exchangeMs: number): boolean {
  if (!isUnsettled(world, order)) return false;
  const { id, status, timeInForce, trigger } = order;
  if (timeInForce !== "ioc" || trigger !== null || status === "open") return true;
  // One that was answered may have been filled a moment ago as well.
  const placings = listAttemptsOf(world.store, id).filter(({ kind }) => kind !== "cancel");
  return placings.some((attempt) => endsAtMs(attempt) >= exchangeMs);
}
