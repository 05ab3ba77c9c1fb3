/** Whatever the lists are behind, and whatever time a position bears: one that is taken for one of now has all that was told. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Decimal, decimal } from "../../src/core/decimal.ts";
import { type EarlierPosition, type MarketTold, momentOfPosition } from "../../src/core/told-position.ts";

const SINCE_MS = 100_000;
const FROM_MS = 110_000;
const MAX_ORDERS = 4;
const MAX_FILLS = 2 * MAX_ORDERS;

const apart = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 300, max: 30_000 }));
const index = fc.nat(MAX_FILLS);

const anOrder = fc.record({
  /** Others' are not known here but by their fills. */
  isOwn: fc.boolean(),
  isBuy: fc.boolean(),
  fills: fc.integer({ min: 1, max: 2 }),
  sentBeforeMs: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 500, max: 60_000 })),
  toldAfterMs: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 500, max: 60_000 })),
  /** Of two fills the first alone was told. */
  isToldInPart: fc.boolean(),
});

/** Of indexes the last one that there is counts. `isNew`: it bears the time at which it was asked for. */
const drawnWorld = fc.record({
  orders: fc.array(anOrder, { minLength: 1, maxLength: MAX_ORDERS }),
  turns: fc.array(fc.nat(), { minLength: MAX_FILLS, maxLength: MAX_FILLS }),
  gaps: fc.array(apart, { minLength: MAX_FILLS, maxLength: MAX_FILLS }),
  kept: index,
  askedAfterMs: apart,
  shown: fc.record({ at: index, isNew: fc.boolean() }),
  earlier: fc.array(fc.record({ afterMs: apart, at: index, kept: index, isNew: fc.boolean() }), { maxLength: 2 }),
  start: fc.constantFrom("unknown", "flat", "old"),
  /** Of our clock. */
  aheadMs: fc.oneof(fc.constant(0), fc.integer({ min: -4_000, max: 4_000 })),
});
type Drawn = ReturnType<(typeof drawnWorld)["generate"]>["value"];

type Fill = { atMs: number; of: number; by: number };

/** Oldest first. Sizes are powers of three, so that no two sums of them are one. */
function fillsOf({ orders, turns, gaps }: Drawn): Fill[] {
  const slots = orders.flatMap(({ fills }, of) => Array.from({ length: fills }, () => of));
  const inTurn = slots.map((of, nth) => ({ of, turn: turns[nth] ?? 0 })).toSorted((a, b) => a.turn - b.turn);
  let atMs = FROM_MS;
  return inTurn.map(({ of }, nth) => {
    atMs += gaps[nth] ?? 1;
    return { atMs, of, by: (orders[of]?.isBuy === true ? 1 : -1) * 3 ** nth };
  });
}

function sizeOf(fills: readonly Fill[]): Decimal {
  return decimal(String(fills.reduce((total, { by }) => total + by, 0)));
}

/** What was told of our orders, true times. */
function ownOf({ orders }: Drawn, fills: readonly Fill[]) {
  const own = orders.flatMap(({ isOwn, isToldInPart, sentBeforeMs, toldAfterMs }, of) => {
    const all = fills.filter((fill) => fill.of === of);
    const told = isToldInPart ? all.slice(0, 1) : all;
    const [first, last] = [all[0]?.atMs ?? 0, told.at(-1)?.atMs ?? 0];
    return isOwn ? [{ of, all, told, sentAtMs: first - sentBeforeMs, toldAtMs: last + toldAfterMs }] : [];
  });
  return own.toSorted((a, b) => a.sentAtMs - b.sentAtMs).map((each, nth) => ({ ...each, number: nth + 1 }));
}

type Own = ReturnType<typeof ownOf>;

/** How many of the fills a position has to have for these to be in it. */
function upTo(fills: readonly Fill[], some: readonly Fill[]): number {
  return Math.max(0, ...some.map((fill) => fills.indexOf(fill) + 1));
}

