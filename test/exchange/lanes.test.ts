import { expect, test } from "bun:test";
import { createLanes } from "../../src/exchange/lanes.ts";
import { settled } from "./clocks.ts";

test("a lane is with one at a time; who waits gets it in turn, and too many waiting are turned away", async () => {
  const lanes = createLanes(2);
  expect(await Promise.all([lanes.acquire(), lanes.acquire()])).toEqual([0, 1]);
  const given: string[] = [];
  const waiting = Array.from({ length: 256 }, (_, at) =>
    Promise.resolve(lanes.acquire()).then((lane) => given.push(`${at}:${lane}`)),
  );
  expect(lanes.acquire()).toBeNull();
  lanes.release(1);
  await settled();
  expect(given).toEqual(["0:1"]);
  lanes.release(0);
  await settled();
  expect(given).toEqual(["0:1", "1:0"]);
  for (let nth = 0; nth < 254; nth += 1) lanes.release(1);
  await Promise.all(waiting);
  expect(given).toHaveLength(256);
  lanes.release(0);
  expect(await lanes.acquire()).toBe(0);
});
