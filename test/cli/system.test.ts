import { expect, test } from "bun:test";
import { systemClock } from "../../src/cli/system.ts";

test("a timer that is given up is never up, and another one is", async () => {
  const [given, kept] = [systemClock.timer(0), systemClock.timer(1)];
  let isUp = false;
  void given.up.then(() => {
    isUp = true;
  });
  given.cancel();
  await kept.up;
  expect(isUp).toBe(false);
});
