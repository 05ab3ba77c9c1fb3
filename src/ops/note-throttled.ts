import type { With } from "../deps.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";

/** A row at most this often: whoever guesses keys must not fill the disk, milliseconds. */
const ROW_SPACING_MS = 60_000;

/** Writes down who is being refused for too many failed proofs, and how many refusals there were since the last row. */
export function openThrottleNotes({ store, clock, log }: With<"clock" | "log" | "store">) {
  let lastMs: number | null = null;
  let refusals = 0;

  return (client: string, kind: string): void => {
    refusals += 1;
    const elapsedMs = clock.elapsedMs();
    if (lastMs !== null && elapsedMs - lastMs < ROW_SPACING_MS) return;
    const detail = { kind, refusals };
    lastMs = elapsedMs;
    refusals = 0;
    log.warn({ client, kind, count: detail.refusals }, "too many failed proofs of identity");
    const entry = { atMs: clock.nowMs(), actor: "gateway", event: "client_throttled", reference: client, detail };
    try {
      inTransactionNotWaiting(store, (within) => appendAudit(within, entry));
    } catch (error) {
      log.error({ error: String(error) }, "a throttled client could not be written down");
    }
  };
}
