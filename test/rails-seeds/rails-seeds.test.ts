import { expect, test } from "bun:test";
import { added, NOTHING_TOLD, runSeeds } from "./run-seeds.ts";

const SEEDS = { from: 1, count: 60, mix: "all", forMs: Number.POSITIVE_INFINITY, nowMs: () => 0 } as const;
/** As they were drawn when they were found. */
const DIRECT = { ...SEEDS, mix: "direct" } as const;

test("in short runs of every verb nothing is signed beyond the rails of its bot, and each limit is come to", async () => {
  const { failed, used, increases } = await runSeeds(SEEDS);
  expect(failed).toEqual([]);
  expect(increases).toBeGreaterThan(40);
  for (const rail of ["max_order", "max_position", "max_exposure", "max_actions", "max_open"])
    expect([rail, (used.get(rail) ?? 0) > 0.9]).toEqual([rail, true]);
});

test("a seed is the same run each time", async () => {
  const [one, other] = [await runSeeds({ ...SEEDS, count: 8 }), await runSeeds({ ...SEEDS, count: 8 })];
  expect(other).toEqual(one);
});

test("seeds that several jobs have had between them are told as if one had had them all", async () => {
  const [first, rest] = [await runSeeds({ ...SEEDS, count: 3 }), await runSeeds({ ...SEEDS, from: 4, count: 5 })];
  expect(added(first, rest)).toEqual(await runSeeds({ ...SEEDS, count: 8 }));
});

test("of jobs that have failed the first seed of each is named, the lowest first", () => {
  const failed = (...seeds: number[]) => ({
    ...NOTHING_TOLD,
    failed: seeds.map((seed) => ({ seed, findings: ["more than was signed"] })),
  });
  const all = [failed(9), NOTHING_TOLD, failed(7), failed(30)].reduce(added);
  expect(all.failed.map(({ seed }) => seed)).toEqual([7, 9, 30]);
});

test.each([
  ["a trade had read the account's position and the gate went by an older one", 322_532],
  ["what was bought beyond its own was sold a second time, before anything of its own was told sold", 1_096_501],
  ["a bot had sold itself, and another before it, since the position that the gate went by", 200_452_835],
  ["a bot had bought itself, and another before it, since the position that the gate went by", 200_881_980],
  ["a bot had closed what another held, and was not told yet, in the market that it bought in", 500_111_350],
  ["the same in another market", 500_517_686],
  ["a smaller stop came to stand beside one whose entry was refused", 1_124_490],
])("a run in which %s keeps to its rails", async (_what, from) => {
  expect((await runSeeds({ ...DIRECT, from, count: 1 })).failed).toEqual([]);
});
