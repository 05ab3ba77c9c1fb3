/** The exchange has refused a cancel that a trade had asked for: what was to go rests still, and is asked for again. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { nextSteps, type Part } from "../../src/core/trade-step.ts";
import { entry, facts, OVER, PROFIT, part, TRADE } from "./trade-stage.ts";

const CLOSED = part("p1", { ...OVER, filled: decimal("10") });

function stepsWith(stop: Partial<Part>, nowMs: number) {
  const of = { entry: entry("10", OVER), stops: [part("s1", stop)], profits: [CLOSED], nowMs };
  return nextSteps({ ...TRADE, ...PROFIT }, facts(of));
}

test.each([
  ["just now", 10_999, []],
  ["ten seconds ago", 11_000, [{ kind: "cancel", orderId: "s1" }]],
  ["by a clock that was set back since", 999, [{ kind: "cancel", orderId: "s1" }]],
])("a stop that nobody needs any more, and whose cancel was refused %s", (_when, nowMs, steps) => {
  expect(stepsWith({ cancelRefusedAtMs: 1_000 }, nowMs)).toEqual(steps as ReturnType<typeof stepsWith>);
});

test("one whose later cancel is under way is not asked for", () => {
  expect(stepsWith({ cancelRefusedAtMs: 1_000, isLeaving: true }, 20_000)).toEqual([]);
});
