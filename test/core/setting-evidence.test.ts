/** When readings of a setting count, and what those that count say. */
import { expect, test } from "bun:test";
import { BEHIND_MS } from "../../src/core/evidence.ts";
import {
  concludeSetting,
  type SettingEnd,
  type SettingTrace,
  settingCountsFromMs,
} from "../../src/core/setting-evidence.ts";

const MINUTE = 60_000;

test.each<[string, Partial<SettingTrace>, SettingEnd | null]>([
  ["it is shown twice", { shown: 2 }, "in_force"],
  ["it is shown twice, and another change may have run after it", { shown: 2, mayBeReplaced: true }, "in_force"],
  ["it is shown once", { shown: 1 }, null],
  ["nothing is known of its number", { shown: 2, seal: null }, null],
  ["nothing is known of its number, and something else is shown", { otherwise: 2, seal: null }, null],
  ["an empty action took its number", { shown: 2, seal: "noop" }, null],
  ["something else is shown once", { otherwise: 1 }, null],
  ["something else is shown twice", { otherwise: 2 }, "not_in_force"],
  [
    "something else is shown twice, and it may have been shown before",
    { otherwise: 2, mayHaveBeenShown: true },
    "untold",
  ],
  ["something else is shown twice, and may have replaced it", { otherwise: 2, mayBeReplaced: true }, "untold"],
])("what became of a setting, by the readings that count: %s", (_name, change, end) => {
  const trace: SettingTrace = {
    seal: "nonce_taken",
    shown: 0,
    otherwise: 0,
    mayHaveBeenShown: false,
    mayBeReplaced: false,
    ...change,
  };
  expect(concludeSetting(trace)).toBe(end);
});

test.each<[string, number | null, { shown: number; otherwise: number }]>([
  ["we have changed it in no other way", null, { shown: 0, otherwise: MINUTE + BEHIND_MS + 1 }],
  ["we changed it otherwise before", 1_000, { shown: BEHIND_MS + 1_001, otherwise: MINUTE + BEHIND_MS + 1 }],
  [
    "we changed it otherwise after it",
    2 * MINUTE,
    { shown: 2 * MINUTE + BEHIND_MS + 1, otherwise: 2 * MINUTE + BEHIND_MS + 1 },
  ],
])("readings of a setting count from when no server can be behind what they could show: %s", (_name, other, from) => {
  expect(settingCountsFromMs({ endsAtMs: MINUTE, otherEndsAtMs: other })).toEqual(from);
});
