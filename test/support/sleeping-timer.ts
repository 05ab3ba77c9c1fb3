import type { Clock } from "../../src/core/clock.ts";

/** A timer of a test's own clock: a sleep of which nobody hears once it was given up. */
export function sleepingTimer(sleep: Clock["sleep"]): Clock["timer"] {
  return (durationMs) => {
    let isOn = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    void sleep(durationMs).then(() => {
      if (isOn) resolve();
    });
    const cancel = () => {
      isOn = false;
    };
    return { up: promise, cancel };
  };
}

/** The same clock with another sleep, and timers that follow it. */
export function withSleep<Base extends Clock>(clock: Base, sleep: Clock["sleep"]): Base {
  return { ...clock, sleep, timer: sleepingTimer(sleep) };
}

/** For those who neither sleep nor wait. */
export const SLEEPLESS = {
  sleep: async () => undefined,
  timer: () => ({ up: new Promise<void>(() => undefined), cancel: () => undefined }),
} as const satisfies Pick<Clock, "sleep" | "timer">;
