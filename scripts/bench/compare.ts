/** The gateway, two libraries and the floor, one after the other, round by round, against the same exchange. */
import { type Figures, figuresOf, median, type Spread, spreadOf } from "./figures.ts";
import type { Load } from "./load.ts";
import type { Driver } from "./processes.ts";

export type Name = "postern" | "nktkas" | "ccxt" | "floor";
export type Drivers = Record<Name, Driver>;
export type Round = Record<Name, { one: Figures; many: Figures }>;
export type Sizes = { rounds: number; one: number; many: number };

export const NAMES: readonly Name[] = ["postern", "nktkas", "ccxt", "floor"];
export const IN_FLIGHT = 32;
/** Left out. The runtime compiles for some 10,000 orders, and until then takes slices of 3 ms from whoever is waiting. */
const WARM_UP_ROUNDS = 5;

export async function compare(drivers: Drivers, { rounds, one, many }: Sizes): Promise<Round[]> {
  const place = (count: number, inFlight: number): Load => ({ what: "place", count, inFlight });
  for (const name of NAMES) {
    await drivers[name].run(place(one * WARM_UP_ROUNDS, 1));
    await drivers[name].run(place(many * WARM_UP_ROUNDS, IN_FLIGHT));
  }
  const done: Round[] = [];
  for (let index = 0; index < rounds; index += 1) {
    const figures: Partial<Round> = {};
    // Each goes first in turn: what the one before has left in caches and on the disk is nobody's advantage.
    for (let turn = 0; turn < NAMES.length; turn += 1) {
      const name = NAMES[(index + turn) % NAMES.length] ?? "postern";
      figures[name] = {
        one: figuresOf(await drivers[name].run(place(one, 1))),
        many: figuresOf(await drivers[name].run(place(many, IN_FLIGHT))),
      };
    }
    // All have had their turn.
    done.push(figures as Round);
  }
  return done;
}

export type Ratios = {
  p50ToNktkas: Spread;
  p50ToCcxt: Spread;
  perSecondToNktkas: Spread;
  perSecondToCcxt: Spread;
  p99ToP50: Spread;
  floorP50ToNktkas: Spread;
  floorPerSecondToNktkas: Spread;
};

export function ratiosOf(rounds: readonly Round[]): Ratios {
  const of = (ratio: (round: Round) => number) => spreadOf(rounds.map(ratio));
  return {
    p50ToNktkas: of(({ postern, nktkas }) => postern.one.p50Ms / nktkas.one.p50Ms),
    p50ToCcxt: of(({ postern, ccxt }) => postern.one.p50Ms / ccxt.one.p50Ms),
    perSecondToNktkas: of(({ postern, nktkas }) => postern.many.perSecond / nktkas.many.perSecond),
    perSecondToCcxt: of(({ postern, ccxt }) => postern.many.perSecond / ccxt.many.perSecond),
    p99ToP50: of(({ postern }) => postern.one.p99Ms / postern.one.p50Ms),
    floorP50ToNktkas: of(({ floor, nktkas }) => floor.one.p50Ms / nktkas.one.p50Ms),
    floorPerSecondToNktkas: of(({ floor, nktkas }) => floor.many.perSecond / nktkas.many.perSecond),
  };
}

/** Medians of the rounds. */
export function middle(rounds: readonly Round[], name: Name): { one: Figures; many: Figures } {
  const of = (part: "one" | "many"): Figures => ({
    p50Ms: median(rounds.map((round) => round[name][part].p50Ms)),
    p99Ms: median(rounds.map((round) => round[name][part].p99Ms)),
    perSecond: median(rounds.map((round) => round[name][part].perSecond)),
  });
  return { one: of("one"), many: of("many") };
}
