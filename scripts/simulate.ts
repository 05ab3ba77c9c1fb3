/**
 * The deterministic simulation of gateway and exchange:
 *
 *   bun run simulate --seeds N [--from S] [--minutes M] [--jobs J] [--keep-going]
 *   bun run simulate --seed S        one seed, with its whole history
 *   --world NAME[,NAME…]             of these only the seeds in which each of these worlds is drawn: rests, forgetting, odd, short_lists, whole_trades, busy, bots, bot_operations, narrowings, heartbeats, losses, flattens, spot, quiet, …
 *   --quiet                          no history of the first failing seed
 *   --hash                           prints the hash of each seed's event log; --hash-up-to N of the seeds up to that one
 *   --directory PATH                 where databases lie; memory-backed storage by default
 *
 * Prints seeds a second, how long the truth took and what stayed unknown for long, and of the first failing seed what went wrong and its history.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LIFE_KINDS } from "../test/simulation/bot-life.ts";
import { BOT_KINDS } from "../test/simulation/bots.ts";
import { BUSY, type Drawn, QUIET, WHOLE_TRADES, worldsOf } from "../test/simulation/drawn.ts";
import { addMeasured, type Measured, measuredLines, NOTHING_MEASURED } from "../test/simulation/measured.ts";
import { runAny } from "../test/simulation/run-any.ts";
import type { RunResult } from "../test/simulation/run-seed.ts";
import { ODD_KINDS } from "../test/simulation/worlds/odd.ts";
import { WORLD_NAMES } from "../test/simulation/worlds/worlds.ts";
import { WRONG_KINDS } from "../test/simulation/worlds/wrong.ts";
import { readTotals, startJob, tellTotals } from "./jobs.ts";
import { MEMORY, openOwnDirectory } from "./own-directory.ts";

type Options = {
  from: number;
  seeds: number;
  /** Every so many seeds one is run: the other jobs have the others. */
  stride: number;
  minutes: number;
  directory: string;
  /** The last seed whose events are hashed. */
  hashedUpTo: number;
  keepsGoing: boolean;
  /** Seeds without each of these are left out. */
  worlds: readonly Drawn[];
};

type Totals = {
  seeds: number;
  failed: number;
  events: number;
  sends: number;
  deaths: number;
  /** Lists and positions that clients read right after a write was answered. */
  reads: number;
  firstFailed: number | null;
  measured: Measured;
};

const NOTHING: Totals = {
  seeds: 0,
  failed: 0,
  events: 0,
  sends: 0,
  deaths: 0,
  reads: 0,
  firstFailed: null,
  measured: NOTHING_MEASURED,
};
const MAX_JOBS = 64;
/** Seeds between two lines that say how far a long run is. */
const PROGRESS_EVERY = 5_000;
/** Findings shown of one seed, characters; its history shows the rest. */
const MAX_SHOWN = 600;

async function runSlice(options: Options): Promise<Totals> {
  const endAtMs = performance.now() + options.minutes * 60_000;
  let totals = NOTHING;
  for (let nth = 0; nth < options.seeds && performance.now() < endAtMs; nth += 1) {
    const seed = options.from + nth * options.stride;
    if (!options.worlds.every((name) => worldsOf(seed).has(name))) continue;
    const isHashed = seed <= options.hashedUpTo;
    const result = await runAny({ seed, directory: options.directory, isLogged: isHashed });
    if (isHashed) console.log(`seed ${seed} ${result.hash}`);
    totals = added(totals, result);
    if (totals.seeds % PROGRESS_EVERY === 0) console.log(`${totals.seeds} seeds, up to seed ${seed}`);
    if (result.findings.length === 0) continue;
    console.log(`seed ${seed} failed: ${result.findings.join(" | ").slice(0, MAX_SHOWN)}`);
    if (!options.keepsGoing) break;
  }
  return totals;
}

function added(totals: Totals, result: RunResult): Totals {
  const isFailed = result.findings.length > 0;
  return {
    seeds: totals.seeds + 1,
    failed: totals.failed + (isFailed ? 1 : 0),
    events: totals.events + result.events,
    sends: totals.sends + result.sends,
    deaths: totals.deaths + result.deaths,
    reads: totals.reads + result.readsAfterWrites,
    measured: addMeasured(totals.measured, result.measured),
    firstFailed: totals.firstFailed ?? (isFailed ? result.seed : null),
  };
}

/** Below every seed. */
const NO_SEED = -1;

function lastHashed(text: string | undefined): number {
  return text === undefined ? NO_SEED : whole(text, "hash-up-to", 0);
}

