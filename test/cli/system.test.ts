import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBootClock, systemClock } from "../../src/cli/system.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

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

test("what has passed since the machine started is read anew each time, and counted in milliseconds", async () => {
  await inTemporaryDirectory(async (directory) => {
    const file = join(directory, "uptime");
    writeFileSync(file, "12.50 3.00\n");
    const bootMs = openBootClock(file);
    expect(bootMs()).toBe(12_500);
    writeFileSync(file, "612.50 3.00\n");
    expect(bootMs()).toBe(612_500);
  });
});

test.each(["/nowhere/uptime", import.meta.path])("where %s says nothing of it, it is the wall clock", (path) => {
  expect(Math.abs(openBootClock(path)() - Date.now())).toBeLessThan(10_000);
});
