/** When something was shown, and how we know. Exchange time, unix milliseconds. */
export type ShownState = {
  timeMs: number;
  /** Its place among all that a feed has told; null where it was read. */
  heard: number | null;
  /** When it was asked for, by our wall clock, unix milliseconds; null where a feed told it. */
  askedAtMs: number | null;
};

/** When something happened, and how we know. */
export type Happened =
  /** A feed told it: by the exchange's own time, and in the order in which it was told. */
  | { kind: "heard"; timeMs: number; heard: number }
  /** The exchange's own time of it, without a place among what a feed told. */
  | { kind: "dated"; timeMs: number }
  /** We were told by an answer: it was before that, as far as our idea of the exchange's time goes. */
  | { kind: "noted"; timeMs: number; atMs: number };

/** What is asked about: a dex with spot, `""` for the native one; spot pairs alone; or everything. */
export type About = { dex: string } | "spot" | "all";

/** How far our idea of the exchange's time, from an answer's halves, may be behind it, milliseconds. */
const CLOCK_SLACK_MS = 250;

/** True when what was shown must hold what happened. Of two things of one millisecond neither is certain to hold the other. */
export function isAfter(shown: ShownState, happened: Happened): boolean {
  switch (happened.kind) {
    case "heard":
      if (shown.timeMs !== happened.timeMs) return shown.timeMs > happened.timeMs;
      return shown.heard !== null && shown.heard > happened.heard;
    case "dated":
      return shown.timeMs > happened.timeMs;
    case "noted":
      if (shown.askedAtMs === null) return shown.timeMs > happened.timeMs + CLOCK_SLACK_MS;
      // Asked for after it had happened; a server that is behind tells by its time.
      return shown.askedAtMs > happened.atMs && shown.timeMs >= happened.timeMs;
  }
}

/** True when what was shown must hold all of it. */
export function isAfterAll(shown: ShownState, happened: readonly Happened[]): boolean {
  return happened.every((one) => isAfter(shown, one));
}
