/** The measure by which `bun run reads` judges: an answer is as old as the time since it was last true. */
import { describe, expect, test } from "bun:test";
import { openTimeline } from "../scripts/reads/timeline.ts";

describe("the age of what is said of BTC, which was 1 from 1,000 on, 2 from 2,000 and nothing from 5,000 on", () => {
  const timeline = openTimeline();
  timeline.note(new Map([["position BTC", "1"]]), 1_000);
  timeline.note(new Map([["position BTC", "2"]]), 2_000);
  timeline.note(new Map(), 5_000);

  test.each<[string, string, [number, number], number | null]>([
    ["what is true", "2", [3_000, 3_010], 0],
    ["what became true before the answer", "2", [1_990, 2_010], 0],
    ["what was true when it was asked", "1", [1_990, 2_010], 0],
    ["what had changed", "1", [2_300, 2_310], 300],
    ["what had changed twice", "1", [5_500, 5_510], 3_500],
    ["nothing, before anything", "", [500, 510], 0],
    ["nothing, while there was something", "", [2_500, 2_510], 1_500],
    ["nothing, after it", "", [6_000, 6_010], 0],
    ["what was never so", "3", [3_000, 3_010], null],
    ["what is true only later", "2", [1_500, 1_510], null],
  ])("%s", (_what, value, [fromMs, toMs], ageMs) => {
    expect(timeline.ageMs("position BTC", value, { fromMs, toMs })).toBe(ageMs);
  });

  test("what has ended is looked for a while longer", () => {
    expect(timeline.named("position ", 4_000)).toEqual(["position BTC"]);
    expect(timeline.named("position ", 6_000)).toEqual([]);
  });

  test("what stands is looked for only while it is new, where a page holds no more", () => {
    const lasting = openTimeline();
    lasting.note(new Map([["fill 1", "told"]]), 1_000);
    expect([lasting.named("fill ", 9_000), lasting.changed("fill ", 1_000)]).toEqual([["fill 1"], ["fill 1"]]);
    expect(lasting.changed("fill ", 1_001)).toEqual([]);
  });
});
