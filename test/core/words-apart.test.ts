/** Two readings are two words only where they say the same, and of the same time. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { judgeSize, type MarginReading, marginMovedBetween, type SizeReading } from "../../src/core/evidence.ts";

function unmoved(elapsedMs: number, agreement: SizeReading["agreement"]): SizeReading {
  const plain = { elapsedMs, sinceCloseMs: elapsedMs, isWitnessed: false, position: "unmoved" } as const;
  return { agreement, filled: decimal("0.4"), ...plain };
}

test("a record that left room for less and one that ends short are no two words on a size", () => {
  expect(judgeSize([unmoved(0, "over"), unmoved(3_000, "short"), unmoved(5_000, "short")])).toBe("final");
  expect(judgeSize([unmoved(0, "missing"), unmoved(3_000, "over"), unmoved(5_000, "short")])).toBe("open");
});

test("cash may have been moved by a change that was signed by a clock that was ahead", () => {
  const cash = (rawUsd: string): MarginReading => ({
    rawUsd: decimal(rawUsd),
    signedSize: decimal("1"),
    fundingSinceOpen: decimal("0"),
  });
  const movedBeside = (signedAtMs: number) => {
    const later = [{ amount: decimal("10"), isDone: true, signedAtMs, endsAtMs: signedAtMs + 15_000, isBeside: false }];
    const after = { timeMs: 2_500, reading: cash("-90") };
    return marginMovedBetween({ timeMs: 1_500, reading: cash("-100") }, after, { later, newestFillAtMs: null });
  };
  expect([movedBeside(7_500), movedBeside(7_501)]).toEqual([null, decimal("10")]);
});
