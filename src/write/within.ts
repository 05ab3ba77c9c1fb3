import type { Clock } from "../core/clock.ts";

/** What `work` comes to, or null where it has not come within `ms`; it goes on by itself then. Throws what it throws. */
export function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | null> {
  const timer = clock.timer(ms);
  return Promise.race([work, timer.up.then(() => null)]).finally(timer.cancel);
}
