/**
 * A heartbeat: a bot says that it lives. Silent for longer than it said it would be, what it has placed and could still
 * increase a position is canceled, once: whoever is not there to watch over its orders should not have them filled.
 */

/** `armed`: silence will be heard. `missed`: it was, and nothing is until the next beat. `disarmed`: taken back by its bot. */
export const HEARTBEAT_STATUSES = ["armed", "missed", "disarmed"] as const;
export type HeartbeatStatus = (typeof HEARTBEAT_STATUSES)[number];

/** Seconds of silence that a bot may allow itself. */
export const MIN_WITHIN_S = 5;
export const MAX_WITHIN_S = 600;

export type Heartbeat = {
  accountId: string;
  /** Whose it is: `bot` and the name of a bot, or `key` and the hash of a plain key. */
  holder: string;
  /** Hash of the API key that beat last. */
  keyHash: string;
  status: HeartbeatStatus;
  withinMs: number;
  /** Wall time of the last beat. */
  beatAtMs: number;
  /** Wall time of the start after which this beat had its whole time once more; null while none has. */
  graceAtMs: number | null;
  /** When silence was last heard; null for never. */
  missedAtMs: number | null;
  /** What was canceled then, as the stop that did it. */
  stopId: string | null;
};

/** The clocks of one moment, milliseconds. */
export type ClockReading = {
  wallMs: number;
  /** Since some start, and counted on while the machine sleeps. */
  bootMs: number;
};

/** What the two clocks may differ by from one reading to the next before it counts, milliseconds. */
const MAX_WALL_JUMP_MS = 5_000;

/**
 * How long it was silent between two readings. A jump of the wall clock counts as silence of that length, whichever way it
 * went: a virtual machine that was held shows nothing else of the time that it missed.
 */
export function silenceBetween(earlier: ClockReading, later: ClockReading): number {
  const countedMs = Math.max(0, later.bootMs - earlier.bootMs);
  const jumpMs = Math.abs(later.wallMs - earlier.wallMs - countedMs);
  return jumpMs > MAX_WALL_JUMP_MS ? countedMs + jumpMs : countedMs;
}

/**
 * How long a beat of before the start counts as silent: a start grants it its whole time once, because nobody could beat
 * while nothing listened. Where the process died again before the next beat, that time goes on; null where the wall clock
 * went back meanwhile, so that nobody can tell.
 */
export function silenceAtStart({ graceAtMs }: Pick<Heartbeat, "graceAtMs">, nowMs: number): number | null {
  if (graceAtMs === null) return 0;
  return nowMs < graceAtMs ? null : nowMs - graceAtMs;
}
