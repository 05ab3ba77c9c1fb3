/** The world with its journal and its listeners: the one place where an entry is applied, kept and made known. */
import type { VenueEvent } from "./engine/event.ts";
import type { Struck } from "./faults.ts";
import type { Journal } from "./journal.ts";
import { type Applied, applyEntry, type EntryContext, type JournalEntry, type PaperWorld } from "./world.ts";

/** Told what happens as it happens, for somebody who judges it. */
export type Observer = {
  /** After whatever has changed something, before anybody is told. */
  changed(): void;
  struck: Struck;
};

export const UNOBSERVED: Observer = { changed: () => undefined, struck: () => undefined };

export type Runtime = {
  readonly world: PaperWorld;
  readonly entryContext: EntryContext;
  readonly journal: Journal | null;
  readonly clockMs: () => number;
  readonly listen: (events: readonly VenueEvent[]) => void;
  readonly observer: Observer;
  readonly onTick: () => void;
  /** What stopped it for good: a full disk, or a bug in the middle of an entry. Its state may be ahead of its journal. */
  failure: unknown;
};

/** Ticks of one catching up: half an hour of seconds is exact, of a longer time the ticks are spread over it. */
const MAX_CATCH_UP_TICKS = 2_000;

/** Never before what has already happened: clocks of machines may go back, the exchange's does not. */
export function nowMs({ world, clockMs }: Runtime): number {
  return Math.max(clockMs(), world.venue.timeMs);
}

/** On the disk before anybody hears of it. An entry that was refused before it changed anything is not kept. */
export function commit(runtime: Runtime, entry: JournalEntry): Applied {
  const applied = keep(runtime, entry);
  stopOnFailure(runtime, () => runtime.journal?.sync());
  runtime.observer.changed();
  runtime.listen(applied.events);
  return applied;
}

/** Lets the ticks happen that are due by then. */
export function catchUp(runtime: Runtime, toMs: number): void {
  const { world, journal, failure } = runtime;
  if (failure !== null) throw failure;
  const { tickMs } = runtime.entryContext;
  const due = Math.floor((toMs - world.nextTickMs) / tickMs) + 1;
  if (due <= 0) return;
  const strideMs = Math.ceil(due / MAX_CATCH_UP_TICKS) * tickMs;
  for (let atMs = world.nextTickMs + strideMs - tickMs; atMs <= toMs; atMs += strideMs) {
    // Not worth a wait for the disk each: nobody is answered on the strength of a tick.
    const { events } = keep(runtime, { kind: "tick", atMs });
    runtime.observer.changed();
    runtime.listen(events);
    runtime.onTick();
  }
  stopOnFailure(runtime, () => journal?.compact(world));
}

function keep(runtime: Runtime, entry: JournalEntry): Applied {
  return stopOnFailure(runtime, () => {
    const applied = applyEntry(runtime.world, entry, runtime.entryContext);
    if (applied.admitted) runtime.journal?.append(entry);
    return applied;
  });
}

/** Goes on with nothing that it could not give back after a restart. */
function stopOnFailure<T>(runtime: Runtime, work: () => T): T {
  if (runtime.failure !== null) throw runtime.failure;
  try {
    return work();
  } catch (failure) {
    runtime.failure = failure;
    throw failure;
  }
}
