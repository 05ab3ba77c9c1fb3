import type { Clock } from "../../src/core/clock.ts";
import { sleepingTimer } from "./sleeping-timer.ts";

/** A clock that stands until a test lets it go on, and then wakes sleepers one after the other, each at its time. */
export type StillClock = Clock & {
  advance(durationMs: number): Promise<void>;
  /** A step of the wall clock alone. */
  stepWall(byMs: number): void;
};

/** Turns of the event loop in which everything that is ready has run. */
const QUIET_TURNS = 8;

export async function settled(): Promise<void> {
  for (let turn = 0; turn < QUIET_TURNS; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

export function stillClock(startMs: number): StillClock {
  let elapsedMs = 0;
  let wallStepMs = 0;
  const sleepers = new Set<{ atMs: number; wake: () => void }>();

  function nextBefore(endMs: number): { atMs: number; wake: () => void } | null {
    const due = [...sleepers].filter((sleeper) => sleeper.atMs <= endMs);
    return due.toSorted((a, b) => a.atMs - b.atMs)[0] ?? null;
  }

  function sleep(durationMs: number): Promise<void> {
    return new Promise((wake) => {
      sleepers.add({ atMs: elapsedMs + durationMs, wake });
    });
  }

  return {
    nowMs: () => startMs + elapsedMs + wallStepMs,
    elapsedMs: () => elapsedMs,
    sleep,
    timer: sleepingTimer(sleep),
    stepWall: (byMs) => {
      wallStepMs += byMs;
    },
    async advance(durationMs) {
      const endMs = elapsedMs + durationMs;
      await settled();
      for (let next = nextBefore(endMs); next !== null; next = nextBefore(endMs)) {
        sleepers.delete(next);
        elapsedMs = Math.max(elapsedMs, next.atMs);
        next.wake();
        await settled();
      }
      elapsedMs = endMs;
    },
  };
}
