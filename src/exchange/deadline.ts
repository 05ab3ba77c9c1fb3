import type { Clock } from "../core/clock.ts";

type Armed = { atMs: number; expire(): void };

/** Calls `expire` unless the returned function was called within the duration; both at most once. */
export type Deadlines = (expire: () => void) => () => void;

/** A sleep that ends so much too late: the process stood still, milliseconds. */
const STOOD_STILL_MS = 500;
/** For what has arrived meanwhile, which no turn of the event loop has looked at yet, milliseconds. */
const READ_FIRST_MS = 250;

/**
 * One sleep watches over all requests in flight: they have the same duration, so they expire in the order in which
 * they were armed, and a busy gateway does not leave a timer behind for each answered request.
 */
export function openDeadlines(clock: Clock, durationMs: number): Deadlines {
  const armed = new Set<Armed>();
  let isWatching = false;

  /** Ends when nothing is armed; sleeps at most `durationMs` at a time. */
  async function watch(): Promise<void> {
    isWatching = true;
    for (const next of armed) {
      const leftMs = next.atMs - clock.elapsedMs();
      if (leftMs > 0) await clock.sleep(leftMs);
      if (clock.elapsedMs() - next.atMs >= STOOD_STILL_MS) await clock.sleep(READ_FIRST_MS);
      if (armed.delete(next)) next.expire();
    }
    isWatching = false;
  }

  return (expire) => {
    const entry: Armed = { atMs: clock.elapsedMs() + durationMs, expire };
    armed.add(entry);
    if (!isWatching) void watch();
    return () => {
      armed.delete(entry);
    };
  };
}
