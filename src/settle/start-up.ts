import type { Account } from "../core/account.ts";
import type { Clock } from "../core/clock.ts";
import type { With } from "../deps.ts";
import { CONNECT_SPACING_MS } from "../exchange/connect-turns.ts";
import type { ConnectedExchange } from "../exchange/http.ts";
import { listAccounts } from "../store/accounts.ts";
import { listOpenAttempts, markPreparedAmbiguous } from "../store/attempts.ts";
import { inTransaction } from "../store/commit.ts";
import { markStart } from "../store/events.ts";
import { rememberHeld } from "../store/held-changes.ts";
import { listLegs } from "../store/legs.ts";
import { listProcessing } from "../store/live-orders.ts";
import type { Store } from "../store/open.ts";
import { markOperationsUnknown } from "../store/operations.ts";
import { listOpenOrders } from "../store/orders.ts";
import { recordLegEvent } from "./record/record.ts";
import type { Settler } from "./settler.ts";
import { within } from "./within.ts";

/** Words for an order that was on its way when the process ended. */
const INTERRUPTED = "the gateway was stopped before the exchange's answer was written down; it is being looked up";

/**
 * Before anything listens: nothing runs in a new process, so what was under way is `unknown`, in one transaction.
 * Nothing is ever re-sent.
 */
export function markInterrupted(world: With<"clock" | "store">): {
  orders: number;
  operations: number;
  attempts: number;
} {
  const nowMs = world.clock.nowMs();
  for (const { id } of listAccounts(world.store)) rememberHeld(world.store, listOpenOrders(world.store, id));
  return inTransaction(world.store, (store) => {
    markStart(store, nowMs);
    return {
      orders: losePlacings(store, nowMs),
      operations: markOperationsUnknown(store, INTERRUPTED, nowMs),
      attempts: markPreparedAmbiguous(store),
    };
  });
}

/** Whatever was on its way for an order of which the exchange has said nothing yet is lost. Returns how many orders that were. */
function losePlacings(store: Store, nowMs: number): number {
  const interrupted = listProcessing(store);
  for (const { cloid } of interrupted.flatMap((id) => listLegs(store, id))) {
    recordLegEvent(store, cloid, { type: "lost", reason: INTERRUPTED }, nowMs);
  }
  return interrupted.length;
}

/** Looks at everything that was in flight; resolves when each was looked at once, or at the deadline. */
export async function lookAtInterrupted(world: With<"clock" | "point" | "settings">, settler: Settler): Promise<void> {
  await world.point("start_up_marked");
  await within(world.clock, world.settings.timings.startUpDeadlineMs, settler.takeUp());
}

/** Feeds connect one after the other, and what was missed is read with that: first where something is unknown. */
export function unsettledFirst({ store }: With<"store">): Account[] {
  const unsettled = new Set(listOpenAttempts(store).map(({ accountId }) => accountId));
  return listAccounts(store).toSorted((a, b) => Number(unsettled.has(b.id)) - Number(unsettled.has(a.id)));
}

/** A feed that has not connected so long after its turn is not waited for at a start, milliseconds. */
const FEED_WITHIN_MS = 2_000;

/** By then the feeds of all accounts have connected that will, milliseconds. */
export function connectedWithinMs(store: Store, maxFeeds: number): number {
  const turns = Math.min(listAccounts(store).length, maxFeeds);
  return FEED_WITHIN_MS + Math.max(0, turns - 1) * CONNECT_SPACING_MS;
}

/** Between two tries to read the markets for the first time, milliseconds. */
const FIRST_MARKETS_RETRY_MS = 1_000;
/** Between two tries to compare clocks for the first time, milliseconds. */
const FIRST_CLOCK_RETRY_MS = 1_000;

/** Before that, nonces and expiries would follow our own clock, which may be wrong by hours. */
export async function compareClocksOnce(
  exchange: ConnectedExchange,
  clock: Clock,
  isStopped: () => boolean,
): Promise<void> {
  while (!isStopped() && !(await exchange.measureClock())) await clock.sleep(FIRST_CLOCK_RETRY_MS);
}

export async function readFirstMarkets(world: With<"clock" | "markets">, isStopped: () => boolean): Promise<void> {
  while (!isStopped()) {
    const universe = await world.markets.refresh();
    if (universe !== null) return;
    await world.clock.sleep(FIRST_MARKETS_RETRY_MS);
  }
}
