/** One reading of the exchange's clock, with our own monotonic time before and after it. Milliseconds. */
export type TimeSample = { sentAtMs: number; receivedAtMs: number; exchangeMs: number };

/**
 * Exchange time from a few readings. It is counted on from the best reading by our monotonic clock and not by the
 * wall clock, so a step of the host's clock moves neither nonces nor `expiresAfter`.
 */
export type ExchangeTime = {
  add(sample: TimeSample): void;
  /** Null before the first reading. */
  atMs(elapsedMs: number): number | null;
};

/** Readings that are kept: at one in 5 s, the last 40 s. */
const KEPT_SAMPLES = 8;

export function createExchangeTime(): ExchangeTime {
  let samples: TimeSample[] = [];
  return {
    add: (sample) => {
      samples = [...samples, sample].slice(-KEPT_SAMPLES);
    },
    atMs: (elapsedMs) => {
      const best = bestOf(samples);
      if (best === null) return null;
      return Math.round(best.exchangeMs + elapsedMs - (best.sentAtMs + best.receivedAtMs) / 2);
    },
  };
}

/**
 * The reading with the shortest round trip, of those that can be true: a node that is stuck tells a time that has
 * passed, and never one that is still to come, so whatever another reading proves to be in the past is left out.
 */
function bestOf(samples: readonly TimeSample[]): TimeSample | null {
  const provenOffsetMs = Math.max(...samples.map(({ exchangeMs, receivedAtMs }) => exchangeMs - receivedAtMs));
  const possible = samples.filter(({ exchangeMs, sentAtMs }) => exchangeMs - sentAtMs >= provenOffsetMs);
  const shortest = Math.min(...possible.map(roundTripMs));
  return possible.findLast((sample) => roundTripMs(sample) === shortest) ?? null;
}

function roundTripMs({ sentAtMs, receivedAtMs }: TimeSample): number {
  return receivedAtMs - sentAtMs;
}
