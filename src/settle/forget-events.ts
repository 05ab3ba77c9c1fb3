import type { With } from "../deps.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";
import { pruneEvents } from "../store/events.ts";

/** How long events are kept, milliseconds: a week, so that a bot may rest over a holiday. */
export const KEPT_MS = 7 * 24 * 60 * 60_000;
/** How many events are kept at most: about 80 MB. */
export const MAX_KEPT = 100_000;
/** Between two rounds, milliseconds. */
export const PRUNE_INTERVAL_MS = 10 * 60_000;

/** Rows of one transaction: orders wait for no more than that. */
const ROWS_AT_ONCE = 500;
/** Transactions of one round; the rest is the next round's. */
const MAX_STEPS = 200;
const STEP_PAUSE_MS = 20;

/** Deletes old events, a few at a time. Readers who still wanted them are told to read again. */
export async function forgetOldEvents(
  { store, clock, log }: With<"clock" | "log" | "store">,
  isStopped: () => boolean,
): Promise<void> {
  try {
    for (let step = 0; step < MAX_STEPS && !isStopped(); step += 1) {
      const retention = { maxRows: MAX_KEPT, beforeMs: clock.nowMs() - KEPT_MS };
      const count = inTransactionNotWaiting(store, () => pruneEvents(store, retention, ROWS_AT_ONCE));
      if (count < ROWS_AT_ONCE) return;
      await clock.sleep(STEP_PAUSE_MS);
    }
  } catch (error) {
    log.warn({ error: String(error) }, "old events could not be deleted");
  }
}
