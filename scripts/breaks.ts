/**
 * Breaks what SECURITY.md and README promise, one way at a time, each in a copy of the tree, and demands that the test
 * that the promise's row names fails, and that it passes without the break.
 *
 *   bun run breaks [--row S17] [--only NAME] [--jobs J]
 *   --sample N --by TEXT   N of them, drawn by the hash of a text; without it all
 *   --stages               those too that only the executable or a stage of CI shows: minutes each
 *   --types                says first which of them the compiler would see, and fails for those
 */
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Break, NamedTest } from "./breaks/break.ts";
import { BREAKS } from "./breaks/list.ts";
import { runStage } from "./breaks/run-stage.ts";
import { isNamed, runTest } from "./breaks/run-test.ts";
import { typeFaults } from "./breaks/types.ts";
import { drawn } from "./mutants/drawn.ts";
import { copyTree, plant, restore } from "./mutants/plant.ts";

const MAX_JOBS = 16;
/** Characters of an output that says why. */
const SHOWN = 1_500;

type Outcome = { isSeen: boolean; verdict: string };

function inWords({ seenBy }: Break): string {
  return "stage" in seenBy ? seenBy.stage.join(" ") : `${seenBy.test} "${seenBy.title}"`;
}

/** Named tests that do not pass as the tree is, asked alone; a title that finds no test is one of them. */
async function unsoundTests(directory: string, breaks: readonly Break[], jobs: number): Promise<Set<string>> {
  const named = breaks.flatMap((each): [string, NamedTest][] =>
    "test" in each.seenBy ? [[inWords(each), each.seenBy]] : [],
  );
  const unsound = new Set<string>();
  await inTurn(jobs, [...new Map(named)], async ([words, test]) => {
    const { passed, failed, output } = await runTest(directory, test);
    if (failed.length === 0 && passed.some((name) => isNamed(name, test))) return;
    unsound.add(words);
    console.log(`FAULT ${words} does not pass without a break: ${output.slice(-SHOWN)}`);
  });
  return unsound;
}

async function tryBreak(directory: string, clean: string, planted: Break): Promise<Outcome> {
  const { changes, seenBy } = planted;
  if ("stage" in seenBy) return runStage(changes, seenBy.stage);
  const fault = plant(directory, changes);
  if (fault !== null) return { isSeen: false, verdict: `NOT PLANTED: ${fault}` };
  try {
    const { failed, output } = await runTest(directory, seenBy);
    const found = failed.find((name) => isNamed(name, seenBy));
    if (found !== undefined) return { isSeen: true, verdict: found };
    return { isSeen: false, verdict: `SURVIVED\n${output.slice(-SHOWN)}` };
  } finally {
    restore(directory, clean, changes);
  }
}

async function inTurn<Item>(
  jobs: number,
  items: readonly Item[],
  work: (item: Item, job: number) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  async function goOn(job: number): Promise<void> {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item, job);
  }
  await Promise.all(Array.from({ length: jobs }, (_, job) => goOn(job)));
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      row: { type: "string" },
      only: { type: "string", multiple: true },
      jobs: { type: "string", default: "2" },
      sample: { type: "string" },
      by: { type: "string", default: "" },
      stages: { type: "boolean", default: false },
      types: { type: "boolean", default: false },
    },
  });
  const { row, only, sample, stages } = values;
  const chosen = BREAKS.filter(
    (each) =>
      (row === undefined || each.row === row) &&
      (only === undefined || only.includes(each.name)) &&
      (stages || "test" in each.seenBy),
  );
  const breaks =
    sample === undefined
      ? chosen
      : drawn(chosen, (each) => `${each.row} ${each.name}`, { count: Number(sample), by: values.by });
  const jobs = Math.min(Math.max(1, Number(values.jobs)), MAX_JOBS);
  const clean = copyTree();
  const copies = Array.from({ length: jobs }, () => copyTree(clean));
  try {
    const faults = values.types ? await typeFaults(clean, breaks) : [];
    for (const fault of faults) console.log(`FAULT ${fault}`);
    const unsound = await unsoundTests(clean, breaks, jobs);
    let seen = 0;
    await inTurn(jobs, breaks, async (planted, job) => {
      const words = inWords(planted);
      const outcome = unsound.has(words)
        ? { isSeen: false, verdict: "NOT TRIED: the test does not pass" }
        : await tryBreak(copies[job] ?? "", clean, planted);
      if (outcome.isSeen) seen += 1;
      const { row, name } = planted;
      console.log(`${row} · ${name} · ${words}${outcome.isSeen ? "" : ` · ${outcome.verdict}`}`);
    });
    console.log(`${breaks.length} breaks, ${seen} seen, ${breaks.length - seen} survive`);
    return seen === breaks.length && breaks.length > 0 && faults.length === 0;
  } finally {
    for (const directory of [clean, ...copies]) rmSync(directory, { recursive: true, force: true });
  }
}

if (import.meta.main) process.exit((await main()) ? 0 : 1);
