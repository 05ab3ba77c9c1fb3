/**
 * Readings of an account that are under way. Of one that closes many orders at once each would ask for the same: who asks a moment later waits for the
 * one that has begun. Nothing is kept once it is there, and nobody joins one that began long before: two readings of one order are two answers, of two
 * moments.
 */
export type BegunReadings<T> = {
  /** Undefined where none of that name has begun within the moment. @param nowMs our monotonic time */
  find(name: string, nowMs: number): T | undefined;
  /** @param until resolves when it is there */
  begin(name: string, nowMs: number, reading: T, until: Promise<unknown>): void;
};

/** So long after it began a reading may be joined, milliseconds: much less than lies between two that count as two. */
const JOINED_WITHIN_MS = 300;

export function keepBegunReadings<T>(): BegunReadings<T> {
  const begun = new Map<string, { reading: T; sinceMs: number }>();
  return {
    find(name, nowMs) {
      const known = begun.get(name);
      return known !== undefined && nowMs - known.sinceMs <= JOINED_WITHIN_MS ? known.reading : undefined;
    },
    begin(name, nowMs, reading, until) {
      const own = { reading, sinceMs: nowMs };
      begun.set(name, own);
      const forget = () => {
        if (begun.get(name) === own) begun.delete(name);
      };
      until.then(forget, forget);
    },
  };
}
