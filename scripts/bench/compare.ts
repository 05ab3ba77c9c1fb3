/** The gateway, with a plain key and with a limited one, two libraries and the floor, one after the other, round by round, against the same exchange. */
import { type Figures, figuresOf, median, type Spread, spreadOf } from "./figures.ts";
import type { Load } from "./load.ts";
import { processorMs } from "./machine.ts";
import type { Driver } from "./processes.ts";

/** `limited` is the gateway as well, asked with a key that has every rail on an amount. */
export type Name = "postern" | "limited" | "nktkas" | "ccxt" | "floor";
/** Who is asked, and whose processor time an order is: the server's, or the library's own process. */
export type Driven = { driver: Driver; worker: number };
export type Drivers = Record<Name, Driven>;
export type Sizes = { rounds: number; one: number; many: number; pauses: number };

type Part = Figures & { processorUs: number };
type Both = { one: Part; many: Part };
/** `bare` is a round trip to the exchange by the same client: what is above it is added by whoever stands between. */
export type Round = Record<Name, Both> & { bare: { one: Figures; many: Figures } };
export type Distance = { ms: number; rounds: Round[] };

export const NAMES: readonly Name[] = ["postern", "limited", "nktkas", "ccxt", "floor"];
export const IN_FLIGHT = 32;
/** How far away the exchange is, milliseconds. */
export const DISTANCES_MS = [0, 5, 50] as const;
/** Left out. The runtime compiles for some 10,000 orders, and until then takes slices of 3 ms from whoever is waiting. */
const WARM_UP_ROUNDS = 5;
/** Before the first order after a pause, milliseconds. */
const PAUSE_MS = 1_000;

/** Fewer where each takes longer, and the libraries that send one at a time take longest. */
function sizesAt(ms: number, { rounds, one, many }: Sizes): Pick<Sizes, "rounds" | "one" | "many"> {
  if (ms === 0) return { rounds, one, many };
  const share = ms < 10 ? 3 : 10;
  return { rounds: Math.ceil(rounds / 2), one: Math.ceil(one / share), many: Math.ceil(many / share) };
}

export async function compare(drivers: Drivers, exchangeUrl: string, sizes: Sizes): Promise<Distance[]> {
  for (const name of NAMES) {
    await place(drivers[name], sizes.one * WARM_UP_ROUNDS, 1);
    await place(drivers[name], sizes.many * WARM_UP_ROUNDS, IN_FLIGHT);
  }
  const distances: Distance[] = [];
  for (const ms of DISTANCES_MS) {
    await moveTo(exchangeUrl, ms);
    const { rounds, ...counts } = sizesAt(ms, sizes);
    const done: Round[] = [];
    for (let index = 0; index < rounds; index += 1) done.push(await runRound(drivers, index, counts));
    distances.push({ ms, rounds: done });
  }
  await moveTo(exchangeUrl, 0);
  return distances;
}

async function moveTo(exchangeUrl: string, ms: number): Promise<void> {
  await fetch(`${exchangeUrl}/distance/${ms}`, { method: "POST" });
}

async function runRound(drivers: Drivers, index: number, { one, many }: Pick<Sizes, "one" | "many">): Promise<Round> {
  const figures: Partial<Round> = {};
  // Each goes first in turn: what the one before has left in caches and on the disk is nobody's advantage.
  for (let turn = 0; turn < NAMES.length; turn += 1) {
    const name = NAMES[(index + turn) % NAMES.length] ?? "postern";
    figures[name] = { one: await place(drivers[name], one, 1), many: await place(drivers[name], many, IN_FLIGHT) };
  }
  const { driver } = drivers.postern;
  figures.bare = {
    one: figuresOf(await driver.run({ what: "bare", count: one, inFlight: 1 })),
    many: figuresOf(await driver.run({ what: "bare", count: many, inFlight: IN_FLIGHT })),
  };
  // All have had their turn.
  return figures as Round;
}

async function place({ driver, worker }: Driven, count: number, inFlight: number): Promise<Part> {
  const load: Load = { what: "place", count, inFlight };
  const beforeMs = processorMs(worker);
  const figures = figuresOf(await driver.run(load));
  return { ...figures, processorUs: Math.round(((processorMs(worker) - beforeMs) / count) * 1_000) };
}

/** Each order is the first after a pause: all that was at hand is cold. */
export async function afterPauses(drivers: Drivers, { pauses }: Sizes): Promise<Record<Name, Figures>> {
  const load: Load = { what: "place", count: pauses, inFlight: 1, pauseMs: PAUSE_MS };
  // At the same time: each is still for nearly all of it.
  const all = await Promise.all(NAMES.map(async (name) => [name, figuresOf(await drivers[name].driver.run(load))]));
  return Object.fromEntries(all);
}

/** A ratio or a difference of one round, over all of them. */
export function over(rounds: readonly Round[], of: (round: Round) => number): Spread {
  return spreadOf(rounds.map(of));
}

/** Medians of the rounds. */
export function middle(rounds: readonly Round[], name: Name): Both {
  const of = (part: "one" | "many"): Part => ({
    p50Ms: median(rounds.map((round) => round[name][part].p50Ms)),
    p99Ms: median(rounds.map((round) => round[name][part].p99Ms)),
    perSecond: median(rounds.map((round) => round[name][part].perSecond)),
    processorUs: median(rounds.map((round) => round[name][part].processorUs)),
  });
  return { one: of("one"), many: of("many") };
}
