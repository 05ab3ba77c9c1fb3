/** The world with its journal and its listeners: the one place where an entry is applied, kept and made known. */
import type { VenueEvent } from "./engine/event.ts";
import type { Journal } from "./journal.ts";
import { type Applied, applyEntry, type Entry, type EntryContext, type World } from "./world.ts";

export type Runtime = {
  readonly world: World;
  readonly entryContext: EntryContext;
  readonly journal: Journal | null;
  readonly clockMs: () => number;
  readonly listen: (events: readonly VenueEvent[]) => void;
  readonly onTick: () => void;
};

/** Ticks made up for at most when the clock has run ahead: more than an hour of them. */
const MAX_CATCH_UP_TICKS = 4_000;

/** Never before what has already happened: clocks of machines may go back, the exchange's does not. */
export function nowMs({ world, clockMs }: Runtime): number {
  return Math.max(clockMs(), world.venue.timeMs);
}

/** On the disk before anybody hears of it. An entry that was refused before it changed anything is not kept. */
export function commit(runtime: Runtime, entry: Entry): Applied {
  const applied = applyEntry(runtime.world, entry, runtime.entryContext);
  if (applied.admitted) {
    runtime.journal?.append(entry);
    runtime.journal?.sync();
  }
  runtime.listen(applied.events);
  return applied;
}

/** Lets every tick happen that is due by then. */
export function catchUp(runtime: Runtime, toMs: number): void {
  const { world, entryContext, journal } = runtime;
  const { tickMs } = entryContext;
  const behind = Math.floor((toMs - world.nextTickMs) / tickMs);
  if (behind > MAX_CATCH_UP_TICKS) keep(runtime, { kind: "skip", toMs: world.nextTickMs + behind * tickMs });
  for (let due = 0; due <= MAX_CATCH_UP_TICKS && world.nextTickMs <= toMs; due += 1) {
    keep(runtime, { kind: "tick", atMs: world.nextTickMs });
    runtime.onTick();
  }
  journal?.compact(world);
}

/** Ticks are not worth a wait for the disk each: nobody is answered on the strength of one. */
function keep(runtime: Runtime, entry: Entry): void {
  const applied = applyEntry(runtime.world, entry, runtime.entryContext);
  runtime.journal?.append(entry);
  runtime.listen(applied.events);
}
