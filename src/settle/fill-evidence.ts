import { judgeSize, type SizeReading, type SizeVerdict } from "../core/evidence.ts";

/** What was read of closed orders whose filled size is not final yet. Losing it in a crash only makes the next ones more. */
export type FillEvidence = {
  /** Notes a reading, and says what all of the same order come to. */
  judge(cloid: string, reading: SizeReading): SizeVerdict;
  /** Told of an order that is over, and whose fills are not all shown yet. */
  onShort(cloid: string): void;
};

/** Orders whose evidence is being gathered at once; past it the oldest starts over. */
const MAX_ORDERS = 10_000;
/** Readings kept of one order: the oldest and the newest ones. */
const MAX_READINGS = 100;

export function gatherFillEvidence(onShort: (cloid: string) => void): FillEvidence {
  const readings = new Map<string, SizeReading[]>();
  return {
    judge(cloid, reading) {
      const known = readings.get(cloid) ?? [];
      const kept = known.length < MAX_READINGS ? known : [...known.slice(0, 1), ...known.slice(2)];
      const all = [...kept, reading];
      const verdict = judgeSize(all);
      const oldest = readings.keys().next().value;
      if (readings.size >= MAX_ORDERS && oldest !== undefined) readings.delete(oldest);
      readings.delete(cloid);
      if (verdict === "open") readings.set(cloid, all);
      return verdict;
    },
    onShort,
  };
}
