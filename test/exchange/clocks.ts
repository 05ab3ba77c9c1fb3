import type { Clock } from "../../src/core/clock.ts";

/** A clock that stands until it is told to go on. */
export type StillClock = Clock & {
  advance(durationMs: number): Promise<void>;
  /** A step of the wall clock alone. */
  stepWall(byMs: number): void;
  sleepers(): number;
};

export function stillClock(startMs = 1_700_000_000_000): StillClock {
  let elapsedMs = 0;
  let wallStepMs = 0;
  const sleeping = new Set<{ atMs: number; wake: () => void }>();
  return {
    nowMs: () => startMs + elapsedMs + wallStepMs,
    elapsedMs: () => elapsedMs,
    sleep: (durationMs) =>
      new Promise<void>((wake) => {
        sleeping.add({ atMs: elapsedMs + durationMs, wake });
      }),
    timer(durationMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const sleeper = { atMs: elapsedMs + durationMs, wake: resolve };
      sleeping.add(sleeper);
      return { up: promise, cancel: () => void sleeping.delete(sleeper) };
    },
    stepWall: (byMs) => {
      wallStepMs += byMs;
    },
    sleepers: () => sleeping.size,
    advance: async (durationMs) => {
      elapsedMs += durationMs;
      for (const sleeper of sleeping) {
        if (sleeper.atMs > elapsedMs) continue;
        sleeping.delete(sleeper);
        sleeper.wake();
      }
      await settled();
    },
  };
}

/** Lets everything that is ready run: promises, and what they lead to. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Bun.sleep(0);
}
