/** Two versions of the gateway in turns, against the same exchange: one order at a time, and what it costs the processor. */
import { join, resolve } from "node:path";
import { type Figures, figuresOf, type Spread, spreadOf } from "./figures.ts";
import { processorMs } from "./machine.ts";
import { type Driver, onBun, openDriver } from "./processes.ts";
import * as own from "./scene.ts";

type Version = { name: string; gateway: own.Gateway; driver: Driver };
type Measured = Figures & { processorMs: number };

export type Against = {
  p50: Spread;
  processor: Spread;
  rounds: { now: Measured; before: Measured }[];
};

/** Orders before anything is counted: the runtime compiles for some thousands. */
const WARM_UP = 4_000;

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

async function measure({ gateway, driver }: Version, count: number): Promise<Measured> {
  const before = processorMs(gateway.pid);
  const figures = figuresOf(await driver.run({ what: "placeRaw", count, inFlight: 1 }));
  return { ...figures, processorMs: (processorMs(gateway.pid) - before) / count };
}

/** @param checkout the root of a checkout of the other version, with its packages installed and its executable built */
export async function against(
  checkout: string,
  place: { directory: string; exchangeUrl: string; root: string },
  { rounds, one }: { rounds: number; one: number },
): Promise<Against> {
  const now = await open("now", place.root, place);
  const before = await open("before", checkout, place);
  try {
    for (const version of [now, before]) await measure(version, WARM_UP);
    const done: Against["rounds"] = [];
    for (let index = 0; index < rounds; index += 1) {
      const [first, second] = index % 2 === 0 ? [now, before] : [before, now];
      const measured = [await measure(first, one), await measure(second, one)] as const;
      done.push({ now: measured[index % 2 === 0 ? 0 : 1], before: measured[index % 2 === 0 ? 1 : 0] });
    }
    return {
      p50: spreadOf(done.map((round) => round.now.p50Ms / round.before.p50Ms)),
      processor: spreadOf(done.map((round) => round.now.processorMs / round.before.processorMs)),
      rounds: done,
    };
  } finally {
    for (const { driver, gateway } of [now, before]) {
      await driver.stop();
      await gateway.stop();
    }
  }
}
