import { expect, test } from "bun:test";
import { decimal } from "../../../src/core/decimal.ts";
import {
  hasLeftNothing,
  isTwapOver,
  type RunningTwap,
  type TwapRow,
  type UnnamedTwap,
  unnamedTwapEndsAtMs,
} from "../../../src/core/rails/twap-end.ts";

const DAY_MS = 86_400_000;
const AT_MS = 100 * DAY_MS;

const TWAP: RunningTwap = {
  twapId: "7",
  size: decimal("1"),
  filledSize: decimal("0.4"),
  durationMinutes: 30,
  createdAtMs: AT_MS,
};

function row(twapId: string, status: string, { executed = "0.4", atMs = AT_MS } = {}): TwapRow {
  return { twapId, status, timeS: atMs / 1_000, state: { executedSize: decimal(executed) } };
}

const LATER = { atMs: AT_MS + 4 * DAY_MS };

test.each<[string, boolean, [Partial<RunningTwap>, TwapRow[], number | null]]>([
  ["runs", false, [{}, [row("7", "activated")], AT_MS]],
  ["was canceled, and its fills are there", true, [{}, [row("7", "terminated"), row("7", "activated")], null]],
  ["was canceled, and a fill is missing", false, [{}, [row("7", "terminated", { executed: "0.5" })], AT_MS]],
  ["ended in a word that is new", false, [{}, [row("7", "paused")], AT_MS]],
  ["is filled whole, whatever is shown", true, [{ filledSize: decimal("1") }, [row("7", "activated")], null]],
  ["is another", false, [{}, [row("8", "terminated")], AT_MS]],
  ["is old, in a history that has gone on past it", true, [{}, [row("8", "finished", LATER)], AT_MS + 4 * DAY_MS]],
  ["is old, and fills of its time may be missing", false, [{}, [row("8", "finished", LATER)], AT_MS + DAY_MS]],
  [
    "is old, in a history that has not gone on past it",
    false,
    [{}, [row("8", "x", { atMs: AT_MS + DAY_MS })], AT_MS + 4 * DAY_MS],
  ],
  ["is old and quiet", false, [{}, [], AT_MS + 40 * DAY_MS]],
  ["has no name", false, [{ twapId: null }, [row("7", "finished")], AT_MS]],
  ["is old and shown to run", false, [{}, [row("7", "activated"), row("8", "x", LATER)], AT_MS + 4 * DAY_MS]],
])("a TWAP that %s is over: %p", (_title, outcome, [twap, rows, fillsKnownToMs]) => {
  expect(isTwapOver({ ...TWAP, ...twap }, rows, fillsKnownToMs)).toBe(outcome);
});

const SILENT: UnnamedTwap = { endsAtMs: AT_MS, fillsKnownToMs: AT_MS, mayHaveSlices: false, holding: "unmoved" };

test.each<[string, boolean, Partial<UnnamedTwap>]>([
  ["no fill is its, and what is held stands", true, {}],
  ["fills of its time may be missing", false, { fillsKnownToMs: AT_MS - 1 }],
  ["no fills were ever read", false, { fillsKnownToMs: null }],
  ["a slice of its time is nobody's", false, { mayHaveSlices: true }],
  ["what is held has moved", false, { holding: "moved" }],
  ["what is held is of before its end", false, { holding: "behind" }],
  ["what is held nobody can say", false, { holding: "unknown" }],
  ["what is held was not asked for", false, { holding: null }],
])("of a TWAP that no answer has named nothing is left to be known where %s: %p", (_title, outcome, known) => {
  expect(hasLeftNothing({ ...SILENT, ...known })).toBe(outcome);
});

test("a TWAP that no answer has named is over by its expiry, its minutes and the time by which no server is behind", () => {
  expect(unnamedTwapEndsAtMs({ expiresAtMs: AT_MS }, 30) - AT_MS).toBe(3_000 + 30 * 60_000 + 150_000);
});
