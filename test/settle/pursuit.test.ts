import { expect, test } from "bun:test";
import { countSweep, hastenSweeps, isSweepDue, startPursuit, sweepSinceMs } from "../../src/settle/pursuit.ts";

const SWEPT = { open: [], history: [], fills: [] };

/** When sweeps are read of somebody who looks every 500 ms, milliseconds. */
function sweptAt(untilMs: number, endsMs: number, witnessedMs: number | null = null): number[] {
  const pursuit = startPursuit(1);
  const at: number[] = [];
  for (let nowMs = 0; nowMs <= untilMs; nowMs += 500) {
    const moment = { nowMs, pastEndMs: nowMs - endsMs };
    if (nowMs === witnessedMs) hastenSweeps(pursuit);
    if (!isSweepDue(pursuit, moment)) continue;
    countSweep(pursuit, SWEPT, moment);
    at.push(nowMs);
  }
  return at;
}

test("sweeps grow seldom, and begin anew at the end of the action", () => {
  expect(sweptAt(60_000, 100_000)).toEqual([0, 1_500, 4_500, 10_500, 22_500, 52_500]);
  expect(sweptAt(60_000, 15_000)).toEqual([0, 1_500, 4_500, 10_500, 15_500, 17_000, 20_000, 26_000, 38_000]);
});

test("after a witness the next sweep comes soon", () => {
  expect(sweptAt(130_000, 0, 100_000).filter((atMs) => atMs > 90_000)).toEqual([100_000, 103_000, 109_000, 121_000]);
});

test("one for which there was no room does not count", () => {
  const pursuit = startPursuit(1);
  countSweep(pursuit, "no_room", { nowMs: 0, pastEndMs: 1 });
  expect(isSweepDue(pursuit, { nowMs: 0, pastEndMs: 1 })).toBe(true);
});

test("what another has asked for costs nothing, and serves where it counts beside the last", () => {
  const pursuit = startPursuit(1);
  const at = (nowMs: number) => ({ nowMs, pastEndMs: nowMs - 10_000 });
  // Of the first nobody knows whether it is of after the number was found to be taken.
  expect([sweepSinceMs(pursuit, at(0)), isSweepDue(pursuit, at(0), 0)]).toEqual([null, true]);
  countSweep(pursuit, SWEPT, at(0));
  expect([isSweepDue(pursuit, at(1_400), 999), isSweepDue(pursuit, at(1_400), 1_000)]).toEqual([false, true]);
  // Past the end one of before it does not do.
  for (const nowMs of [1_500, 4_500, 9_500]) countSweep(pursuit, SWEPT, at(nowMs));
  expect([sweepSinceMs(pursuit, at(9_900)), sweepSinceMs(pursuit, at(12_000))]).toEqual([10_500, 10_500]);
  expect(sweepSinceMs({ ...pursuit, lastSweepElapsedMs: 2_000 }, at(12_000))).toBe(10_000);
  countSweep(pursuit, SWEPT, at(12_000));
  expect([sweepSinceMs(pursuit, at(12_500)), isSweepDue(pursuit, at(13_000))]).toEqual([13_000, false]);
});

test("what others ask for again and again does not make the next of its own come late", () => {
  const pursuit = startPursuit(1);
  for (let nowMs = 0; nowMs <= 8_000; nowMs += 1_000) countSweep(pursuit, SWEPT, { nowMs, pastEndMs: 1 });
  expect(isSweepDue(pursuit, { nowMs: 11_000, pastEndMs: 1 })).toBe(true);
});
