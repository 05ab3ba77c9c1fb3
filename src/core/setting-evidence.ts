/** What readings prove of a change to a setting, such as leverage: they carry no time of their own. */
import type { Attempt } from "./attempt.ts";
import { BEHIND_MS, WITNESSES_NEEDED } from "./evidence.ts";

/** When changes to a setting, whose readings carry no time, can have run at the latest. Times of the exchange, unix milliseconds. */
export type SettingEnds = {
  endsAtMs: number;
  /** Of the last other change of ours to another value; null where there was none. */
  otherEndsAtMs: number | null;
};

/**
 * From when on readings of a setting count, exchange time, unix milliseconds. One that shows it as asked may show what another change
 * of ours has replaced, before this one or after it; one that shows something else may be from before this one as well: until no
 * server can be that far behind, they prove nothing.
 */
export function settingCountsFromMs({ endsAtMs, otherEndsAtMs }: SettingEnds): { shown: number; otherwise: number } {
  const shown = otherEndsAtMs === null ? 0 : otherEndsAtMs + BEHIND_MS + 1;
  return { shown, otherwise: Math.max(shown, endsAtMs + BEHIND_MS + 1) };
}

/** What is known of a change to a setting. */
export type SettingTrace = {
  seal: Attempt["seal"];
  /** Readings in a row that count, apart, of which each shows the setting whole as it was asked for. */
  shown: number;
  /** The same of readings that show something else. */
  otherwise: number;
  /** Some reading, of whatever time, has shown it as asked, or for a while nobody read it: it may have been changed by others since. */
  mayHaveBeenShown: boolean;
  /** Another change of ours to another value may have run after it. */
  mayBeReplaced: boolean;
};

/** `untold`: it is not in force now, and nothing will tell whether it was for a while. */
export type SettingEnd = "in_force" | "not_in_force" | "untold";

/** What has become of a change to a setting; null while its number or the readings that count leave it open. */
export function concludeSetting(trace: SettingTrace): SettingEnd | null {
  if (trace.seal !== "nonce_taken") return null;
  if (trace.shown >= WITNESSES_NEEDED) return "in_force";
  if (trace.otherwise < WITNESSES_NEEDED) return null;
  return trace.mayHaveBeenShown || trace.mayBeReplaced ? "untold" : "not_in_force";
}
