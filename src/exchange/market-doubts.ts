/** What orders have shown of the list of markets: which of its places are doubted, and which were lately found right. */
import type { Clock } from "../core/clock.ts";
import { dexOf, isSpot, type Universe } from "../core/market.ts";
import type { MarketDoubt, Markets } from "./exchange.ts";

export type MarketDoubts = Pick<Markets, "doubtOf" | "isSuspected" | "confirm" | "isWordDue"> & {
  doubt(name: string, doubt: MarketDoubt): void;
  suspect(name: string): void;
  areAny(): boolean;
  /**
   * What is returned weighs the list that was read against the doubts that there were when the reading began: what came
   * while it ran may be in an older part of it.
   */
  whenReadingBegins(): (before: Universe | null, now: Universe) => void;
  /** The list that an order has refuted a moment ago, from a server that still has it. */
  isRefuted(universe: Universe): boolean;
};

/** A server of the exchange may show a list that is behind: so many readings end a doubt which none of them explains. */
const READINGS_NEEDED = 2;
/** Where it is certain that the list has moved: at one reading a minute, longer than any server is behind. */
const READINGS_NEEDED_WHEN_CERTAIN = 20;

/** So long a list that has a market where an order was shown not to stand is one that is behind, milliseconds. */
const REFUTED_FOR_MS = 5 * 60_000;

/** So long an order that was shown in its market speaks for the number that it was signed for, milliseconds. */
const CONFIRMED_FOR_MS = 60_000;

type HeldDoubt = MarketDoubt & { readings: number };

/** The place of a market that an order has refuted and a reading has then left, and our monotonic time of that, milliseconds. */
type Refuted = { assetId: number | undefined; atMs: number };

type Suspicions = Map<string, { readings: number }>;

export function openMarketDoubts(clock: Clock): MarketDoubts {
  const doubts = new Map<string, HeldDoubt>();
  /** Readings of the list since. */
  const suspected: Suspicions = new Map();
  const refuted = new Map<string, Refuted>();
  const { forgetBeside, ...confirmations } = openConfirmations(clock);

  function weigh(doubted: readonly [string, HeldDoubt][], before: Universe | null, now: Universe): void {
    for (const [name, doubt] of doubted) {
      doubt.readings += 1;
      const assetId = before?.byName.get(name)?.assetId;
      const isExplained = assetId !== now.byName.get(name)?.assetId;
      const needed = doubt.isCertain ? READINGS_NEEDED_WHEN_CERTAIN : READINGS_NEEDED;
      if (isExplained && doubt.isCertain) refuted.set(name, { assetId, atMs: clock.elapsedMs() });
      if ((isExplained || doubt.readings >= needed) && doubts.get(name) === doubt) doubts.delete(name);
    }
  }

  /** Where an order stands in another market than it was placed in, its neighbours in the list have moved as well. */
  function doubtBeside(name: string): string | null {
    // Of every order it is asked, and next to never is there any.
    if (doubts.size === 0) return null;
    const beside = [...doubts].find(([other, doubt]) => {
      return doubt.isCertain && doubt.readings < READINGS_NEEDED && listOf(other) === listOf(name);
    });
    return beside?.[1].because ?? null;
  }

  function doubtOf(name: string): string | null {
    return doubts.get(name)?.because ?? doubtBeside(name);
  }

  return {
    doubt(name, doubt) {
      // What is certain is not made less so.
      const isCertain = doubt.isCertain || doubts.get(name)?.isCertain === true;
      doubts.set(name, { ...doubt, isCertain, readings: 0 });
      forgetBeside(name);
    },
    suspect(name) {
      // Readings go on: what is missed again and again would be suspected for good.
      if (!suspected.has(name)) suspected.set(name, { readings: 0 });
      forgetBeside(name);
    },
    doubtOf,
    isSuspected: (name) => suspected.has(name) || doubtOf(name) !== null,
    areAny: () => doubts.size > 0,
    whenReadingBegins() {
      const [doubted, names] = [[...doubts], [...suspected]];
      return (before, now) => {
        weigh(doubted, before, now);
        weighSuspicions(suspected, names, { before, now });
      };
    },
    isRefuted({ byName }) {
      for (const [name, { atMs }] of refuted) if (clock.elapsedMs() - atMs > REFUTED_FOR_MS) refuted.delete(name);
      return [...refuted].some(([name, { assetId }]) => byName.get(name)?.assetId === assetId);
    },
    ...confirmations,
  };
}

/** After a reading of the list: a suspicion ends with what explains it, or with the readings that it needed. */
function weighSuspicions(
  suspected: Suspicions,
  names: Iterable<[string, { readings: number }]>,
  { before, now }: { before: Universe | null; now: Universe },
): void {
  for (const [name, suspicion] of names) {
    suspicion.readings += 1;
    const isExplained = before?.byName.get(name)?.assetId !== now.byName.get(name)?.assetId;
    const isOver = isExplained || suspicion.readings >= READINGS_NEEDED;
    if (isOver && suspected.get(name) === suspicion) suspected.delete(name);
  }
}

/** Which markets were lately shown to stand in their places. */
function openConfirmations(clock: Clock) {
  const asked = new Map<string, { assetId: number; atMs: number }>();
  return {
    confirm: (name: string, assetId: number) => void asked.set(name, { assetId, atMs: clock.elapsedMs() }),
    isWordDue(name: string, assetId: number): boolean {
      const last = asked.get(name);
      return last?.assetId !== assetId || clock.elapsedMs() - last.atMs >= CONFIRMED_FOR_MS;
    },
    forgetBeside(name: string): void {
      for (const other of asked.keys()) if (listOf(other) === listOf(name)) asked.delete(other);
    },
  };
}

/** Markets that have their places in one list. */
function listOf(market: string): string {
  return isSpot(market) ? "@" : dexOf(market);
}
