import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  enter,
  giveNumber,
  type InFlight,
  leave,
  lose,
  MAX_IN_FLIGHT,
  mayGo,
  NOTHING_IN_FLIGHT,
} from "../../src/core/in-flight.ts";

/** As the exchange keeps them: a number has to be unused and above the lowest of the hundred highest. */
function exchangeWindow() {
  let highest: number[] = [];
  return (number: number): "taken" | "too_low" => {
    if (highest.length === 100 && number < (highest[0] ?? 0)) return "too_low";
    highest = [...highest, number].sort((a, b) => a - b).slice(-100);
    return "taken";
  };
}

/** What happens next: one more is asked for, or one of the newest that are under way gets on; older ones linger. */
const events = fc.array(
  fc.record({
    what: fc.constantFrom("ask", "ask", "number", "number", "end", "end", "end", "lose"),
    fromNewest: fc.oneof({ weight: 60, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.nat(60) }),
  }),
  { minLength: 1_500, maxLength: 2_000 },
);

test("whatever is slow, lost or overtaken, nothing is too low when it arrives, and never are more than 60 under way", () => {
  let mostOvertaken = 0;
  fc.assert(
    fc.property(events, (steps) => {
      const arrive = exchangeWindow();
      let flight: InFlight = NOTHING_IN_FLIGHT;
      let lastNumber = 0;
      const numbers = new Map<number, number>();
      for (const [id, { what, fromNewest }] of steps.entries()) {
        if (what === "ask" && mayGo(flight, "order")) flight = enter(flight, id, "reserved");
        const one = flight.going.at(-1 - fromNewest)?.id;
        if (one === undefined || what === "ask") continue;
        const number = numbers.get(one);
        if (what === "number" && number === undefined) {
          lastNumber += 1;
          numbers.set(one, lastNumber);
          flight = giveNumber(flight, one);
        }
        if (number === undefined) continue;
        if (what === "lose") flight = lose(flight, one);
        if (what === "end") {
          expect(arrive(number)).toBe("taken");
          mostOvertaken = Math.max(mostOvertaken, lastNumber - number);
          flight = leave(flight, one);
        }
        expect(flight.going.length).toBeLessThanOrEqual(MAX_IN_FLIGHT);
      }
    }),
    { numRuns: 100, endOnFailure: true },
  );
  // The draws have come to where it matters.
  expect(mostOvertaken).toBeGreaterThan(90);
});

/** So many that have their numbers, the first `lost` of them lost. */
function flightOf(numbered: number, lost = 0): InFlight {
  let flight = NOTHING_IN_FLIGHT;
  for (let id = 0; id < numbered; id += 1) flight = giveNumber(enter(flight, id, "reserved"), id);
  for (let id = 0; id < lost; id += 1) flight = lose(flight, id);
  return flight;
}

/** One that is still under way while so many after it have come and gone. */
function overtaken(times: number): InFlight {
  let flight = flightOf(1);
  for (let id = 1; id <= times; id += 1) flight = leave(giveNumber(enter(flight, id, "reserved"), id), id);
  return flight;
}

test.each([
  ["59 under way", flightOf(59), { order: true, cancel: true, noop: true, patient: true }],
  ["60 under way", flightOf(60), { order: false, cancel: false, noop: false, patient: false }],
  ["60, and one has ended", leave(flightOf(60), 30), { order: true, cancel: true, noop: true, patient: true }],
  ["60, of which one was lost", flightOf(60, 1), { order: false, cancel: false, noop: false, patient: true }],
  [
    "an empty action counts",
    enter(flightOf(59), 99, "noop"),
    { order: false, cancel: false, noop: false, patient: false },
  ],
  ["98 above one that is under way", overtaken(98), { order: true, cancel: true, noop: true, patient: true }],
  ["99 above one that is under way", overtaken(99), { order: false, cancel: false, noop: true, patient: true }],
  [
    "98 above it, and one that has its turn",
    enter(overtaken(98), 999, "reserved"),
    { order: false, cancel: false, noop: true, patient: true },
  ],
] as const)("%s", (_, flight, may) => {
  const ranks = ["order", "cancel", "noop", "patient"] as const;
  expect(Object.fromEntries(ranks.map((rank) => [rank, mayGo(flight, rank)]))).toEqual(may);
});
