/** The outside world's time. Core and wire never call it: they are handed the values. */
export type Clock = {
  /** Wall time, unix milliseconds. May jump; nothing is ever sealed by it. */
  nowMs(): number;
  /** Monotonic milliseconds since some start; for deadlines and ages. */
  elapsedMs(): number;
  /** Resolves after `durationMs` of elapsed time. */
  sleep(durationMs: number): Promise<void>;
  /** For a deadline that hardly ever passes: a sleep that is given up costs its memory until it would have ended. */
  timer(durationMs: number): Timer;
};

export type Timer = {
  /** Resolves when the time is up; never after `cancel`. */
  up: Promise<void>;
  cancel(): void;
};

/** When something is said: our monotonic time, and the exchange's as we know it, unix milliseconds. */
export type Moment = { elapsedMs: number; exchangeMs: number };
