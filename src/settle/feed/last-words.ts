import { saysOver } from "../../wire/answer/status-words.ts";
import type { OrderUpdate } from "../../wire/answer/stream.ts";

/**
 * What one frame of the stream says of each order after all of it. An order that is placed and filled in one block is told twice in it, as open
 * and as filled, of one moment (PROTOCOL §5): that it rests was never so.
 */
export function lastWords(updates: readonly OrderUpdate[]): OrderUpdate[] {
  const words = new Map<string, OrderUpdate>();
  for (const update of updates) {
    const { oid } = update.order;
    const before = words.get(oid);
    words.delete(oid);
    words.set(oid, lastWord(before, update));
  }
  return [...words.values()];
}

/** The newer of two words of one native id, unless the one before was an end: nothing lives after that. */
export function lastWord(before: OrderUpdate | undefined, update: OrderUpdate): OrderUpdate {
  const isOver = before !== undefined && before.order.oid === update.order.oid && saysOver(before.status);
  return isOver && !saysOver(update.status) ? before : update;
}
