/** What was measured, for a person: figures with the goal of each beside it. */
import { type Distance, IN_FLIGHT, middle, NAMES, type Name, over, type Round } from "./compare.ts";
import { type Figures, type Spread, showSpread } from "./figures.ts";
import type { ReadCosts } from "./read-costs.ts";

export type Measured = {
  machine: { growingMs: number; overwrittenMs: number; signMs: number; isInMemory: boolean };
  start: { healthyMs: number; readyMs: number; idleMiB: number; executableMiB: number };
  reads: ReadCosts;
  distances: Distance[];
  paused: Record<Name, Figures>;
  own: Record<"bareRaw" | "placeRaw" | "read", Figures>;
  loadedMiB: number;
};

/** Null where none was set. */
type Goal = { most: number } | { least: number } | null;

const NO_GOAL = null;
const WIDTH = 68;

export function show(measured: Measured): void {
  for (const { ms, rounds } of measured.distances) {
    showTable(ms, rounds);
    showRatios(ms, rounds);
    console.log("");
  }
  console.log("nktkas and ccxt are programs' own clients: nothing of an order is on a disk before it is sent.");
  console.log(`nktkas sends one order at a time for each wallet: ${IN_FLIGHT} in flight are one in flight for it.\n`);
  for (const name of NAMES) tell(`${name}: first order after a pause of a second, p50 ms`, measured.paused[name].p50Ms);
  showOwn(measured);
  showReads(measured.reads);
}

function showTable(ms: number, rounds: readonly Round[]): void {
  console.log(`The exchange answers ${ms === 0 ? "at once" : `after ${ms} ms`}, medians of ${rounds.length} rounds`);
  const head = ["", "p50 ms", "p99 ms", "cpu us", `${IN_FLIGHT}: p50`, "a second", "cpu us"];
  console.log(head.map((text, column) => (column === 0 ? text.padEnd(10) : text.padStart(10))).join(""));
  for (const name of NAMES) {
    const { one, many } = middle(rounds, name);
    const cells = [one.p50Ms.toFixed(3), one.p99Ms.toFixed(3), one.processorUs, many.p50Ms.toFixed(2)];
    const row = [...cells, many.perSecond, many.processorUs].map((cell) => String(cell).padStart(10));
    console.log(`${name.padEnd(10)}${row.join("")}`);
  }
}

function showRatios(ms: number, rounds: readonly Round[]): void {
  const added = (part: "one" | "many", name: Name) =>
    over(rounds, (round) => round[name][part].p50Ms - round.bare[part].p50Ms);
  if (ms === 0) {
    tellSpread("p50 to nktkas's, one in flight", over(rounds, perOne("nktkas")), { most: 1.4 });
    tellSpread("p50 to ccxt's, one in flight", over(rounds, perOne("ccxt")), NO_GOAL);
    tellSpread("p50 with rails to p50 without, one in flight", over(rounds, withRails("p50Ms", "one")), { most: 1.05 });
    const railsProcessor = over(rounds, withRails("processorUs", "many"));
    tellSpread(`processor time with rails to that without, ${IN_FLIGHT} in flight`, railsProcessor, NO_GOAL);
    tellSpread(
      "p99 to p50, one in flight",
      over(rounds, ({ postern: { one } }) => one.p99Ms / one.p50Ms),
      { most: 3.5 },
    );
    const processor = over(rounds, ({ postern: { many } }) => many.processorUs);
    tellSpread(`processor time of an order, ${IN_FLIGHT} in flight, us`, processor, { most: 280 });
  } else {
    tellSpread("added latency (p50 above a bare round trip), one in flight, ms", added("one", "postern"), {
      most: 0.6,
    });
    tellSpread(`the same, ${IN_FLIGHT} in flight, ms`, added("many", "postern"), { most: 3 });
    tellSpread("the floor's, one in flight, ms", added("one", "floor"), NO_GOAL);
    tellSpread(`the floor's, ${IN_FLIGHT} in flight, ms`, added("many", "floor"), NO_GOAL);
  }
  const goal = { 0: { least: 2 }, 5: { least: 8 } }[ms] ?? NO_GOAL;
  const perSecond = over(rounds, ({ postern, nktkas }) => postern.many.perSecond / nktkas.many.perSecond);
  tellSpread(`orders a second to nktkas's, ${IN_FLIGHT} in flight`, perSecond, goal);
  const toCcxt = over(rounds, ({ postern, ccxt }) => postern.many.perSecond / ccxt.many.perSecond);
  tellSpread(`orders a second to ccxt's, ${IN_FLIGHT} in flight`, toCcxt, NO_GOAL);
}

function perOne(name: "nktkas" | "ccxt"): (round: Round) => number {
  return (round) => round.postern.one.p50Ms / round[name].one.p50Ms;
}

function withRails(figure: "p50Ms" | "processorUs", part: "one" | "many"): (round: Round) => number {
  return ({ limited, postern }) => limited[part][figure] / postern[part][figure];
}

function showOwn({ machine, start, own, loadedMiB }: Measured): void {
  tell("over a socket of our own: place, p50 ms", own.placeRaw.p50Ms);
  tell("  read a closed order, p50 ms", own.read.p50Ms, { most: 0.15 });
  tell("  a bare round trip, p50 ms", own.bareRaw.p50Ms);
  tell("encode, hash and sign one order, ms", machine.signMs, { most: 0.1 });
  const disk = machine.isInMemory ? "none: the directory is memory" : `${machine.growingMs} / ${machine.overwrittenMs}`;
  console.log(`${"a wait for the disk, file grows / is overwritten, ms".padEnd(WIDTH)}${disk}`);
  tell("start to /healthz, ms", start.healthyMs, { most: 150 });
  tell("start to /readyz, ms", start.readyMs);
  tell("resident memory, idle, MiB", start.idleMiB, { most: 120 });
  tell("resident memory, after the load, MiB", loadedMiB, { most: 200 });
  tell("executable, MiB", start.executableMiB);
}

export function showReads(costs: ReadCosts): void {
  for (const [list, { p50Ms, p99Ms, processorMs }] of Object.entries(costs)) {
    const times = (p50Ms / costs.health.p50Ms).toFixed(2);
    const figures = `${p50Ms} / ${p99Ms} / ${processorMs}`;
    console.log(`${`read ${list}, p50 / p99 / processor, ms`.padEnd(WIDTH)}${figures.padEnd(26)}${times} x health`);
  }
}

export function tell(what: string, figure: number | string, goal: Goal = NO_GOAL): void {
  const words = typeof figure === "number" ? goalWords(goal, figure) : "";
  console.log(`${what.padEnd(WIDTH)}${String(figure).padEnd(26)}${words}`);
}

export function tellSpread(what: string, spread: Spread, goal: Goal): void {
  console.log(`${what.padEnd(WIDTH)}${showSpread(spread).padEnd(26)}${goalWords(goal, spread.median)}`);
}

function goalWords(goal: Goal, figure: number): string {
  if (goal === null) return "";
  const isReached = "most" in goal ? figure <= goal.most : figure >= goal.least;
  const words = "most" in goal ? `at most ${goal.most}` : `at least ${goal.least}`;
  return `goal: ${words}, ${isReached ? "reached" : "NOT REACHED"}`;
}
