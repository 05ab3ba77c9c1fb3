/**
 * Connections that break at every byte. Between the gateway's real transport and a served paper exchange stands a proxy
 * that resets the connection after a given byte of the request to /exchange, or of its answer, for each kind of action;
 * all of it under a clock that runs faster. After each: executed at most once, shown as it truly is, posted once.
 *
 *   bun run byte-offsets                           every offset
 *   bun run byte-offsets --every K [--seed S]      every K-th, beginning where the seed says
 *   --kinds place,cancel   --speed 50   --jobs 2   --seconds S
 */
import { parseArgs } from "node:util";
import { type Bench, openBench } from "../test/crash/offsets/bench.ts";
import type { Fault } from "../test/crash/offsets/fault-proxy.ts";
import { KINDS, type Kind } from "../test/crash/offsets/kinds.ts";
import { runCase } from "../test/crash/offsets/sweep.ts";
import { readTotals, tellTotals } from "./jobs.ts";

type Options = {
  kinds: readonly Kind[];
  every: number;
  seed: number;
  speed: number;
  seconds: number;
  /** Of so many slices this one is run. */
  slice: number;
  slices: number;
};

type Totals = { cases: number; failed: number; unrun: number; endings: Record<string, number> };

/** Cases of one gateway and one exchange: so many orders are not yet a long list to read. */
const CASES_OF_A_BENCH = 40;
/** Lengths differ by a few bytes from case to case. */
const BEYOND_BYTES = 3;
const MAX_JOBS = 16;
/** A busy machine makes answers late on a fast clock: then it is asked again. */
const MAX_TRIES = 20;

async function runSlice(options: Options): Promise<Totals> {
  const endAtMs = performance.now() + options.seconds * 1_000;
  const totals: Totals = { cases: 0, failed: 0, unrun: 0, endings: {} };
  for (const kind of options.kinds) {
    const faults = await faultsOf(kind, options);
    for (let from = 0; from < faults.length; from += CASES_OF_A_BENCH) {
      const some = faults.slice(from, from + CASES_OF_A_BENCH);
      await onBench(options, (bench) => runFaults(bench, kind, { faults: some, endAtMs, totals }));
    }
  }
  return totals;
}

async function onBench<T>({ speed }: Options, work: (bench: Bench) => Promise<T>): Promise<T> {
  const bench = await openBench(speed);
  try {
    return await work(bench);
  } finally {
    await bench.close();
  }
}

/** Every k-th byte of an unbroken request and answer of this kind; this slice's share of them. */
async function faultsOf(kind: Kind, options: Options): Promise<Fault[]> {
  const { requestBytes, answerBytes } = await onBench(options, (bench) => lengthsOf(bench, kind));
  const all: Fault[] = [
    ...offsets(requestBytes).map((offset): Fault => ({ way: "request", offset })),
    ...offsets(answerBytes).map((offset): Fault => ({ way: "answer", offset })),
  ];
  const { every, seed, slice, slices } = options;
  return all.filter((_, at) => at % every === seed % every).filter((_, at) => at % slices === slice);
}

async function lengthsOf(bench: Bench, kind: Kind): Promise<{ requestBytes: number; answerBytes: number }> {
  for (let nth = 0; nth < MAX_TRIES; nth += 1) {
    const { post } = await runCase(bench, kind, { fault: null, nth });
    if (post !== null && post.answerBytes !== null) return { ...post, answerBytes: post.answerBytes };
  }
  throw new Error(`${kind} is not answered in time: the machine is too busy for this clock`);
}

function offsets(bytes: number): number[] {
  return Array.from({ length: bytes + BEYOND_BYTES + 1 }, (_, offset) => offset);
}

async function runFaults(
  bench: Bench,
  kind: Kind,
  { faults, endAtMs, totals }: { faults: readonly Fault[]; endAtMs: number; totals: Totals },
): Promise<void> {
  for (const [nth, fault] of faults.entries()) {
    if (performance.now() > endAtMs) {
      totals.unrun += 1;
      continue;
    }
    const { findings, ending } = await runCase(bench, kind, { fault, nth });
    totals.cases += 1;
    const name = `${kind}, ${fault.way} broken: ${ending}`;
    totals.endings[name] = (totals.endings[name] ?? 0) + 1;
    if (findings.length === 0) continue;
    totals.failed += 1;
    console.log(`${kind}, ${fault.way} broken after ${fault.offset} bytes (${ending}): ${findings.join(" | ")}`);
  }
}

async function runJobs(options: Options, jobs: number): Promise<Totals> {
  const all = await Promise.all(
    Array.from({ length: jobs }, async (_, slice) => {
      const { kinds, every, seed, speed, seconds } = options;
      const words = { kinds: kinds.join(","), every, seed, speed, seconds, slice, slices: jobs };
      const flags = Object.entries(words).flatMap(([name, value]) => [`--${name}`, String(value)]);
      const child = Bun.spawn([process.execPath, import.meta.path, ...flags], { stdout: "pipe", stderr: "inherit" });
      return readTotals<Totals>(child);
    }),
  );
  return all.reduce(sum);
}

function sum(a: Totals, b: Totals): Totals {
  const endings = { ...a.endings };
  for (const [name, count] of Object.entries(b.endings)) endings[name] = (endings[name] ?? 0) + count;
  return { cases: a.cases + b.cases, failed: a.failed + b.failed, unrun: a.unrun + b.unrun, endings };
}

function report({ cases, failed, unrun, endings }: Totals): boolean {
  for (const [name, count] of Object.entries(endings).sort()) console.log(`${String(count).padStart(6)}  ${name}`);
  console.log(`${cases} connections broken, ${failed} failed${unrun > 0 ? `, ${unrun} not run in the time` : ""}`);
  return failed === 0 && unrun === 0 && cases > 0;
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      every: { type: "string", default: "1" },
      seed: { type: "string", default: "0" },
      kinds: { type: "string", default: KINDS.join(",") },
      speed: { type: "string", default: "50" },
      seconds: { type: "string", default: "Infinity" },
      jobs: { type: "string", default: "2" },
      slice: { type: "string" },
      slices: { type: "string", default: "1" },
    },
  });
  const named = values.kinds.split(",");
  const options: Options = {
    kinds: KINDS.filter((kind) => named.includes(kind)),
    every: Math.max(1, Number(values.every)),
    seed: Number(values.seed),
    speed: Number(values.speed),
    seconds: Number(values.seconds),
    slice: Number(values.slice ?? 0),
    slices: Number(values.slices),
  };
  if (values.slice === undefined) return report(await runJobs(options, Math.min(Number(values.jobs), MAX_JOBS)));
  tellTotals(await runSlice(options));
  return true;
}

if (import.meta.main) process.exit((await main()) ? 0 : 1);