function hashFlags({ hashedUpTo }: Options): string[] {
  if (hashedUpTo === Number.POSITIVE_INFINITY) return ["--hash"];
  return hashedUpTo === NO_SEED ? [] : ["--hash-up-to", String(hashedUpTo)];
}

/** One process a job: each has every so-manieth seed. */
async function runJobs(options: Options, jobs: number): Promise<Totals> {
  const slices = Array.from({ length: jobs }, (_, job) => {
    const seeds = Math.ceil((options.seeds - job) / jobs);
    const flags = [...hashFlags(options), ...(options.keepsGoing ? ["--keep-going"] : [])];
    if (options.worlds.length > 0) flags.push("--world", options.worlds.join(","));
    const { minutes, directory } = options;
    const first = ["--slice", String(jobs), "--from", String(options.from + job), "--seeds", String(seeds)];
    const where = ["--minutes", String(minutes), "--directory", join(directory, `job-${job}`)];
    const child = startJob(import.meta.path, [...first, ...where, ...flags]);
    return readTotals<Totals>(child);
  });
  const all = await Promise.all(slices);
  return all.reduce((sum, one) => ({
    seeds: sum.seeds + one.seeds,
    failed: sum.failed + one.failed,
    events: sum.events + one.events,
    sends: sum.sends + one.sends,
    deaths: sum.deaths + one.deaths,
    reads: sum.reads + one.reads,
    firstFailed: lowest(sum.firstFailed, one.firstFailed),
    measured: addMeasured(sum.measured, one.measured),
  }));
}

function lowest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

async function showSeed(seed: number, directory: string, isHashed: boolean): Promise<boolean> {
  const result = await runAny({ seed, directory, isLogged: true });
  console.log(result.history.join("\n"));
  for (const finding of result.findings) console.log(`FINDING   ${finding}`);
  if (isHashed) console.log(`hash      ${result.hash}`);
  return result.findings.length === 0;
}

function worldNames(text: string): Drawn[] {
  const known = [
    ...WORLD_NAMES,
    ...ODD_KINDS,
    ...WRONG_KINDS,
    ...BOT_KINDS,
    ...LIFE_KINDS,
    WHOLE_TRADES,
    BUSY,
    QUIET,
  ] as const;
  return text
    .split(",")
    .filter((name) => name !== "")
    .map((asked) => {
      const name = known.find((each) => each === asked);
      if (name === undefined) throw new Error(`--world ${asked}: one of ${known.join(", ")}`);
      return name;
    });
}

function whole(text: string, name: string, least: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least) throw new Error(`--${name}: a whole number from ${least} on`);
  return value;
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "1000" },
      from: { type: "string", default: "1" },
      jobs: { type: "string", default: "1" },
      minutes: { type: "string", default: "Infinity" },
      seed: { type: "string" },
      slice: { type: "string" },
      hash: { type: "boolean", default: false },
      "hash-up-to": { type: "string" },
      "keep-going": { type: "boolean", default: false },
      quiet: { type: "boolean", default: false },
      world: { type: "string", default: "" },
      directory: { type: "string" },
    },
  });
  const directory = values.directory ?? openOwnDirectory(MEMORY, `postern-simulation-${process.pid}-`);
  const options: Options = {
    from: whole(values.from, "from", 0),
    seeds: whole(values.seeds, "seeds", 0),
    stride: values.slice === undefined ? 1 : whole(values.slice, "slice", 1),
    minutes: Number(values.minutes),
    directory,
    hashedUpTo: values.hash ? Number.POSITIVE_INFINITY : lastHashed(values["hash-up-to"]),
    keepsGoing: values["keep-going"],
    worlds: worldNames(values.world),
  };
  const jobs = Math.min(whole(values.jobs, "jobs", 1), MAX_JOBS);
  try {
    if (values.seed !== undefined) return await showSeed(whole(values.seed, "seed", 0), directory, values.hash);
    const startedAtMs = performance.now();
    const totals = jobs === 1 ? await runSlice(options) : await runJobs(options, jobs);
    if (values.slice !== undefined) {
      tellTotals(totals);
      return totals.failed === 0;
    }
    if (totals.firstFailed !== null && !values.quiet) await showSeed(totals.firstFailed, directory, false);
    return report(totals, startedAtMs);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function report(totals: Totals, startedAtMs: number): boolean {
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const rate = (totals.seeds / seconds).toFixed(1);
  const { seeds, failed, events, sends, deaths, reads } = totals;
  console.log(`${seeds} seeds, ${failed} failed, ${rate} seeds/s, ${events} events, ${sends} sends, ${deaths} deaths`);
  console.log(`${reads} reads after a write`);
  for (const line of measuredLines(totals.measured)) console.log(line);
  return failed === 0;
}

if (import.meta.main) process.exit((await main()) ? 0 : 1);
