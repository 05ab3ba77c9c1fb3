import { createOutvotedClock } from "./outvoted-clock.ts";

/**
 * One reading of the exchange's clock, with our own monotonic time before and after it, and our wall clock at its end.
 * Milliseconds.
 */
export type TimeSample = { sentAtMs: number; receivedAtMs: number; exchangeMs: number; wallMs: number };

/** What the exchange has dated, and when it was received by our monotonic and our wall clock. Milliseconds. */
export type DatedSample = { exchangeMs: number; receivedAtMs: number; wallMs: number };

/**
 * Exchange time from a few readings. It is counted on from the best reading by our monotonic clock and not by the
 * wall clock, so a step of the host's clock moves neither nonces nor `expiresAfter`.
 */
export type ExchangeTime = {
  /** `doubted`: it agrees with nothing that we know, and counts for nothing until two further readings agree with it. */
  add(sample: TimeSample): "taken" | "doubted";
  /**
   * Something that the exchange has dated: it was no earlier there when that was received. The best reading may come
   * from a node that stands still, and is the only one at first.
   */
  prove(dated: DatedSample): void;
  /** Null before the first reading that was taken. */
  atMs(elapsedMs: number): number | null;
  /**
   * By so much it may be ahead of that, milliseconds: 0 but where what was dated there proves the best reading to be behind, and
   * nothing tells by how much, or where readings were just believed against our own clock, which is ahead of them.
   */
  mayBeAheadMs(elapsedMs: number): number;
};

/** Readings that are kept: at one in 5 s, the last 40 s. */
const KEPT_SAMPLES = 8;

/** What may lie between two clocks that agree, beyond the time that a reading took, milliseconds. */
const AGREED_WITHIN_MS = 5_000;

/**
 * Readings that agree with one another that it takes to believe them against everything else, each of another moment: one
 * that stands still says the same whenever it is asked.
 */
const WORDS_NEEDED = 3;
/** And the time over which they do, where they contradict earlier ones: a clock that stands still agrees for a moment. */
const WORDS_SPAN_MS = 10_000;

/**
 * A number that was signed with a time far ahead is used up for good, so one server's wrong clock must not be believed
 * alone: a reading is taken when it agrees with the time as counted on from earlier ones, or with the wall clock (the
 * machine may have slept), or with two others before it, whatever else was read between them.
 */
export function createExchangeTime(): ExchangeTime {
  /** None where the time is known by what was dated alone. */
  let samples: TimeSample[] = [];
  /** Of these; looked up with every answer. */
  let best: TimeSample | null = null;
  let doubted: TimeSample[] = [];
  /** Exchange time minus our monotonic time is at least this, as what was dated there proves. */
  let provenOffsetMs: number | null = null;
  const ownClock = createOutvotedClock();

  function take(taken: readonly TimeSample[]): "taken" {
    samples = taken.slice(-KEPT_SAMPLES);
    best = bestOf(samples);
    doubted = [];
    return "taken";
  }

  /** The readings before it were of a node that stands still; the next one that is true takes its place. */
  function takeDated({ exchangeMs, receivedAtMs, wallMs }: DatedSample): void {
    samples = [];
    best = { sentAtMs: receivedAtMs, receivedAtMs, exchangeMs, wallMs };
    doubted = [];
    provenOffsetMs = null;
  }

  function atMs(elapsedMs: number): number | null {
    const counted = timeAt(best, elapsedMs);
    if (counted === null || provenOffsetMs === null) return counted;
    // A clock that we had believed, and that others have contradicted since, proves nothing.
    const provenMs = Math.round(elapsedMs + provenOffsetMs);
    return provenMs > counted && provenMs <= counted + AGREED_WITHIN_MS ? provenMs : counted;
  }

  return {
    add(sample) {
      const counted = timeAt(best, sample.receivedAtMs);
      const isOwn = isNear(sample, sample.wallMs);
      ownClock.heard(sample, counted, isOwn);
      // One that stands still is behind what others prove, and is left out by them.
      if (counted !== null && isNear(sample, counted)) return take([...samples, sample]);
      if (isOwn) return take([sample]);
      doubted = [...doubted, sample].slice(-KEPT_SAMPLES);
      const agreeing = doubted.filter((other) => agree(other, sample));
      if (!isEnough(agreeing, sample, counted)) return "doubted";
      ownClock.outvoted(sample);
      return take(agreeing);
    },
    prove(dated) {
      const { exchangeMs, receivedAtMs, wallMs } = dated;
      const counted = timeAt(best, receivedAtMs);
      if (counted === null || exchangeMs <= counted) return;
      if (exchangeMs > counted + AGREED_WITHIN_MS) {
        // By one server's wrong clock it may be moved no further than by a reading of it: our own has to bear it out.
        if (Math.abs(exchangeMs - wallMs) <= AGREED_WITHIN_MS) takeDated(dated);
        return;
      }
      provenOffsetMs = Math.max(provenOffsetMs ?? Number.NEGATIVE_INFINITY, exchangeMs - receivedAtMs);
    },
    atMs,
    mayBeAheadMs(elapsedMs) {
      const counted = timeAt(best, elapsedMs);
      const nowMs = atMs(elapsedMs);
      // Told at the end of its round trip it may be of its beginning, and nothing proves it to be behind yet.
      if (best === null || counted === null || nowMs === null) return 0;
      const aheadMs = ownClock.aheadMs(elapsedMs, nowMs);
      if (samples.length > 0 && nowMs - counted <= roundTripMs(best) / 2) return aheadMs;
      return Math.max(aheadMs, counted + AGREED_WITHIN_MS - nowMs);
    },
  };
}

/** Against our own clock, and against what was counted on, where that is known. */
function isEnough(agreeing: readonly TimeSample[], newest: TimeSample, counted: number | null): boolean {
  const moments = new Set(agreeing.map(({ exchangeMs }) => exchangeMs)).size;
  const spanMs = newest.receivedAtMs - (agreeing[0]?.receivedAtMs ?? 0);
  return moments >= WORDS_NEEDED && (counted === null || spanMs >= WORDS_SPAN_MS);
}

function timeAt(best: TimeSample | null, elapsedMs: number): number | null {
  return best === null ? null : Math.round(best.exchangeMs + elapsedMs - (best.sentAtMs + best.receivedAtMs) / 2);
}

/** Told somewhere between the question and its answer. */
function isNear(sample: TimeSample, nowMs: number): boolean {
  const laterMs = nowMs - sample.exchangeMs;
  return laterMs >= -AGREED_WITHIN_MS && laterMs <= roundTripMs(sample) + AGREED_WITHIN_MS;
}

function agree(earlier: TimeSample, later: TimeSample): boolean {
  const countedOnMs = earlier.exchangeMs + (later.receivedAtMs - earlier.receivedAtMs);
  const slackMs = roundTripMs(earlier) + roundTripMs(later) + AGREED_WITHIN_MS;
  return Math.abs(later.exchangeMs - countedOnMs) <= slackMs;
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
