/** Two readings are two words only where they say the same, and of the same time. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { judgeSize, type SizeReading } from "../../src/core/evidence.ts";

function unmoved(elapsedMs: number, agreement: SizeReading["agreement"]): SizeReading {
  const plain = { elapsedMs, sinceCloseMs: elapsedMs, isWitnessed: false, position: "unmoved" } as const;
  return { agreement, filled: decimal("0.4"), ...plain };
}

test("a record that left room for less and one that ends short are no two words on a size", () => {
  expect(judgeSize([unmoved(0, "over"), unmoved(3_000, "short"), unmoved(5_000, "short")])).toBe("final");
  expect(judgeSize([unmoved(0, "missing"), unmoved(3_000, "over"), unmoved(5_000, "short")])).toBe("open");
});
