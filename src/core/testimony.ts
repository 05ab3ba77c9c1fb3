/**
 * What a feed has told since it was subscribed, held against what reads have shown. Frames carry no numbers, so that a feed
 * which leaves something out looks like one that has nothing to tell: only another store of the exchange can say so. A feed
 * that is late is given time, and what may be older than its subscription accuses nobody.
 */
import type { Moment } from "./clock.ts";
import { add, compare, type Decimal, subtract, ZERO } from "./decimal.ts";

export type HeardFill = {
  /** Names the fill: whoever shows it, it has this id. */
  id: string;
  oid: string;
  market: string;
  side: "B" | "A";
  size: Decimal;
  startPosition: Decimal;
  /** Exchange time, unix milliseconds. */
  timeMs: number;
};

export type ToldUpdate = { oid: string; isOver: boolean; timeMs: number };

/** What a read showed, with the exchange's own time of it where it has one. Unix milliseconds. */
export type Shown =
  | ({ kind: "fill" } & HeardFill)
  /** In the list of open orders, placed at that time. */
  | { kind: "listed"; oid: string; timeMs: number }
  /** Over, by its record. */
  | { kind: "over"; oid: string; timeMs: number }
  /** More of it is filled than fills are known. `timeMs`: of its placing. */
  | { kind: "part"; oid: string; timeMs: number }
  /** All that there are in a dex. */
  | { kind: "positions"; dex: string; byMarket: ReadonlyMap<string, Decimal> };

/** Something that the feed has not told, and when its time to tell it is over. */
type Owed = {
  words: string;
  /** Elapsed time, milliseconds. */
  dueMs: number;
  /** Told as well by what is as new as this. Exchange time, unix milliseconds. */
  debt: Debt;
  /** It has no time of its own. */
  isVague: boolean;
  isTold(): boolean;
};

/** What a feed that was accused has to tell before it is believed again: something of that channel, as new as that. */
export type Debt = { channel: "fills" | "orders"; sinceMs: number };

export type Accusation = { because: string; debt: Debt };

export type Testimony = {
  sinceMs: number;
  fillIds: Map<string, number>;
  /** By native id: elapsed time of the newest fill told, milliseconds. */
  filledAtMs: Map<string, number>;
  updates: Map<string, { isOver: boolean; timeMs: number }>;
  /** Market and size of the positions between which all fills lead that were told or shown. */
  positions: Set<string>;
  /** By dex: what the last reading showed, and when by the exchange's time. */
  shownPositions: Map<string, { byMarket: ReadonlyMap<string, Decimal>; exchangeMs: number }>;
  owed: Map<string, Owed>;
  /** Exchange time of the newest of each channel; 0 before the first. */
  newestMs: Record<Debt["channel"], number>;
};

/** So late a feed may tell something, by the exchange's own time of it, milliseconds. */
export const FEED_DELAY_MS = 5_000;
/** And so long after a read has shown it: frames may be waiting behind the answer, milliseconds. */
export const HEARD_WITHIN_MS = 1_500;
/** What is not newer than the subscription by this may have happened before it, milliseconds. */
const SINCE_MARGIN_MS = 2_000;
/** Things remembered of each kind; past it the oldest go, and what is as old as they accuses nobody. */
const MAX_TOLD = 20_000;
/** Things owed at once; more say nothing more. */
const MAX_OWED = 1_000;

/** @param subscribedAtMs exchange time of the last confirmed subscription, unix milliseconds */
export function newTestimony(subscribedAtMs: number): Testimony {
  return {
    sinceMs: subscribedAtMs + SINCE_MARGIN_MS,
    fillIds: new Map(),
    filledAtMs: new Map(),
    updates: new Map(),
    positions: new Set(),
    shownPositions: new Map(),
    owed: new Map(),
    newestMs: { fills: 0, orders: 0 },
  };
}

export function tellFills(testimony: Testimony, fills: readonly HeardFill[], { elapsedMs }: Moment): void {
  for (const fill of fills) {
    remember(testimony, testimony.fillIds, fill.id, fill.timeMs);
    remember(testimony, testimony.filledAtMs, fill.oid, elapsedMs);
    passPositions(testimony, fill);
    testimony.newestMs.fills = Math.max(testimony.newestMs.fills, fill.timeMs);
  }
  forgetTold(testimony);
}

/** Where a fill began and where it left the position. */
function passPositions({ positions }: Testimony, { market, side, size, startPosition }: HeardFill): void {
  const end = side === "B" ? add(startPosition, size) : subtract(startPosition, size);
  for (const position of [startPosition, end]) {
    const name = positionName(market, position);
    positions.delete(name);
    positions.add(name);
  }
  for (const oldest of positions) {
    if (positions.size <= MAX_TOLD) return;
    positions.delete(oldest);
  }
}

function positionName(market: string, signedSize: Decimal): string {
  return `${market} ${signedSize}`;
}

export function tellUpdates(testimony: Testimony, updates: readonly ToldUpdate[]): void {
  for (const { oid, isOver, timeMs } of updates) {
    const known = testimony.updates.get(oid);
    const newest = { isOver: isOver || known?.isOver === true, timeMs: Math.max(timeMs, known?.timeMs ?? 0) };
    remember(testimony, testimony.updates, oid, newest);
    testimony.newestMs.orders = Math.max(testimony.newestMs.orders, timeMs);
  }
  forgetTold(testimony);
}

