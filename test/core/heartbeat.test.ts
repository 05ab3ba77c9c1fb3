import { expect, test } from "bun:test";
import { silenceAtStart, silenceBetween } from "../../src/core/heartbeat.ts";

const AT = { wallMs: 1_795_253_400_000, bootMs: 90_000 };

test.each([
  ["a second, by both clocks", 1_000, 1_000, 1_000],
  ["a machine that slept", 600_000, 600_000, 600_000],
  ["a virtual machine that was held, and whose wall clock was set right", 61_000, 1_000, 61_000],
  ["a wall clock that is set back", -3_599_000, 1_000, 3_601_000],
  ["a wall clock that is set by less than 5 s", 5_900, 1_000, 1_000],
  ["and back by less", -3_900, 1_000, 1_000],
  ["a count that begins anew", 1_000, -90_000, 0],
])("%s counts as so much silence", (_what, wallMs, bootMs, silentMs) => {
  expect(silenceBetween(AT, { wallMs: AT.wallMs + wallMs, bootMs: AT.bootMs + bootMs })).toBe(silentMs);
});

test.each([
  ["the first start after a beat", null, 0],
  ["a second one, in which it still runs", AT.wallMs - 20_000, 20_000],
  ["one at a time before that, which nobody can measure", AT.wallMs + 1, null],
])("%s", (_what, graceAtMs, silentMs) => {
  expect(silenceAtStart({ graceAtMs }, AT.wallMs)).toBe(silentMs);
});
