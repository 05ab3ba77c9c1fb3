import type { Clock } from "../core/clock.ts";

/**
 * What `work` comes to, or null where it has not come within `ms`; it goes on by itself then. Throws what it throws. A sleep
 * in place of the timer would go on too, and hold its memory and the process, until it had ended.
 */
export function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | null> {
  const timer = clock.timer(ms);
  return Promise.race([work, timer.up.then(() => null)]).finally(timer.cancel);
}
