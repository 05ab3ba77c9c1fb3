/** What is waited for to a deadline leaves no timer behind, whatever comes of it. */
import { expect, test } from "bun:test";
import { within } from "../../src/settle/within.ts";
import { stillClock } from "../support/still-clock.ts";

function countingClock() {
  const clock = stillClock(0);
  const timers = new Set<object>();
  return {
    ...clock,
    sleep: () => Promise.reject(new Error("nobody can give up a sleep")),
    timer(durationMs: number) {
      const timer = clock.timer(durationMs);
      timers.add(timer);
      const cancel = () => {
        timers.delete(timer);
        timer.cancel();
      };
      return { up: timer.up, cancel };
    },
    timersLeft: () => timers.size,
  };
}

test("what comes in time is told", async () => {
  const clock = countingClock();
  expect(await within(clock, 1_000, Promise.resolve("told"))).toBe("told");
  expect(clock.timersLeft()).toBe(0);
});

test("what fails in time fails", async () => {
  const clock = countingClock();
  expect(await within(clock, 1_000, Promise.reject(new Error("no"))).catch(String)).toBe("Error: no");
  expect(clock.timersLeft()).toBe(0);
});

test("what does not come in time is nothing", async () => {
  const clock = countingClock();
  const waiting = within(clock, 1_000, new Promise(() => undefined));
  await clock.advance(1_000);
  expect(await waiting).toBeNull();
  expect(clock.timersLeft()).toBe(0);
});
