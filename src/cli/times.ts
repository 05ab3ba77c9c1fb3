import { parseTime } from "../core/time-text.ts";
import { type Input, Misuse, type Option } from "./command.ts";

export const SINCE: Option = { value: "TIME", help: "from this moment on: 2026-11-21 or 2026-11-21T09:30:00Z" };
export const UNTIL: Option = { value: "TIME", help: "up to this moment, which itself does not count" };

/** Unix milliseconds; null where it is not said. */
export function timeOf(input: Input, name: "since" | "until"): number | null {
  const text = input.value(name);
  if (text === null) return null;
  const ms = parseTime(text);
  if (ms === null) throw new Misuse(`--${name} is an ISO 8601 time in UTC: 2026-11-21 or 2026-11-21T09:30:00Z`);
  return ms;
}