/** Readings that were believed when they were shown: they had all that was told by then. */
function earlierOf(drawn: Drawn, fills: readonly Fill[], own: Own): EarlierPosition[] {
  return drawn.earlier.map((each) => {
    const askedAtMs = FROM_MS + 4 * each.afterMs;
    const there = fills.filter(({ atMs }) => atMs <= askedAtMs).length;
    const kept = Math.min(each.kept, drawn.kept, there);
    const told = own.filter(({ toldAtMs }) => toldAtMs <= askedAtMs).flatMap((order) => order.told);
    const at = Math.min(there, Math.max(upTo(fills, told), kept, each.at));
    const sent = own.filter(({ sentAtMs }) => sentAtMs <= askedAtMs);
    return {
      size: sizeOf(fills.slice(0, at)),
      lastNumber: Math.max(0, ...sent.map(({ number }) => number)),
      askedAtMs: askedAtMs + drawn.aheadMs,
      timeMs: each.isNew ? askedAtMs + 20 : Math.min(askedAtMs, fills[at]?.atMs ?? askedAtMs),
      keptToMs: fills[kept - 1]?.atMs ?? SINCE_MS,
    };
  });
}

function endOf({ start }: Drawn, kept: readonly Fill[]): MarketTold["end"] {
  const newest = kept.at(-1);
  if (newest !== undefined) return { size: sizeOf(kept), timeMs: newest.atMs, oids: [`${newest.of}`] };
  if (start === "unknown") return null;
  return { size: decimal("0"), timeMs: start === "old" ? SINCE_MS - 20_000 : Number.NEGATIVE_INFINITY, oids: [] };
}

/** What is known, the position that is shown, and how many of the fills it has and has to have. */
function played(drawn: Drawn) {
  const fills = fillsOf(drawn);
  const own = ownOf(drawn, fills);
  const nowMs = (fills.at(-1)?.atMs ?? FROM_MS) + drawn.askedAfterMs;
  const kept = fills.slice(0, drawn.kept);
  const at = Math.min(drawn.shown.at, fills.length);
  const untilMs = drawn.shown.isNew ? nowMs + 20 : Math.min(nowMs, (fills[at]?.atMs ?? nowMs + 1) - 1);
  const known = own.filter(({ toldAtMs }) => toldAtMs <= nowMs);
  const told: MarketTold = {
    fills: kept.map(({ atMs: timeMs }, nth) => ({ timeMs, start: sizeOf(fills.slice(0, nth)) })).toReversed(),
    end: endOf(drawn, kept),
    orders: known.map((order) => ({
      number: order.number,
      oid: `${order.of}`,
      filled: sizeOf(order.all.filter((fill) => order.told.includes(fill) || kept.includes(fill))),
      kept: sizeOf(order.all.filter((fill) => kept.includes(fill))),
      sentAtMs: order.sentAtMs + drawn.aheadMs,
      toldAtMs: order.toldAtMs + drawn.aheadMs,
    })),
    earlier: earlierOf(drawn, fills, own)
      .filter(({ askedAtMs }) => askedAtMs - drawn.aheadMs <= nowMs)
      .toSorted((a, b) => b.askedAtMs - a.askedAtMs),
    sinceMs: SINCE_MS,
    untilMs,
  };
  // By its own time it holds what is not newer than that.
  const claimed = known.filter(({ toldAtMs }) => toldAtMs + drawn.aheadMs <= untilMs).flatMap((order) => order.told);
  const needed = [...claimed, ...kept].filter(({ atMs }) => atMs < untilMs);
  return { told, size: sizeOf(fills.slice(0, at)), has: at, needs: upTo(fills, needed) };
}

test("a position that is taken for one of now has every fill that was told, and every one that is kept", () => {
  const seen = { now: 0, before: 0, unclear: 0 };
  fc.assert(
    fc.property(drawnWorld, (drawn) => {
      const { told, size, has, needs } = played(drawn);
      const moment = momentOfPosition(size, told);
      seen[moment] += 1;
      if (moment === "now") expect(has).toBeGreaterThanOrEqual(needs);
    }),
    { numRuns: 30_000 },
  );
  // Else it would hold of nothing.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
});
