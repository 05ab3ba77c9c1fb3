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

type Totals = { cases: number; failures: string[]; unrun: number; endings: Record<string, number> };

/** Cases of one gateway and one exchange: so many orders are not yet a long list to read. */
const CASES_OF_A_BENCH = 40;
/** Lengths differ by a few bytes from case to case. */
const BEYOND_BYTES = 3;
const MAX_JOBS = 16;
/** A busy machine makes answers late on a fast clock: then it is asked again. */
const MAX_TRIES = 20;
/** A case that a busy machine is too slow for is run again on a clock slower by so much. */
const SLOWER = [1, 4, 16];

async function runSlice(options: Options): Promise<Totals> {
  const endAtMs = performance.now() + options.seconds * 1_000;
  const totals: Totals = { cases: 0, failures: [], unrun: 0, endings: {} };
  for (const kind of options.kinds) {
    let faults = await faultsOf(kind, options);
    for (const [nth, slower] of SLOWER.entries()) {
      const clock = { speed: Math.max(1, options.speed / slower), isLast: nth === SLOWER.length - 1 };
      const again: Fault[] = [];
      for (let from = 0; from < faults.length; from += CASES_OF_A_BENCH) {
        const some = { faults: faults.slice(from, from + CASES_OF_A_BENCH), endAtMs, totals, isLast: clock.isLast };
        again.push(...(await onBench(clock, (bench) => runFaults(bench, kind, some))));
      }
      faults = again;
    }
  }
  return totals;
}

async function onBench<T>({ speed }: Pick<Options, "speed">, work: (bench: Bench) => Promise<T>): Promise<T> {
  const bench = await openBench(speed);
  try {
    return await work(bench);
  } finally {
    await bench.close();
  }
}

/** Every k-th byte of an unbroken request and answer of this kind; this slice's share of them. */
async function faultsOf(kind: Kind, options: Options): Promise<Fault[]> {
  const { requestBytes, answerBytes } = await lengthsOf(kind, options.speed);
  const all: Fault[] = [
    ...offsets(requestBytes).map((offset): Fault => ({ way: "request", offset })),
    ...offsets(answerBytes).map((offset): Fault => ({ way: "answer", offset })),
  ];
  const { every, seed, slice, slices } = options;
  return all.filter((_, at) => at % every === seed % every).filter((_, at) => at % slices === slice);
}

type Lengths = { requestBytes: number; answerBytes: number };

async function lengthsOf(kind: Kind, speed: number): Promise<Lengths> {
  for (const slower of SLOWER) {
    const clock = { speed: Math.max(1, speed / slower) };
    const lengths = await onBench(clock, (bench) => unbrokenLengths(bench, kind));
    if (lengths !== null) return lengths;
  }
  throw new Error(`${kind} is not answered in time: the machine is too busy for every clock`);
}

async function unbrokenLengths(bench: Bench, kind: Kind): Promise<Lengths | null> {
  for (let nth = 0; nth < MAX_TRIES; nth += 1) {
    const { post, isInconclusive } = await runCase(bench, kind, { fault: null, nth });
    // It has been tried often enough on this clock.
    if (post === null && isInconclusive) return null;
    if (post !== null && post.answerBytes !== null) return { ...post, answerBytes: post.answerBytes };
  }
  return null;
}

function offsets(bytes: number): number[] {
  return Array.from({ length: bytes + BEYOND_BYTES + 1 }, (_, offset) => offset);
}

type Faults = { faults: readonly Fault[]; endAtMs: number; totals: Totals; isLast: boolean };

/** Returns those by which nothing was learned: they are run again on a slower clock. What is false is never run again. */
async function runFaults(bench: Bench, kind: Kind, { faults, endAtMs, totals, isLast }: Faults): Promise<Fault[]> {
  const again: Fault[] = [];
  for (const [nth, fault] of faults.entries()) {
    if (performance.now() > endAtMs) {
      totals.unrun += 1;
      continue;
    }
    const { findings, ending, isInconclusive } = await runCase(bench, kind, { fault, nth });
    if (isInconclusive && !isLast) {
      again.push(fault);
      continue;
    }
    totals.cases += 1;
    const name = `${kind}, ${fault.way} broken: ${ending}`;
    totals.endings[name] = (totals.endings[name] ?? 0) + 1;
    if (findings.length === 0) continue;
    totals.failures.push(
      `${kind}, ${fault.way} broken after ${fault.offset} bytes (${ending}): ${findings.join(" | ")}`,
    );
  }
  return again;
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
  return { cases: a.cases + b.cases, failures: [...a.failures, ...b.failures], unrun: a.unrun + b.unrun, endings };
}

function report({ cases, failures, unrun, endings }: Totals): boolean {
  for (const [name, count] of Object.entries(endings).sort()) console.log(`${String(count).padStart(6)}  ${name}`);
  for (const failure of failures) console.log(`FAIL ${failure}`);
  console.log(
    `${cases} connections broken, ${failures.length} failed${unrun > 0 ? `, ${unrun} not run in the time` : ""}`,
  );
  return failures.length === 0 && unrun === 0 && cases > 0;
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
