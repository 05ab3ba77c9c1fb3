import type { Decimal } from "../core/decimal.ts";

/**
 * An order that closed as filled with less than it asked for may be short for good, or its fills may not all be
 * shown yet. Short for good is only said on two equal readings apart in time, the first well after the close.
 */
export type FillEvidence = {
  /** Notes a reading of the sum of fills; true when it completes the evidence. */
  isComplete(reading: { cloid: string; sum: Decimal; closedAtMs: number; exchangeNowMs: number }): boolean;
  forget(cloid: string): void;
  /** Told of an order that was filled whole, and whose fills are not all shown yet. */
  onShort(cloid: string): void;
};

const FIRST_AFTER_CLOSE_MS = 3_000;
const BETWEEN_READINGS_MS = 2_000;

/** Orders whose evidence is being gathered at once; past it the oldest starts over. */
const MAX_ORDERS = 10_000;

export function gatherFillEvidence(onShort: (cloid: string) => void): FillEvidence {
  const first = new Map<string, { sum: Decimal; atMs: number }>();
  return {
    isComplete({ cloid, sum, closedAtMs, exchangeNowMs }) {
      if (exchangeNowMs < closedAtMs + FIRST_AFTER_CLOSE_MS) return false;
      const earlier = first.get(cloid);
      if (earlier === undefined || earlier.sum !== sum) {
        const oldest = first.keys().next().value;
        if (first.size >= MAX_ORDERS && oldest !== undefined) first.delete(oldest);
        first.delete(cloid);
        first.set(cloid, { sum, atMs: exchangeNowMs });
        return false;
      }
      return exchangeNowMs >= earlier.atMs + BETWEEN_READINGS_MS;
    },
    forget(cloid) {
      first.delete(cloid);
    },
    onShort,
  };
}
