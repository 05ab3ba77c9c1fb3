/**
 * When legs were sent, and when what is filled of them was told, by a clock that nobody sets; in memory alone. Rows are dated by our wall
 * clock, which may be set between two of them, or between one and a reading.
 */
import type { Store } from "./open.ts";

/** Elapsed milliseconds; null for what was before this process, or is not known. */
export type LegMoments = { sentElapsedMs: number | null; filledElapsedMs: number | null };

/** By client order id, the oldest first. */
export type LegMomentsBook = Map<string, LegMoments>;

/** The first order that was sent in a piece of time, by its number; elapsed milliseconds. */
export type SentMark = { elapsedMs: number; number: number };

/** One mark in such a piece of time, and for so long, milliseconds: longer than anybody looks back by. */
const MARK_EVERY_MS = 5_000;
const MARKS_KEPT_MS = 60_000;

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

/** An order that is placed by this process, by its number: orders are numbered as they are stored. */
export function noteSentOrder(store: Pick<Store, "memory">, cloid: string, number: number): void {
  noteSent(store, cloid);
  const elapsedMs = momentNow(store);
  const marks = store.memory.sentMarks;
  const lastMs = marks.at(-1)?.elapsedMs ?? Number.NEGATIVE_INFINITY;
  if (elapsedMs === null || elapsedMs - lastMs < MARK_EVERY_MS) return;
  marks.push({ elapsedMs, number });
  while ((marks[1]?.elapsedMs ?? elapsedMs) < elapsedMs - MARKS_KEPT_MS) marks.shift();
}

/** The least number that an order can have which this process has sent since then. @param elapsedMs no more than a minute ago */
export function numberSentSince({ memory }: Pick<Store, "memory">, elapsedMs: number): number {
  const marks = memory.sentMarks;
  const before = marks.findLast((mark) => mark.elapsedMs <= elapsedMs);
  return (before ?? marks[0])?.number ?? Number.MAX_SAFE_INTEGER;
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
