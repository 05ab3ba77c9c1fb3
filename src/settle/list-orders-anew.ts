import type { With } from "../deps.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";
import { lacksOrders, listOrdersAnew } from "../store/listed-orders.ts";

/** Between two rounds, milliseconds. */
export const LIST_INTERVAL_MS = 5_000;

/** Orders of one transaction: those that are placed wait for no more than that. */
const ORDERS_AT_ONCE = 500;
/** Transactions of one round; the rest is the next round's. */
const MAX_STEPS = 100;
const STEP_PAUSE_MS = 20;

/** Takes the newest orders into the list by which they are looked for, many at once. */
export async function keepOrdersListed(
  { store, clock, log }: With<"clock" | "log" | "store">,
  isStopped: () => boolean,
): Promise<void> {
  try {
    // Looked at first: mostly there is nothing to write.
    for (let step = 0; step < MAX_STEPS && !isStopped() && lacksOrders(store); step += 1) {
      const count = inTransactionNotWaiting(store, () => listOrdersAnew(store, ORDERS_AT_ONCE));
      if (count < ORDERS_AT_ONCE) return;
      await clock.sleep(STEP_PAUSE_MS);
    }
  } catch (error) {
    log.warn({ error: String(error) }, "orders could not be taken into the list");
  }
}