/** As the newest; what has to go takes everything that is as old with it. */
function remember<T extends number | { timeMs: number }>(
  testimony: Testimony,
  entries: Map<string, T>,
  name: string,
  entry: T,
): void {
  entries.delete(name);
  entries.set(name, entry);
  const oldest = entries.entries().next().value;
  if (entries.size <= MAX_TOLD || oldest === undefined) return;
  entries.delete(oldest[0]);
  if (entries === testimony.filledAtMs) return;
  const timeMs = typeof oldest[1] === "number" ? oldest[1] : oldest[1].timeMs;
  testimony.sinceMs = Math.max(testimony.sinceMs, timeMs);
}

function forgetTold({ owed }: Testimony): void {
  for (const [name, each] of owed) if (each.isTold()) owed.delete(name);
}

/**
 * Takes note of what a read showed and the feed has not told. True when only a reading of the fills can tell when that
 * happened.
 */
export function show(testimony: Testimony, shown: readonly Shown[], moment: Moment): boolean {
  for (const each of shown) if (each.kind === "fill") passPositions(testimony, each);
  forgetTold(testimony);
  let isVague = false;
  for (const owed of shown.flatMap((each) => owedBy(testimony, each, moment))) {
    if (owed.isTold() || testimony.owed.size >= MAX_OWED || testimony.owed.has(owed.words)) continue;
    testimony.owed.set(owed.words, owed);
    isVague ||= owed.isVague;
  }
  return isVague;
}

/** Nothing for what may be older than the subscription. */
function owedBy(testimony: Testimony, shown: Shown, moment: Moment): Owed[] {
  if (shown.kind === "positions") return owedOfPositions(testimony, shown, moment);
  if (shown.kind === "part") return [owedOfPart(testimony, shown, moment)];
  const { timeMs } = shown;
  if (timeMs <= testimony.sinceMs) return [];
  const leftMs = timeMs + FEED_DELAY_MS - moment.exchangeMs;
  // The exchange's time may be guessed wrongly: what was read is given time by our own as well, and never more.
  const dueMs = moment.elapsedMs + Math.min(Math.max(leftMs, HEARD_WITHIN_MS), FEED_DELAY_MS);
  if (shown.kind === "fill") {
    const isTold = () => testimony.fillIds.has(shown.id);
    const debt = { channel: "fills", sinceMs: timeMs } as const;
    return [{ words: `fill ${shown.id}`, dueMs, debt, isVague: false, isTold }];
  }
  const isTold = () => isUpdateTold(testimony, shown);
  const words = shown.kind === "over" ? `the end of order ${shown.oid}` : `the open order ${shown.oid}`;
  return [{ words, dueMs, debt: { channel: "orders", sinceMs: timeMs }, isVague: false, isTold }];
}

function isUpdateTold({ updates }: Testimony, { kind, oid, timeMs }: Exclude<Shown, { kind: "positions" }>): boolean {
  const told = updates.get(oid);
  if (told === undefined) return false;
  return kind === "listed" || told.isOver || told.timeMs >= timeMs;
}

/** It has no time of its own: from now on the feed has so long to tell it, and a moment ago it may have. */
function owedOfPart(testimony: Testimony, { oid, timeMs }: Shown & { kind: "part" }, { elapsedMs }: Moment): Owed {
  return {
    words: `a part of order ${oid} that is filled`,
    dueMs: elapsedMs + FEED_DELAY_MS,
    debt: { channel: "fills", sinceMs: timeMs },
    isVague: true,
    isTold: () => (testimony.filledAtMs.get(oid) ?? Number.NEGATIVE_INFINITY) >= elapsedMs - FEED_DELAY_MS,
  };
}

/** Positions that have moved since the feed was subscribed, to where no fill begins or ends that is known. */
function owedOfPositions(testimony: Testimony, shown: Shown & { kind: "positions" }, moment: Moment): Owed[] {
  const { dex, byMarket } = shown;
  const before = testimony.shownPositions.get(dex);
  testimony.shownPositions.set(dex, { byMarket, exchangeMs: moment.exchangeMs });
  if (before === undefined) return [];
  const markets = new Set([...before.byMarket.keys(), ...byMarket.keys()]);
  return [...markets].flatMap((market) => {
    const signedSize = byMarket.get(market) ?? ZERO;
    if (compare(before.byMarket.get(market) ?? ZERO, signedSize) === 0) return [];
    return {
      words: `what moved the position in ${market}`,
      dueMs: moment.elapsedMs + FEED_DELAY_MS,
      debt: { channel: "fills", sinceMs: before.exchangeMs } as const,
      isVague: true,
      isTold: () => testimony.positions.has(positionName(market, signedSize)),
    };
  });
}

/** Null while the feed has told everything that was shown, or still has time to. */
export function accusationOf(testimony: Testimony, { elapsedMs }: Moment): Accusation | null {
  for (const { words, dueMs, debt } of testimony.owed.values()) {
    if (dueMs <= elapsedMs) return { because: `it did not tell ${words}`, debt };
  }
  return null;
}

/** Elapsed time at which the next thing owed is due, milliseconds; null when nothing is. */
export function nextDueMs({ owed }: Testimony): number | null {
  return owed.size === 0 ? null : Math.min(...[...owed.values()].map(({ dueMs }) => dueMs));
}

/** True when the feed has told something of the channel that is as new as what it was accused of leaving out. */
export function isPaid({ newestMs }: Testimony, { channel, sinceMs }: Debt): boolean {
  return newestMs[channel] >= sinceMs;
}
