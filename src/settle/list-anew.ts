import type { With } from "../deps.ts";
import { lacksEvents, listEventsAnew } from "../store/account-events.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";
import { lacksOrders, listOrdersAnew } from "../store/listed-orders.ts";
import type { Store } from "../store/open.ts";

/** Between two rounds, milliseconds. */
export const LIST_INTERVAL_MS = 5_000;

/** Rows of one transaction: orders that are placed wait for no more than that. */
const ROWS_AT_ONCE = 500;
/** Transactions of one round; the rest is the next round's. */
const MAX_STEPS = 100;
const STEP_PAUSE_MS = 20;

type ToList = With<"clock" | "log" | "store">;

/** Takes the newest orders, and the newest events, into the lists by which they are looked for, many at once. */
export async function keepListed(world: ToList, isStopped: () => boolean): Promise<void> {
  try {
    await keepOneListed(world, { lacks: lacksOrders, take: listOrdersAnew }, isStopped);
    await keepOneListed(world, { lacks: lacksEvents, take: listEventsAnew }, isStopped);
  } catch (error) {
    world.log.warn({ error: String(error) }, "new rows could not be taken into the lists");
  }
}

/** `list`: how new rows come into it. */
async function keepOneListed(
  { store, clock }: ToList,
  list: { lacks(store: Store): boolean; take(store: Store, count: number): number },
  isStopped: () => boolean,
): Promise<void> {
  // Looked at first: mostly there is nothing to write.
  for (let step = 0; step < MAX_STEPS && !isStopped() && list.lacks(store); step += 1) {
    const count = inTransactionNotWaiting(store, () => list.take(store, ROWS_AT_ONCE));
    if (count < ROWS_AT_ONCE) return;
    await clock.sleep(STEP_PAUSE_MS);
  }
}
