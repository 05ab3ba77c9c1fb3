import type { Clock } from "../core/clock.ts";

/**
 * Between two new websockets of one kind, milliseconds: the exchange allows 30 a minute. Those of accounts are 24 at most
 * with this; the one of the markets, with the pauses after its failures, six.
 */
export const CONNECT_SPACING_MS = 2_500;

/** Waits until the next websocket may be opened. */
export function openConnectTurns(clock: Clock): () => Promise<void> {
  let nextAtMs = 0;
  return async () => {
    const nowMs = clock.elapsedMs();
    const atMs = Math.max(nowMs, nextAtMs);
    nextAtMs = atMs + CONNECT_SPACING_MS;
    if (atMs > nowMs) await clock.sleep(atMs - nowMs);
  };
}
