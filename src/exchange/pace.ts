/**
 * How often a channel of a feed tells anew what has not changed. A server that does so every few seconds keeps a pace, and a
 * channel that loses it while its connection tells other things has fallen silent; one that tells changes alone keeps none, and
 * its quiet says nothing. All times are the exchange's, unix milliseconds.
 */
export type Pace = {
  connection: number;
  /** What was told last, in brief. */
  told: string;
  /** The newest time that the connection had shown by then. */
  lastMs: number;
  /** How often it told the same again. */
  beats: number;
  /** The longest time between two of those. */
  slowestMs: number;
};

/** A channel keeps a pace once it has told the same so often. */
const BEATS = 3;
/** The same told again within this time is a double, and no beat, milliseconds. */
const TWICE_WITHIN_MS = 1_000;
/** A channel is silent after so many missing beats. */
const MISSING_BEATS = 3;
/** A channel that tells nothing is not called silent before this time, milliseconds. */
const SILENT_AFTER_MS = 10_000;

export function nextPace(before: Pace | undefined, frame: { connection: number; told: string; atMs: number }): Pace {
  const { connection, told, atMs: lastMs } = frame;
  if (before?.connection !== connection) return { connection, told, lastMs, beats: 0, slowestMs: 0 };
  const sinceMs = lastMs - before.lastMs;
  if (before.told !== told) return { ...before, told, lastMs };
  if (sinceMs < TWICE_WITHIN_MS) return before;
  return { ...before, lastMs, beats: before.beats + 1, slowestMs: Math.max(before.slowestMs, sinceMs) };
}

/** @param heardToMs the newest time that the connection has shown */
export function isSilent(pace: Pace | undefined, connection: number, heardToMs: number | null): boolean {
  if (pace?.connection !== connection || pace.beats < BEATS || heardToMs === null) return false;
  return heardToMs - pace.lastMs > Math.max(SILENT_AFTER_MS, MISSING_BEATS * pace.slowestMs);
}
