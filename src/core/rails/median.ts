/** The price of a spot market over ten minutes, of which no oracle tells: who moves a thin book for a moment moves little of it. */
import { add, compare, type Decimal, decimal, divide } from "../decimal.ts";

const WINDOW_MS = 10 * 60_000;
/** One sample in so long, milliseconds. */
const SPACING_MS = 5_000;
/** Over less than this, or of fewer samples, there is no median. */
const LEAST_SPAN_MS = 5 * 60_000;
const LEAST_SAMPLES = 10;

type Sample = { atMs: number; mark: Decimal };
/** Of one market, oldest first. */
export type Marks = Sample[];

/** Notes what a market is marked at; `atMs` on a clock that never goes back. */
export function noteMark(marks: Marks, sample: Sample): void {
  const last = marks.at(-1);
  if (last !== undefined && sample.atMs - last.atMs < SPACING_MS) return;
  marks.push(sample);
  const kept = marks.findIndex(({ atMs }) => sample.atMs - atMs <= WINDOW_MS);
  if (kept > 0) marks.splice(0, kept);
}

/** Null while too little is known. */
export function medianOf(marks: Marks, nowMs: number): Decimal | null {
  const recent = marks.filter(({ atMs }) => nowMs - atMs <= WINDOW_MS);
  const first = recent[0];
  if (first === undefined || recent.length < LEAST_SAMPLES || nowMs - first.atMs < LEAST_SPAN_MS) return null;
  const sorted = recent.map(({ mark }) => mark).toSorted(compare);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.ceil((sorted.length - 1) / 2)];
  return low === undefined || high === undefined ? null : divide(add(low, high), decimal("2"), MEDIAN_DECIMALS);
}

const MEDIAN_DECIMALS = 12;
