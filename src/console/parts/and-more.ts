import { MAX_NAMED } from "../../core/stop.ts";

/** The rest of a list that is told of a stop, which is cut where it is long. */
export function andMore(rows: readonly unknown[], shown: number): string {
  return `and ${rows.length < MAX_NAMED ? "" : "at least "}${rows.length - shown} more`;
}
