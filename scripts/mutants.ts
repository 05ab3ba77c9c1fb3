/**
 * Proves that what guards us can fail: plants one bug at a time in a copy of the tree and counts the seeds of the
 * simulation that it takes until the auditor finds it. What no seed finds within its bounds has to be found by a test.
 *
 *   bun run mutants [--list LIST] [--only NAME] [--seeds N] [--jobs J]
 *   --sample N --by TEXT   N of them, drawn by the hash of a text; without it all
 *
 * LIST is one of those in `mutants/list`, NAME a part of a bug's name; 0 seeds leave it all to the tests, those that lie
 * nearest to the bug first. Fails when a bug survives both, or cannot be planted any more.
 */
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { drawn } from "./mutants/drawn.ts";
import { LISTS } from "./mutants/list.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { nearestTests, readTree, type Tree } from "./mutants/nearest.ts";
import { copyTree, plant, restore } from "./mutants/plant.ts";

/** Seeds after which the tests have to find a bug. */
const MAX_SEEDS = "2000";
/** Minutes for the seeds of one bug. */
const MAX_MINUTES = "2";
/** Milliseconds for one test: one that ran out of time has found nothing. */
const MAX_TEST_MS = "180000";
/** Milliseconds for one group of the tests of a bug. */
const MAX_GROUP_MS = 900_000;
/** Characters of a finding that are shown. */
const SHOWN = 160;
const MAX_JOBS = 16;

type Outcome = { name: string; isFound: boolean; verdict: string; finding: string };
/** A copy of the tree to plant in, and the one without a bug that it was made of. */
type Place = { directory: string; clean: string; tree: Tree };

async function hunt(mutant: Mutant, { directory, clean, tree }: Place, seeds: string): Promise<Outcome> {
  const { name, changes } = mutant;
  const fault = plant(directory, changes);
  if (fault !== null) return { name, isFound: false, verdict: "NOT PLANTED", finding: fault };
  try {
    const bySeed = seeds === "0" ? null : await findBySeeds(directory, mutant, seeds);
    if (bySeed !== null) return { name, isFound: true, ...bySeed };
    const test = await findByTests(directory, tree, mutant);
    if (test === null)
      return { name, isFound: false, verdict: "SURVIVED", finding: `${seeds} seeds, and every test that reaches it` };
    if (test === "out of time")
      return { name, isFound: false, verdict: "OUT OF TIME", finding: "its tests were ended before they were through" };
    return { name, isFound: true, verdict: "found by a test", finding: test };
  } finally {
    restore(directory, clean, changes);
  }
}

async function findBySeeds(
  cwd: string,
  mutant: Mutant,
  seeds: string,
): Promise<{ verdict: string; finding: string } | null> {
  const command = [process.execPath, ...commandOf(mutant), "--seeds", seeds];
  const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe" });
  const found = /^seed (\d+) failed: (.*)$/m.exec(await child.stdout.text());
  await child.exited;
  return found === null ? null : { verdict: `found by seed ${found[1]}`, finding: found[2] ?? "" };
}

function commandOf({ seeds, world }: Mutant): string[] {
  return seeds === "rails"
    ? ["scripts/rails-seeds.ts", "--seconds", String(Number(MAX_MINUTES) * 60)]
    : ["scripts/simulate.ts", "--world", world ?? "", "--minutes", MAX_MINUTES, "--quiet"];
}

/** Name of the first test that fails, nearest first; `out of time` where they were ended before one did, of which nothing follows. */
async function findByTests(cwd: string, tree: Tree, { changes }: Mutant): Promise<string | null> {
  const files = changes.map(({ file }) => file);
  for (const group of nearestTests(tree, files)) {
    const command = [process.execPath, "test", "--bail", "--timeout", MAX_TEST_MS, ...group];
    const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe", timeout: MAX_GROUP_MS });
    const [output] = await Promise.all([child.stderr.text(), child.stdout.text(), child.exited]);
    const failed = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/m.exec(output)?.[1];
    if (failed !== undefined) return failed;
    if (child.signalCode !== null) return "out of time";
  }
  return null;
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      list: { type: "string" },
      only: { type: "string" },
      seeds: { type: "string", default: MAX_SEEDS },
      jobs: { type: "string", default: "1" },
      sample: { type: "string" },
      by: { type: "string", default: "" },
    },
  });
  const { list, only, seeds, sample } = values;
  const listed = Object.entries(LISTS).flatMap(([name, mutants]) =>
    list === undefined || list === name ? mutants : [],
  );
  const chosen = listed.filter(({ name }) => only === undefined || name.includes(only));
  const most = sample === undefined ? chosen.length : Number(sample);
  const waiting = drawn(chosen, ({ name }) => name, { count: most, by: values.by });
  const count = waiting.length;
  let survivors = 0;
  // The tree may be edited meanwhile: every bug is planted in the same one.
  const clean = copyTree();
  const tree = readTree(clean);

  async function huntOn(): Promise<void> {
    const directory = copyTree(clean);
    try {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const { name, isFound, verdict, finding } = await hunt(mutant, { directory, clean, tree }, seeds);
        if (!isFound) survivors += 1;
        console.log(`${verdict.padEnd(20)}  ${name}\n${" ".repeat(22)}${finding.slice(0, SHOWN)}`);
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  try {
    const jobs = Math.min(Math.max(1, Number(values.jobs)), MAX_JOBS);
    await Promise.all(Array.from({ length: jobs }, huntOn));
  } finally {
    rmSync(clean, { recursive: true, force: true });
  }
  console.log(`${count - survivors} of ${count} planted bugs were found`);
  return survivors === 0 && count > 0;
}

if (import.meta.main) process.exit((await main()) ? 0 : 1);
