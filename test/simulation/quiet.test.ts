/** Quiet accounts that are stopped: a few seeds, and those that have found something. */
import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { openChance } from "./chance.ts";
import { worldsOf } from "./drawn.ts";
import { isQuiet, runQuiet } from "./quiet.ts";
import { drawQuietFates, drawQuietLags } from "./quiet-fates.ts";

const SEEDS: [number, string][] = [
  [34, "of a bot that falls silent"],
  [88, "of which an order on spot leaves no trace"],
  // A slice of a TWAP of the same market and side stood in the history, and was taken for what a lost trigger may have placed: for good.
  // Its flattening waited for good: nothing newer than the TWAP ever came into the history.
  [3_351, "of a bot with a TWAP that no answer has named"],
  [100_064, "with a lost trigger beside the slices of a TWAP"],
  // What is behind: positions of before what is held, a leverage of before it was set.
  [7_702, "that is flattened while positions are behind"],
  [7_029, "of a bot that is flattened beside a lost TWAP while fills are behind"],
  [7_135, "whose leverage no server that is behind shows"],
];

test.each(SEEDS)("seed %d, an account %s, breaks no promise", async (seed) => {
  const { findings, scene } = await runQuiet({ seed, directory: tmpdir(), isLogged: false });
  scene.close();
  expect(findings).toEqual([]);
});

test("in some of these a store is behind each answer by itself, when answers are lost no more as well", () => {
  const seeds = Array.from({ length: 300 }, (_, seed) => seed);
  const isBehind = (seed: number, afterMs: number) => {
    const fate = drawQuietFates(openChance(seed), 0, drawQuietLags(seed));
    const read = { path: "/info" as const, body: '{"type":"clearinghouseState"}', atMs: afterMs, number: 1 };
    return Array.from({ length: 10 }, () => fate(read).lagMs ?? 0).some((lagMs) => lagMs > 60_000);
  };
  expect(seeds.filter((seed) => isBehind(seed, -1)).length).toBeGreaterThan(40);
  expect(seeds.filter((seed) => isBehind(seed, 600_000)).length).toBeGreaterThan(15);
  expect(seeds.filter((seed) => isBehind(seed, 600_000)).length).toBeLessThan(60);
});

test("one run in fourteen is one of these, and of no other world", () => {
  const quiet = Array.from({ length: 1_000 }, (_, seed) => seed).filter(isQuiet);
  expect(quiet.length).toBeGreaterThan(50);
  expect(quiet.length).toBeLessThan(100);
  expect(quiet.every((seed) => worldsOf(seed).size === 1)).toBe(true);
});
