/** A TWAP of ours that no answer has named, and that nobody looks for any more. */
export type LostTwap = {
  operationId: string;
  /** Null for that of a key without rails. */
  bot: string | null;
  /** The exchange has taken its number. */
  isTaken: boolean;
  /** Native ids of those that the exchange shows as asked for, of its time, and that no operation has. */
  ids: readonly string[];
};

/**
 * The native ids under which equal TWAPs of one bot stand in its books, by operation. Which made which nothing shows, and the books come to
 * the same either way: as many are shown as were sent, each may be each, and nobody else's are among them. Nothing is told of it.
 */
export function namesInBooks(lost: readonly LostTwap[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { bot, ids } of lost) {
    const rivals = lost.filter((other) => other.ids.some((id) => ids.includes(id)));
    const areOneBots = bot !== null && rivals.every((other) => other.bot === bot && other.isTaken);
    const areEach = rivals.length === ids.length && rivals.every((other) => isSame(other.ids, ids));
    if (!areOneBots || !areEach) continue;
    for (const [nth, { operationId }] of rivals.entries()) names.set(operationId, ids[nth] ?? "");
  }
  return names;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((id) => others.includes(id));
}
