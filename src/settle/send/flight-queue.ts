import type { Clock } from "../../core/clock.ts";
import { type FlightRank, type InFlight, mayGo, NOTHING_IN_FLIGHT } from "../../core/in-flight.ts";
import type { Slot } from "../../deps.ts";

/** What is under way for one owner, and who waits for a slot. */
export type FlightQueue = {
  now(): InFlight;
  set(flight: InFlight): void;
  /** Gives slots to those in line, while there are any. */
  serve(): void;
  take(rank: FlightRank): Slot | null;
  wait(rank: FlightRank, forMs: number): Promise<Slot | null>;
};

export type QueueParts = {
  clock: Clock;
  /** Makes a slot and counts it as under way. */
  open(rank: FlightRank): Slot;
  /** Frees slots of actions that have ended without anybody saying so. What it throws whoever takes a slot hears. */
  look(): void;
  /** Nobody else hears of what was thrown while others wait. */
  onFault(error: unknown): void;
};

/** Between two looks at what may have ended while somebody waits, milliseconds. */
const LOOK_MS = 100;
/** Most that wait: as many requests as are answered at once. One more is turned away. */
const MAX_WAITING = 512;
/** A cancel that has waited for so long no longer waits for slots of actions whose answer was lost, milliseconds. */
const PATIENT_AFTER_MS = 1_000;

/** The order of the line: cancels take risk away, empty actions find out what became of others, orders come last. */
const ORDER: Record<FlightRank, number> = { patient: 0, cancel: 0, noop: 1, order: 2 };

type WaitingFlight = { rank: FlightRank; sinceMs: number; untilMs: number; answer(slot: Slot | null): void };

export function openFlightQueue({ clock, open, look, onFault }: QueueParts): FlightQueue {
  let flight = NOTHING_IN_FLIGHT;
  let waiting: WaitingFlight[] = [];
  let isWatched = false;

  function serve(): void {
    for (;;) {
      const next = firstOf(waiting);
      if (next === undefined || !mayGo(flight, rankNow(next, clock.elapsedMs()))) return;
      waiting.splice(waiting.indexOf(next), 1);
      next.answer(open(next.rank));
    }
  }

  /** Serves the line while somebody waits, and turns away whoever has waited for its whole time. */
  async function watch(): Promise<void> {
    if (isWatched) return;
    isWatched = true;
    while (waiting.length > 0) {
      await clock.sleep(LOOK_MS);
      // Rows that cannot be read for a moment: whoever waits is served or turned away all the same.
      try {
        look();
      } catch (error) {
        onFault(error);
      }
      serve();
      const late = waiting.filter(({ untilMs }) => untilMs <= clock.elapsedMs());
      waiting = waiting.filter((each) => !late.includes(each));
      for (const each of late) each.answer(null);
    }
    isWatched = false;
  }

  function take(rank: FlightRank): Slot | null {
    if (waiting.some((each) => ORDER[each.rank] <= ORDER[rank])) return null;
    if (!mayGo(flight, rank) && waiting.length === 0) look();
    return mayGo(flight, rank) ? open(rank) : null;
  }

  return {
    now: () => flight,
    set: (next) => {
      flight = next;
    },
    serve,
    take,
    wait(rank, forMs) {
      const slot = take(rank);
      if (slot !== null || forMs <= 0 || waiting.length >= MAX_WAITING) return Promise.resolve(slot);
      const { promise, resolve } = Promise.withResolvers<Slot | null>();
      const sinceMs = clock.elapsedMs();
      waiting.push({ rank, sinceMs, untilMs: sinceMs + forMs, answer: resolve });
      void watch();
      return promise;
    },
  };
}

/** The first in line; among equals who came first. */
function firstOf(waiting: readonly WaitingFlight[]): WaitingFlight | undefined {
  return waiting.toSorted((a, b) => ORDER[a.rank] - ORDER[b.rank])[0];
}

function rankNow({ rank, sinceMs }: WaitingFlight, nowMs: number): FlightRank {
  return rank === "cancel" && nowMs - sinceMs >= PATIENT_AFTER_MS ? "patient" : rank;
}
