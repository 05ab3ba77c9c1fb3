import { expect, test } from "bun:test";
import { countSweep, hastenSweeps, isSweepDue, startPursuit } from "../../src/settle/pursuit.ts";

const SWEPT = { open: [], history: [], fills: [] };

/** When sweeps are read of somebody who looks every 500 ms, milliseconds. */
function sweptAt(untilMs: number, endsMs: number, witnessedMs: number | null = null): number[] {
  const pursuit = startPursuit(1);
  const at: number[] = [];
  for (let nowMs = 0; nowMs <= untilMs; nowMs += 500) {
    const moment = { nowMs, isPastEnd: nowMs > endsMs };
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
  countSweep(pursuit, "no_room", { nowMs: 0, isPastEnd: true });
  expect(isSweepDue(pursuit, { nowMs: 0, isPastEnd: true })).toBe(true);
});
