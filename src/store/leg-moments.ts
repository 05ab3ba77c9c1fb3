/**
 * When legs were sent, and when what is filled of them was told, by a clock that nobody sets; in memory alone. Rows are dated by our wall
 * clock, which may be set between two of them, or between one and a reading.
 */
import type { Store } from "./open.ts";

/** Elapsed milliseconds; null for what was before this process, or is not known. */
export type LegMoments = { sentElapsedMs: number | null; filledElapsedMs: number | null };

/** By client order id, the oldest first. */
export type LegMomentsBook = Map<string, LegMoments>;

/** Legs that are remembered: more than anybody looks through. */
const MAX_REMEMBERED = 10_000;

const UNKNOWN: LegMoments = { sentElapsedMs: null, filledElapsedMs: null };

/** From here on moments are noted: monotonic milliseconds. */
export function countMomentsBy({ memory }: Pick<Store, "memory">, elapsedMs: () => number): void {
  memory.elapsedMs = elapsedMs;
}

/** Null where nobody counts them. */
export function momentNow({ memory }: Pick<Store, "memory">): number | null {
  return memory.elapsedMs?.() ?? null;
}

/** Signed from here on: whatever was asked for before cannot hold it. */
export function noteSent(store: Pick<Store, "memory">, cloid: string): void {
  note(store, cloid, { sentElapsedMs: momentNow(store) });
}

/** What is filled of it has just become known, or is known otherwise than before. */
export function noteFilled(store: Pick<Store, "memory">, cloid: string): void {
  note(store, cloid, { filledElapsedMs: momentNow(store) });
}

export function momentsOf({ memory }: Pick<Store, "memory">, cloid: string): LegMoments {
  return memory.legMoments.get(cloid) ?? UNKNOWN;
}

function note(store: Pick<Store, "memory">, cloid: string, news: Partial<LegMoments>): void {
  const { legMoments: book } = store.memory;
  const before = momentsOf(store, cloid);
  book.delete(cloid);
  book.set(cloid, { ...before, ...news });
  const [oldest] = book.keys();
  if (book.size > MAX_REMEMBERED && oldest !== undefined) book.delete(oldest);
}
