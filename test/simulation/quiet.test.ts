/** Quiet accounts that are stopped: a few seeds, and those that have found something. */
import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { worldsOf } from "./drawn.ts";
import { isQuiet, runQuiet } from "./quiet.ts";

const SEEDS: [number, string][] = [
  [34, "of a bot that falls silent"],
  [88, "of which an order on spot leaves no trace"],
  // A slice of a TWAP of the same market and side stood in the history, and was taken for what a lost trigger may have placed: for good.
  // Its flattening waited for good: nothing newer than the TWAP ever came into the history.
  [3_351, "of a bot with a TWAP that no answer has named"],
  [100_064, "with a lost trigger beside the slices of a TWAP"],
];

test.each(SEEDS)(
  "seed %d, an account %s, breaks no promise",
  async (seed) => {
    const { findings, scene } = await runQuiet({ seed, directory: tmpdir(), isLogged: false });
    scene.close();
    expect(findings).toEqual([]);
  },
  60_000,
);

test("one run in fourteen is one of these, and of no other world", () => {
  const quiet = Array.from({ length: 1_000 }, (_, seed) => seed).filter(isQuiet);
  expect(quiet.length).toBeGreaterThan(50);
  expect(quiet.length).toBeLessThan(100);
  expect(quiet.every((seed) => worldsOf(seed).size === 1)).toBe(true);
});
