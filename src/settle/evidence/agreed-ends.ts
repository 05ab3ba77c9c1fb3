/**
 * Ends that an order's record and its feed have told alike. Record and feed say no more of it when they are asked again a moment later: whether
 * its size is final other stores tell, which are.
 */
import { compare } from "../../core/decimal.ts";
import type { OrderStatusAnswer } from "../../wire/answer/order-status.ts";

/** What a record by id tells of an order, or its feed in the same form. */
export type RecordAnswer = Extract<OrderStatusAnswer, { kind: "order" }>;

export type AgreedEnds = {
  /** Notes a record that was just read. @param told what the feed tells of its end, null where nothing. @param atElapsedMs our monotonic time */
  note(cloid: string, told: RecordAnswer | null, record: RecordAnswer, atElapsedMs: number): void;
  /** The record that was read a moment ago, where the feed goes on telling the same; else null. */
  find(cloid: string, told: RecordAnswer | null, atElapsedMs: number): RecordAnswer | null;
};

/** So long a record is not read again, milliseconds: the size of most is final a second after the first look. */
const STANDS_MS = 3_000;
/** Orders that end within that at once; past it the oldest is read again. */
const MAX_ENDS = 1_000;

export function keepAgreedEnds(): AgreedEnds {
  const ends = new Map<string, { record: RecordAnswer; atElapsedMs: number }>();
  return {
    note(cloid, told, record, atElapsedMs) {
      ends.delete(cloid);
      if (!tellAlike(told, record)) return;
      const [oldest] = ends.keys();
      if (ends.size >= MAX_ENDS && oldest !== undefined) ends.delete(oldest);
      ends.set(cloid, { record, atElapsedMs });
    },
    find(cloid, told, atElapsedMs) {
      const known = ends.get(cloid);
      if (known === undefined || atElapsedMs - known.atElapsedMs >= STANDS_MS) return null;
      return tellAlike(told, known.record) ? known.record : null;
    },
  };
}

function tellAlike(told: RecordAnswer | null, record: RecordAnswer): boolean {
  if (told === null || told.order.oid !== record.order.oid || told.status !== record.status) return false;
  return told.statusTimestampMs === record.statusTimestampMs && compare(told.order.size, record.order.size) === 0;
}
