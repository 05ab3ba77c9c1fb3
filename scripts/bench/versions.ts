/** Two versions of the gateway in turns, against the same exchange: an order alone and among others, and what it costs the processor. */
import { join, resolve } from "node:path";
import { type Figures, figuresOf, median, round, type Spread, spreadOf } from "./figures.ts";
import { mainThreadMs, processorMs } from "./machine.ts";
import { type Driver, onBun, openDriver } from "./processes.ts";
import * as own from "./scene.ts";

type Version = { name: string; gateway: own.Gateway; driver: Driver };
/** Processor time of one order, microseconds. */
type Cost = { allThreadsUs: number; mainThreadUs: number };
type Measured = Figures & Cost;
type Round = { now: Measured; before: Measured };

/** `ratio`: of this version's figure to the other's of the same round. */
export type Paired = { inFlight: number; ratio: Record<keyof Measured, Spread>; now: Measured; before: Measured };

/** Orders before anything is counted: the runtime compiles for some thousands. */
const WARM_UP = 6_000;

/** The other version's directory is set up, and its executable started, by its own code: a schema is read by its version alone. */
async function open(
  name: string,
  checkout: string,
  place: { directory: string; exchangeUrl: string },
): Promise<Version> {
  const { setScene, startGateway } =
    // The same module at another time.
    (name === "now" ? own : await import(resolve(checkout, "scripts/bench/scene.ts"))) as typeof own;
  const scene = await setScene(join(place.directory, name), place.exchangeUrl);
  const gateway = await startGateway(resolve(checkout, "dist/postern"), scene, own.freePort());
  const words = [gateway.url, place.exchangeUrl, scene.account, scene.apiKey];
  return { name, gateway, driver: openDriver(onBun("drive-postern.ts", ...words)) };
}

async function measure({ gateway: { pid }, driver }: Version, count: number, inFlight: number): Promise<Measured> {
  const [allBefore, mainBefore] = [processorMs(pid), mainThreadMs(pid)];
  const figures = figuresOf(await driver.run({ what: "placeRaw", count, inFlight }));
  const us = (beforeMs: number, afterMs: number) => ((afterMs - beforeMs) / count) * 1_000;
  return { ...figures, allThreadsUs: us(allBefore, processorMs(pid)), mainThreadUs: us(mainBefore, mainThreadMs(pid)) };
}

const FIGURES = ["p50Ms", "p99Ms", "perSecond", "allThreadsUs", "mainThreadUs"] as const;

function pair(inFlight: number, rounds: readonly Round[]): Paired {
  const each = <Value>(of: (name: keyof Measured) => Value) =>
    // One for each name.
    Object.fromEntries(FIGURES.map((name) => [name, of(name)])) as Record<keyof Measured, Value>;
  return {
    inFlight,
    ratio: each((name) => spreadOf(rounds.map(({ now, before }) => now[name] / before[name]))),
    now: each((name) => round(median(rounds.map(({ now }) => now[name])))),
    before: each((name) => round(median(rounds.map(({ before }) => before[name])))),
  };
}

/** @param checkout the root of a checkout of the other version, with its packages installed and its executable built */
export async function against(
  checkout: string,
  place: { directory: string; exchangeUrl: string; root: string },
  { rounds, one, many }: { rounds: number; one: number; many: number },
): Promise<Paired[]> {
  const now = await open("now", place.root, place);
  const before = await open("before", checkout, place);
  try {
    for (const version of [now, before]) await measure(version, WARM_UP, MANY_IN_FLIGHT);
    const paired: Paired[] = [];
    for (const [inFlight, count] of [
      [1, one],
      [MANY_IN_FLIGHT, many],
    ] as const) {
      const done: Round[] = [];
      for (let index = 0; index < rounds; index += 1) {
        const [first, second] = index % 2 === 0 ? [now, before] : [before, now];
        const measured = [await measure(first, count, inFlight), await measure(second, count, inFlight)] as const;
        done.push({ now: measured[index % 2 === 0 ? 0 : 1], before: measured[index % 2 === 0 ? 1 : 0] });
      }
      paired.push(pair(inFlight, done));
    }
    return paired;
  } finally {
    for (const { driver, gateway } of [now, before]) {
      await driver.stop();
      await gateway.stop();
    }
  }
}

const MANY_IN_FLIGHT = 32;
