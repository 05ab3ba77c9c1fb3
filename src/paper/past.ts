/** What was: the worlds of the last minutes, for servers that are behind. Kept only while a rule asks for it. */
import type { FaultFile } from "./faults.ts";
import { parseState, stateText } from "./state-text.ts";
import type { PaperWorld } from "./world.ts";

type KeptWorld = { readonly atMs: number; readonly text: string; world: PaperWorld | null };

export type Past = { readonly spanMs: number; kept: KeptWorld[] };

/** Worlds kept at once; past it every second one of the older half goes. */
const MAX_KEPT = 240;

/** As far back as the rules ask; the present is its beginning. */
export function openPast(file: FaultFile, world: PaperWorld, nowMs: number): Past {
  const lags = file.rules.flatMap(({ fault }) => {
    if (fault.kind === "behind") return [fault.ms];
    return fault.kind === "balancer" ? fault.lagsMs : [];
  });
  const past: Past = { spanMs: Math.max(0, ...lags), kept: [] };
  remember(past, world, nowMs);
  return past;
}

/** Called whenever something has changed. */
export function remember(past: Past, world: PaperWorld, nowMs: number): void {
  if (past.spanMs === 0) return;
  // What was at the beginning stays, also while the clock stands.
  if (past.kept.length > 1 && past.kept.at(-1)?.atMs === nowMs) past.kept.pop();
  past.kept.push({ atMs: nowMs, text: stateText(world), world: null });
  const second = past.kept[1];
  if (second !== undefined && second.atMs < nowMs - past.spanMs) past.kept.shift();
  if (past.kept.length > MAX_KEPT) past.kept = past.kept.filter((_one, at) => at > MAX_KEPT / 2 || at % 2 === 0);
}

/** The newest that is not after that moment, or the oldest there is; null where nothing is kept. */
export function worldAt({ kept }: Past, atMs: number): PaperWorld | null {
  const then = kept.findLast((one) => one.atMs <= atMs) ?? kept[0];
  if (then === undefined) return null;
  // What stateText wrote of a World is one.
  then.world ??= parseState(then.text) as PaperWorld;
  return then.world;
}
