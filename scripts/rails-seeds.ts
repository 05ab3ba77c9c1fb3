/**
 * Short runs of everything that keys with rails can ask for, over the gateway's own verbs, store and gate, held against what their
 * owners have signed by an auditor with books of its own:
 *
 *   bun run rails-seeds [--seeds 4000] [--from 1] [--seconds S] [--jobs J] [--mix all|direct]
 *
 * Fails with the first seed of each job that breaks a rail. A run is 5 to 9 steps, of which about half ask for something: `all`,
 * also by proposals that a person approves and by alerts of a chart; `direct`, without those, is what seeds of before were drawn by.
 */
import { parseArgs } from "node:util";
import { added, NOTHING_TOLD, runSeeds, type Told } from "../test/rails-seeds/run-seeds.ts";
import { readTotals, startJob, tellTotals } from "./jobs.ts";

const SEEDS = "4000";
const MAX_JOBS = 64;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: SEEDS },
    from: { type: "string", default: "1" },
    seconds: { type: "string" },
    jobs: { type: "string", default: "1" },
    mix: { type: "string", default: "all" },
    slice: { type: "boolean", default: false },
  },
});
const from = whole(values.from, "from", 0);
const count = whole(values.seeds, "seeds", 1);
const mix = values.mix === "direct" ? "direct" : "all";
if (values.mix !== mix) throw new Error("--mix: all or direct");
const jobs = Math.min(whole(values.jobs, "jobs", 1), MAX_JOBS, count);
const told = jobs === 1 ? await runHere() : await runJobs();
if (values.slice) tellTotals({ ...told, used: [...told.used] } satisfies Sent);
else report(told);
process.exit(told.failed.length === 0 ? 0 : 1);

/** As a job tells it: its `used` is no `Map`. */
type Sent = Omit<Told, "used"> & { used: [rail: string, share: number][] };

function runHere(): Promise<Told> {
  const forMs = values.seconds === undefined ? Number.POSITIVE_INFINITY : Number(values.seconds) * 1_000;
  return runSeeds({ from, count, mix, forMs, nowMs: () => performance.now() });
}

/** One process a job: each has as many seeds in a row. */
async function runJobs(): Promise<Told> {
  const slices = Array.from({ length: jobs }, async (_, job) => {
    const [first, next] = [job, job + 1].map((at) => Math.floor((count * at) / jobs)) as [number, number];
    const flags = ["--from", String(from + first), "--seeds", String(next - first), "--mix", mix];
    if (values.seconds !== undefined) flags.push("--seconds", values.seconds);
    const sent = await readTotals<Sent>(startJob(import.meta.path, ["--slice", ...flags]));
    console.log(`job ${job}: ${sent.seeds} of ${next - first} seeds from ${from + first}${endOf(sent)}`);
    return { ...sent, used: new Map(sent.used) };
  });
  return (await Promise.all(slices)).reduce(added, NOTHING_TOLD);
}

/** A job ends with the first seed that breaks a rail. */
function endOf({ failed }: Sent): string {
  const [first] = failed;
  return first === undefined ? "" : `, and seed ${first.seed} failed`;
}

function report({ seeds, steps, signed, increases, elapsedMs, used, failed }: Told): void {
  for (const { seed, findings } of failed)
    for (const finding of findings) console.log(`seed ${seed} failed: ${finding}`);
  console.log(
    `${seeds} seeds from ${from} (${(steps / seeds).toFixed(1)} steps each): ${signed} actions signed, ${increases} orders that increase, ${Math.round((seeds * 1_000) / elapsedMs)} seeds/s`,
  );
  console.log([...used].map(([rail, share]) => `${rail} up to ${(share * 100).toFixed(2)} %`).join(", "));
}

function whole(text: string, name: string, least: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least) throw new Error(`--${name}: a whole number from ${least} on`);
  return value;
}
