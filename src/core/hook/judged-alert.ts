/** What an alert that can be read comes to as it arrives, by its time alone: when it is delivered, and when that is rehearsed. */
import type { Alert } from "./alert.ts";
import type { Delivery, Hook } from "./hook.ts";

export type JudgedAlert =
  | { status: "in_time"; reason: null }
  | { status: Extract<Delivery["status"], "refused" | "superseded" | "too_old">; reason: string };

/** By how much the sender's clock may be ahead of ours, milliseconds. */
const MAX_AHEAD_MS = 10_000;

const IN_TIME: JudgedAlert = { status: "in_time", reason: null };

/** `newestMs`: the latest time that an alert of this hook and market has told before; null for none. Unix milliseconds. */
export function judgeAlert(
  { maxAgeMs }: Pick<Hook, "maxAgeMs">,
  { kind, atMs }: Pick<Alert, "kind" | "atMs">,
  { nowMs, newestMs }: { nowMs: number; newestMs: number | null },
): JudgedAlert {
  if (atMs === null) return IN_TIME;
  if (atMs > nowMs + MAX_AHEAD_MS) return { status: "refused", reason: "its time is ahead of this machine's clock" };
  if (kind === "target" && newestMs !== null && atMs < newestMs)
    return { status: "superseded", reason: "a newer alert has said what is to be held" };
  if (atMs + maxAgeMs < nowMs) return { status: "too_old", reason: `it is older than ${maxAgeMs / 1_000} s` };
  return IN_TIME;
}
