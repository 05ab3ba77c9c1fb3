/** Days in UTC, by which the gateway counts. */
const DAY_MS = 86_400_000;

/** `2026-11-21`; `ago` days before. */
export function dayOf(nowMs: number, ago = 0): string {
  return new Date(nowMs - ago * DAY_MS).toISOString().slice(0, 10);
}
