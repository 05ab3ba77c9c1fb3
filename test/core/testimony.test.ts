/** What a feed owes, and for how long: by its own account of what it told, and by what reads showed. */

import { expect, test } from "bun:test";
import type { Moment } from "../../src/core/clock.ts";
import { decimal } from "../../src/core/decimal.ts";
import {
  accusationOf,
  type HeardFill,
  isPaid,
  newTestimony,
  nextDueMs,
  type Shown,
  show,
  type Testimony,
  tellFills,
  tellUpdates,
} from "../../src/core/testimony.ts";

/** Exchange time at which the feed was subscribed; elapsed times count from there. */
const START_MS = 1_700_000_000_000;
const SECOND = 1_000;

function at(elapsedMs: number): Moment {
  return { elapsedMs, exchangeMs: START_MS + elapsedMs };
}

function fill(timeMs: number, some: Partial<HeardFill> = {}): HeardFill {
  const terms = { oid: "7", market: "BTC", side: "B", size: decimal("1"), startPosition: decimal("0") } as const;
  return { id: `fill-${timeMs}`, ...terms, timeMs: START_MS + timeMs, ...some };
}

function fillShown(timeMs: number): Shown {
  return { kind: "fill", ...fill(timeMs) };
}

function listed(timeMs: number): Shown {
  return { kind: "listed", oid: "7", timeMs: START_MS + timeMs };
}

function over(timeMs: number): Shown {
  return { kind: "over", oid: "7", timeMs: START_MS + timeMs };
}

const part: Shown = { kind: "part", oid: "7", timeMs: START_MS };

function position(size: string): Shown {
  return { kind: "positions", dex: "", byMarket: new Map(size === "0" ? [] : [["BTC", decimal(size)]]) };
}

type Deed = (testimony: Testimony, moment: Moment) => void;

type Row = {
  name: string;
  /** What was shown and told, in this order, with elapsed times. */
  deeds: [atMs: number, deed: Deed][];
  /** From this elapsed time on the feed is accused; null = never. */
  accusedAtMs: number | null;
};

function reads(...shown: Shown[]): Deed {
  return (testimony, moment) => void show(testimony, shown, moment);
}

function tells(timeMs: number): Deed {
  return (testimony, moment) => tellFills(testimony, [fill(timeMs)], moment);
}

function updates(timeMs: number, isOver: boolean, oid = "7"): Deed {
  return (testimony) => tellUpdates(testimony, [{ oid, isOver, timeMs: START_MS + timeMs }]);
}

