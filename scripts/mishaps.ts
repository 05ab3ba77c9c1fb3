/**
 * What befalls the machine that the executable runs on: it stands still, its disk fails, fills or turns read-only, its
 * clock is set. Each in a scene of its own; said clearly, nothing sent that is not recorded, and recovered without help.
 *
 *   bun run mishaps [--only WORDS] [--jobs 2] [--executable dist/postern]
 *
 * Some need strace, libfaketime or the right to mount: what is missing is named, and `--all` makes that a failure.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { brokenDisks } from "../test/crash/mishaps/broken-disk.ts";
import { setClocks } from "../test/crash/mishaps/clock.ts";
import type { Mishap, Stage } from "../test/crash/mishaps/mishap.ts";
import { readOnlyStarts } from "../test/crash/mishaps/read-only.ts";
import { stoppedBeforeSending, stoppedUnderLoad } from "../test/crash/mishaps/stopped.ts";
import { buildDoomed } from "./build-doomed.ts";

const MISHAPS: readonly Mishap[] = [
  stoppedUnderLoad,
  stoppedBeforeSending,
  ...setClocks,
  ...brokenDisks,
  ...readOnlyStarts,
];

type Outcome = { lines: string[]; failed: number; isLeftOut: boolean };

async function runOne(mishap: Mishap, executables: Omit<Stage, "expect">): Promise<Outcome> {
  const lacking = mishap.lacks();
  if (lacking !== null) return { lines: [`left out, for want of ${lacking}`], failed: 0, isLeftOut: true };
  const outcome: Outcome = { lines: [], failed: 0, isLeftOut: false };
  const expect: Stage["expect"] = (what, isTrue) => {
    outcome.lines.push(`${isTrue ? "ok    " : "FAILED"} ${what.trim()}`);
    if (!isTrue) outcome.failed += 1;
  };
  try {
    await mishap.run({ ...executables, expect });
  } catch (error) {
    expect(String(error), false);
  }
  return outcome;
}

/** Takes from what is left until nothing is. */
async function runJob(left: Mishap[], executables: Omit<Stage, "expect">, outcomes: Outcome[]): Promise<void> {
  for (let mishap = left.shift(); mishap !== undefined; mishap = left.shift()) {
    const startedMs = performance.now();
    const outcome = await runOne(mishap, executables);
    outcomes.push(outcome);
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.log([`${mishap.name} (${seconds} s)`, ...outcome.lines.map((line) => `  ${line}`)].join("\n"));
  }
}

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    jobs: { type: "string", default: "4" },
    executable: { type: "string", default: join(import.meta.dir, "..", "dist", "postern") },
    all: { type: "boolean", default: false },
  },
});
const directory = mkdtempSync(join(tmpdir(), "postern-mishaps-"));
const outcomes: Outcome[] = [];
try {
  const executables = { shipped: [resolve(values.executable)], doomed: [await buildDoomed(directory)] };
  const chosen = MISHAPS.filter(({ name }) => name.includes(values.only));
  await Promise.all(Array.from({ length: Number(values.jobs) }, () => runJob(chosen, executables, outcomes)));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
const leftOut = outcomes.filter(({ isLeftOut }) => isLeftOut).length;
console.log(`${outcomes.length} mishaps, ${leftOut} left out, ${failed} failed`);
process.exit(failed === 0 && outcomes.length > leftOut && !(values.all && leftOut > 0) ? 0 : 1);
