/** The state as JSON text and back, exactly. */
import type { Venue } from "./state.ts";

/** Tags of what JSON has no form for; an own object never has a key that starts with `$`. */
const BIGINT = "$n";
const MAP = "$m";
const SET = "$s";

function tagged(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return { [BIGINT]: value.toString() };
  if (value instanceof Map) return { [MAP]: [...value] };
  if (value instanceof Set) return { [SET]: [...value] };
  return value;
}

type Tagged = { [BIGINT]?: string; [MAP]?: [unknown, unknown][]; [SET]?: unknown[] };

function untagged(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  // What `tagged` wrote is read back; any other object has none of the three keys.
  const holder = value as Tagged;
  if (holder[BIGINT] !== undefined) return BigInt(holder[BIGINT]);
  if (holder[MAP] !== undefined) return new Map(holder[MAP]);
  if (holder[SET] !== undefined) return new Set(holder[SET]);
  return value;
}

export function serializeVenue(venue: Venue): string {
  return JSON.stringify(venue, tagged);
}

/** Reads only text that `serializeVenue` wrote: a snapshot is the venue's own file, not input. */
export function restoreVenue(text: string): Venue {
  // The text is our own; its shape is the type's.
  return JSON.parse(text, untagged) as Venue;
}