const S10 = 10 * SECOND;
const ROWS: Row[] = [
  { name: "a feed with nothing to tell", deeds: [], accusedAtMs: null },
  { name: "a fill that is read at once and never told", deeds: [[S10, reads(fillShown(S10))]], accusedAtMs: 15_000 },
  { name: "a fill that is read late and never told", deeds: [[30_000, reads(fillShown(S10))]], accusedAtMs: 31_500 },
  {
    name: "a fill that was told before it was read",
    deeds: [
      [S10, tells(S10)],
      [12_000, reads(fillShown(S10))],
    ],
    accusedAtMs: null,
  },
  {
    name: "a fill that is told 2 s late",
    deeds: [
      [10_100, reads(fillShown(S10))],
      [12_000, tells(S10)],
    ],
    accusedAtMs: null,
  },
  {
    name: "a fill that is read late, and whose frame waits behind the answer",
    deeds: [
      [30_000, reads(fillShown(S10))],
      [30_200, tells(S10)],
    ],
    accusedAtMs: null,
  },
  {
    name: "another fill of the same order",
    deeds: [
      [S10, reads(fillShown(S10))],
      [11_000, tells(11_000)],
    ],
    accusedAtMs: 15_000,
  },
  {
    name: "a fill from before the subscription",
    deeds: [[S10, reads(fillShown(-5_000), fillShown(1_900))]],
    accusedAtMs: null,
  },
  {
    name: "a fill that the exchange's time puts into the future",
    deeds: [[S10, reads(fillShown(3_600_000))]],
    accusedAtMs: 15_000,
  },
  { name: "a listed order that was never told", deeds: [[20_000, reads(listed(S10))]], accusedAtMs: 21_500 },
  { name: "a listed order from before", deeds: [[20_000, reads(listed(-S10))]], accusedAtMs: null },
  {
    name: "a listed order that was told",
    deeds: [
      [S10, updates(S10, false)],
      [20_000, reads(listed(S10))],
    ],
    accusedAtMs: null,
  },
  {
    name: "a listed order that is told after it was read",
    deeds: [
      [10_100, reads(listed(S10))],
      [12_000, updates(S10, false)],
    ],
    accusedAtMs: null,
  },
  {
    name: "an end of which only the beginning was told",
    deeds: [
      [S10, updates(S10, false)],
      [30_000, reads(over(20_000))],
    ],
    accusedAtMs: 31_500,
  },
  {
    name: "an end that was told, and a late open after it",
    deeds: [
      [20_100, updates(20_000, true)],
      [20_200, updates(S10, false)],
      [30_000, reads(over(20_300))],
    ],
    accusedAtMs: null,
  },
  {
    name: "the end of another order",
    deeds: [
      [20_100, updates(20_000, true, "8")],
      [30_000, reads(over(20_000))],
    ],
    accusedAtMs: 31_500,
  },
  { name: "a part that no fill tells", deeds: [[S10, reads(part)]], accusedAtMs: 15_000 },
  {
    name: "a part whose fill was told long before",
    deeds: [
      [2_000, tells(2_000)],
      [S10, reads(part)],
    ],
    accusedAtMs: 15_000,
  },
  {
    name: "a part whose fill is told after it",
    deeds: [
      [S10, reads(part)],
      [14_000, tells(13_000)],
    ],
    accusedAtMs: null,
  },
  { name: "a position that stands", deeds: [S10, 20_000].map((ms) => [ms, reads(position("5"))]), accusedAtMs: null },
  {
    name: "a position that moves and nothing was told",
    deeds: [
      [S10, reads(position("0"))],
      [20_000, reads(position("1"))],
    ],
    accusedAtMs: 25_000,
  },
  {
    name: "a position that is gone and nothing was told",
    deeds: [
      [S10, reads(position("1"))],
      [20_000, reads(position("0"))],
    ],
    accusedAtMs: 25_000,
  },
  {
    name: "a position that moves where a fill led that is told 2 s later",
    deeds: [
      [S10, reads(position("0"))],
      [20_000, reads(position("1.0"))],
      [22_000, tells(20_000)],
    ],
    accusedAtMs: null,
  },
  {
    name: "a position that goes back, by a server behind",
    deeds: [
      [S10, tells(S10)],
      [11_000, reads(position("1"))],
      [12_000, reads(position("0"))],
    ],
    accusedAtMs: null,
  },
  {
    name: "a position that a fill moved which was read, from before the subscription",
    deeds: [
      [S10, reads(position("0"))],
      [20_000, reads(position("1"))],
      [21_000, reads(fillShown(-1_000))],
    ],
    accusedAtMs: null,
  },
];

test.each(ROWS)("$name", ({ deeds, accusedAtMs }) => {
  const testimony = newTestimony(START_MS);
  for (const [atMs, deed] of deeds) deed(testimony, at(atMs));
  const lastMs = deeds.at(-1)?.[0] ?? 0;
  expect(nextDueMs(testimony)).toBe(accusedAtMs);
  if (accusedAtMs === null) expect(accusationOf(testimony, at(lastMs + 3_600_000))).toBeNull();
  else {
    expect(accusationOf(testimony, at(accusedAtMs - 1))).toBeNull();
    expect(accusationOf(testimony, at(accusedAtMs))).not.toBeNull();
  }
});

test("only what has no time of its own asks for a reading of the fills, and once", () => {
  const testimony = newTestimony(START_MS);
  const asks = (shown: Shown) => show(testimony, [shown], at(S10));
  expect([fillShown(S10), listed(S10), over(S10)].map(asks)).toEqual([false, false, false]);
  expect([part, part].map(asks)).toEqual([true, false]);
});

test("who was accused has paid with something as new, of the same channel", () => {
  const testimony = newTestimony(START_MS);
  const debt = { channel: "fills", sinceMs: START_MS + S10 } as const;
  updates(20_000, false)(testimony, at(0));
  tells(S10 - 1)(testimony, at(20_000));
  expect(isPaid(testimony, debt)).toBe(false);
  tells(S10)(testimony, at(20_000));
  expect(isPaid(testimony, debt)).toBe(true);
});

test("an end that was told stays told", () => {
  const testimony = newTestimony(START_MS);
  updates(S10, true)(testimony, at(0));
  updates(S10 + 1, false)(testimony, at(0));
  reads(over(S10 + 2))(testimony, at(S10 + 2));
  expect(nextDueMs(testimony)).toBeNull();
});

test("what had to be forgotten accuses nobody", () => {
  const testimony = newTestimony(START_MS);
  const many = Array.from({ length: 20_001 }, (_none, nth) => fill(S10 + nth));
  tellFills(testimony, many, at(40_000));
  show(testimony, [fillShown(S10), fillShown(S10 + 20_000)], at(40_000));
  expect(nextDueMs(testimony)).toBeNull();
});
