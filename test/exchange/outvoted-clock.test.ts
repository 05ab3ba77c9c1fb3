/** How long our own clock counts against readings that were believed in its place. */
import { expect, test } from "bun:test";
import type { TimeSample } from "../../src/exchange/clock.ts";
import { createOutvotedClock } from "../../src/exchange/outvoted-clock.ts";

const START_MS = 1_700_000_000_000;

/** Our wall clock is right; what is read is so far behind it, in the middle of its round trip. */
function behind(receivedAtMs: number, behindMs: number, roundTripMs = 100): TimeSample {
  const sentAtMs = receivedAtMs - roundTripMs;
  const exchangeMs = START_MS + receivedAtMs - roundTripMs / 2 - behindMs;
  return { sentAtMs, receivedAtMs, exchangeMs, wallMs: START_MS + receivedAtMs };
}

function outvotedAt(behindMs: number) {
  const clock = createOutvotedClock();
  clock.outvoted(behind(1_000, behindMs));
  /** By what is believed then. */
  const ahead = (elapsedMs: number) => clock.aheadMs(elapsedMs, START_MS + elapsedMs - behindMs);
  return { clock, ahead };
}

test.each([
  ["seconds behind it", 8_000, 8_000],
  ["as far behind as servers lag", 60_000, 60_000],
  ["further behind than servers lag", 60_001, 0],
])("readings that were believed are %s", (_what, behindMs, aheadMs) => {
  const { ahead } = outvotedAt(behindMs);
  expect([ahead(1_000), ahead(5_000)]).toEqual([aheadMs, aheadMs]);
});

test("against readings that are ahead of it our own clock says nothing, though later ones are behind it", () => {
  const { clock } = outvotedAt(-8_000);
  expect(clock.aheadMs(5_000, START_MS + 5_000 - 3_000)).toBe(0);
});

test("a reading that is near our own clock ends the doubt", () => {
  const { clock, ahead } = outvotedAt(8_000);
  clock.heard(behind(2_000, 0), START_MS + 2_000 - 8_000, true);
  expect(ahead(2_000)).toBe(0);
});

/** A reading each second, so far from what was counted on. */
function hear(clock: ReturnType<typeof createOutvotedClock>, seconds: number, offMs: number, roundTripMs = 100): void {
  for (let second = 2; second <= seconds; second += 1) {
    const sample = behind(second * 1_000, 8_000 + offMs, roundTripMs);
    clock.heard(sample, START_MS + second * 1_000 - 8_000, false);
  }
}

test.each([
  ["agree closely for ten seconds", 0, 100, 8_000, 0],
  ["agree as closely as their round trip lets them", 1_400, 2_000, 8_000, 0],
  ["do not agree so closely", 700, 100, 8_000, 8_000],
])("our own clock is refuted by readings that %s, or is not", (...[, offMs, roundTripMs, before, after]) => {
  const { clock, ahead } = outvotedAt(8_000);
  hear(clock, 10, offMs, roundTripMs);
  expect(ahead(10_000)).toBe(before);
  hear(clock, 11, offMs, roundTripMs);
  expect(ahead(11_000)).toBe(after);
});

test("it is not all servers that lag, where none was near our own clock for a minute", () => {
  const { clock, ahead } = outvotedAt(8_000);
  hear(clock, 60, 700);
  expect(ahead(60_000)).toBe(8_000);
  hear(clock, 61, 700);
  expect(ahead(61_000)).toBe(0);
});
