/**
 * Readings of an account that have just begun. Of one that closes many orders at once each would ask for the same: who asks a moment later takes the
 * one that has begun, also where it is there already, because a quick exchange answers before the next has asked. Nobody takes one that began long
 * before: two readings of one order are two answers, of two moments.
 */
export type BegunReadings<T> = {
  /**
   * One that has begun within the moment before and is enough; else one that has begun since the question and is as good as an own one, which each of
   * many would ask for else. Where there is none it is begun.
   */
  take(name: string, asked: AskedReading<T>): Promise<T>;
};

type AskedReading<T> = {
  /** What it holds nothing of before: one that holds more does as well. Unix milliseconds, exchange time; 0 where it holds all. */
  fromMs: number;
  /** Our monotonic time, milliseconds. */
  nowMs: () => number;
  read: () => Promise<T>;
  isEnough: (reading: T) => boolean;
  /** Of one that was begun since the question. */
  isAsGood: (reading: T) => boolean;
};

/** So long after it began a reading may be taken, milliseconds: much less than lies between two that count as two. */
const TAKEN_WITHIN_MS = 300;

type Begun<T> = { order: number; fromMs: number; sinceMs: number; reading: Promise<T> };

export function keepBegunReadings<T>(): BegunReadings<T> {
  const newest = new Map<string, Begun<T>>();
  let count = 0;

  function begin(name: string, { fromMs, nowMs, read }: AskedReading<T>): Promise<T> {
    count += 1;
    const reading = read();
    newest.set(name, { order: count, fromMs, sinceMs: nowMs(), reading });
    return reading;
  }

  return {
    async take(name, asked) {
      const { fromMs, nowMs, isEnough, isAsGood } = asked;
      const askedAfter = count;
      const before = newest.get(name);
      if (before !== undefined && before.fromMs <= fromMs && nowMs() - before.sinceMs <= TAKEN_WITHIN_MS) {
        const reading = await before.reading;
        if (isEnough(reading)) return reading;
      }
      const since = newest.get(name);
      if (since !== undefined && since.order > askedAfter && since.fromMs <= fromMs) {
        const reading = await since.reading;
        if (isEnough(reading) || isAsGood(reading)) return reading;
      }
      return begin(name, asked);
    },
  };
}
