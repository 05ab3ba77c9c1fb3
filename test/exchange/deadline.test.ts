/** When a request is given up. */
import { expect, test } from "bun:test";
import { openDeadlines } from "../../src/exchange/deadline.ts";

/** A clock whose sleeps end so much too late. */
function sluggishClock(lateMs: number) {
  let elapsedMs = 0;
  const waiting: { atMs: number; wake: () => void }[] = [];
  const clock = {
    nowMs: () => elapsedMs,
    elapsedMs: () => elapsedMs,
    sleep: (durationMs: number) =>
      new Promise<void>((wake) => void waiting.push({ atMs: elapsedMs + durationMs, wake })),
    timer: () => ({ up: new Promise<void>(() => undefined), cancel: () => undefined }),
  };
  const wakeNext = async (isLate: boolean) => {
    const next = waiting.shift();
    if (next === undefined) throw new Error("nobody sleeps");
    elapsedMs = next.atMs + (isLate ? lateMs : 0);
    next.wake();
    await Bun.sleep(0);
  };
  return { clock, wakeNext };
}

test("a request is given up when its time is up, and not before", async () => {
  const { clock, wakeNext } = sluggishClock(0);
  const given: string[] = [];
  openDeadlines(clock, 5_000)(() => given.push("up"));
  expect(given).toEqual([]);
  await wakeNext(false);
  expect([given, clock.elapsedMs()]).toEqual([["up"], 5_000]);
});

test.each([
  ["that has arrived meanwhile is taken", true, []],
  ["that has not is given up a moment later", false, ["up"]],
])("after a stop of the process an answer %s", async (_name, hasArrived, expected) => {
  const { clock, wakeNext } = sluggishClock(6_000);
  const given: string[] = [];
  const disarm = openDeadlines(clock, 5_000)(() => given.push("up"));
  await wakeNext(true);
  expect(given).toEqual([]);
  if (hasArrived) disarm();
  await wakeNext(false);
  expect(given).toEqual(expected);
});
