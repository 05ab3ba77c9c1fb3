import { describe, expect, test } from "bun:test";
import type { Moment } from "../../src/core/clock.ts";
import { decimal } from "../../src/core/decimal.ts";
import type { BestPrices, MarkFigures } from "../../src/core/market-figures.ts";
import { nextFundingMs } from "../../src/core/market-figures.ts";
import {
  connected,
  disconnected,
  fill,
  forget,
  isLive,
  type MarketKnowledge,
  newestAgeMs,
  newKnowledge,
  seen,
  type Told,
  tell,
} from "../../src/core/market-knowledge.ts";

/** The exchange's time at elapsed 0. */
const ZERO_MS = 1_795_253_400_000;
const BTC = { kind: "best", of: "BTC" } as const;

function at(second: number): Moment {
  return { elapsedMs: second * 1_000, exchangeMs: ZERO_MS + second * 1_000 };
}

function bestOf(price: string): BestPrices {
  return { bid: { price: decimal(price), size: decimal("1") }, ask: null };
}

function markOf(price: string): MarkFigures {
  const mark = decimal(price);
  return { mark, oracle: null, fundingRate: null, openInterest: null, dayVolume: mark, previousDayPrice: mark };
}

function best(price: string, second: number): Told {
  return { ...BTC, value: bestOf(price), timeMs: ZERO_MS + second * 1_000 };
}

function mark(price: string, of = "BTC"): Told {
  return { kind: "mark", of, value: markOf(price), timeMs: null };
}

function book(second: number): Told {
  return { kind: "book", of: "BTC", value: { bids: [], asks: [] }, timeMs: ZERO_MS + second * 1_000 };
}

/** Connected since second 0. */
function live(): MarketKnowledge {
  const knowledge = newKnowledge();
  connected(knowledge, at(0), 0);
  return knowledge;
}

/** Price and age in seconds of the best bid. */
function shown(knowledge: MarketKnowledge, second: number): [price: string | undefined, ageS: number] | null {
  const known = seen(knowledge, "best", "BTC", at(second));
  return known === null ? null : [known.value.bid?.price, known.ageMs / 1_000];
}

describe("a best price", () => {
  test("is as new as what its connection told last, of whatever market", () => {
    const knowledge = live();
    tell(knowledge, best("100", 1), at(1));
    expect(shown(knowledge, 4)).toEqual(["100", 3]);
    tell(knowledge, mark("5", "ETH"), at(60));
    expect(shown(knowledge, 61)).toEqual(["100", 1]);
    expect(seen(knowledge, "best", "BTC", at(61))?.atMs).toBe(ZERO_MS + 1_000);
  });

  test("grows old with its connection, and is not made new by the next one before that has told it", () => {
    const knowledge = live();
    tell(knowledge, best("100", 1), at(1));
    disconnected(knowledge);
    expect([shown(knowledge, 3), isLive(knowledge, BTC, at(3))]).toEqual([["100", 2], false]);
    connected(knowledge, at(4), 0);
    tell(knowledge, mark("5"), at(5));
    expect([shown(knowledge, 5), isLive(knowledge, BTC, at(5))]).toEqual([["100", 4], false]);
    // Told as it was when it last changed.
    expect(tell(knowledge, best("100", 1), at(6))).toBe(true);
    expect([shown(knowledge, 6), isLive(knowledge, BTC, at(6))]).toEqual([["100", 0], true]);
  });

  test("that a read has shown since, and that a new connection begins with, is told on", () => {
    const knowledge = live();
    tell(knowledge, best("100", 1), at(1));
    disconnected(knowledge);
    fill(knowledge, best("100", 20), { ageMs: 0, now: at(20) });
    connected(knowledge, at(21), 0);
    tell(knowledge, best("100", 1), at(21));
    expect([shown(knowledge, 21), isLive(knowledge, BTC, at(21))]).toEqual([["100", 0], true]);
    expect(seen(knowledge, "best", "BTC", at(21))?.atMs).toBe(ZERO_MS + 20_000);
  });

  test("of a server that is behind is not taken", () => {
    const knowledge = live();
    tell(knowledge, best("100", 10), at(10));
    disconnected(knowledge);
    connected(knowledge, at(11), 0);
    expect(tell(knowledge, best("99", 5), at(11))).toBe(false);
    expect([shown(knowledge, 12), isLive(knowledge, BTC, at(12))]).toEqual([["100", 2], false]);
  });

  test("that is forgotten is not known, and does not live on with the connection", () => {
    const knowledge = live();
    tell(knowledge, best("100", 1), at(1));
    forget(knowledge, BTC);
    tell(knowledge, mark("5"), at(2));
    expect([shown(knowledge, 2), isLive(knowledge, BTC, at(2))]).toEqual([null, false]);
  });

  test("that a read shows to have moved is not believed on before the connection tells something newer", () => {
    const knowledge = live();
    tell(knowledge, best("100", 1), at(1));
    fill(knowledge, best("101", 20), { ageMs: 0, now: at(20) });
    tell(knowledge, mark("5"), at(25));
    expect([shown(knowledge, 25), isLive(knowledge, BTC, at(25))]).toEqual([["101", 5], false]);
    tell(knowledge, best("102", 26), at(26));
    expect([shown(knowledge, 26), isLive(knowledge, BTC, at(26))]).toEqual([["102", 0], true]);
  });

  test("that a read shows unmoved is told on", () => {
    const knowledge = live();
    tell(knowledge, best("100", 1), at(1));
    fill(knowledge, best("100", 20), { ageMs: 0, now: at(20) });
    expect([shown(knowledge, 21), isLive(knowledge, BTC, at(21))]).toEqual([["100", 1], false]);
    tell(knowledge, mark("5"), at(25));
    expect([shown(knowledge, 26), isLive(knowledge, BTC, at(26))]).toEqual([["100", 1], true]);
  });
});

test("a mark is as old as its own last frame, whatever else its connection tells", () => {
  const knowledge = live();
  tell(knowledge, mark("5"), at(1));
  tell(knowledge, mark("9", "ETH"), at(15));
  tell(knowledge, best("100", 15), at(15));
  expect(seen(knowledge, "mark", "BTC", at(15))?.ageMs).toBe(14_000);
  expect(isLive(knowledge, { kind: "mark", of: "BTC" }, at(15))).toBe(false);
});

describe("time goes on at the other end", () => {
  test("by what is new, and not by what is told twice", () => {
    const knowledge = live();
    tell(knowledge, book(1), at(1));
    expect(tell(knowledge, book(1), at(15))).toBe(false);
    expect([newestAgeMs(knowledge, at(15)), isLive(knowledge, { kind: "book", of: "BTC" }, at(15))]).toEqual([
      14_000,
      false,
    ]);
    tell(knowledge, book(16), at(16));
    expect([newestAgeMs(knowledge, at(16)), isLive(knowledge, { kind: "book", of: "BTC" }, at(16))]).toEqual([0, true]);
  });

  test("as late as what it told with a time, also for what has none", () => {
    const knowledge = live();
    tell(knowledge, best("100", 0), at(1));
    tell(knowledge, best("101", 2), at(22));
    expect(shown(knowledge, 22)).toEqual(["101", 20]);
    tell(knowledge, mark("5"), at(23));
    expect(seen(knowledge, "mark", "BTC", at(23))).toMatchObject({ atMs: ZERO_MS + 3_000, ageMs: 20_000 });
    expect(isLive(knowledge, { kind: "mark", of: "BTC" }, at(23))).toBe(false);
    tell(knowledge, best("102", 24), at(24));
    tell(knowledge, mark("6"), at(25));
    expect(seen(knowledge, "mark", "BTC", at(25))).toMatchObject({ atMs: ZERO_MS + 25_000, ageMs: 0 });
  });

  test("as late as is seen afterwards", () => {
    const knowledge = live();
    tell(knowledge, best("100", 0), at(1));
    tell(knowledge, mark("5"), at(20));
    tell(knowledge, best("101", 8), at(20));
    expect(seen(knowledge, "mark", "BTC", at(20))?.ageMs).toBe(12_000);
    expect([shown(knowledge, 20), isLive(knowledge, BTC, at(20))]).toEqual([["101", 12], false]);
    tell(knowledge, best("102", 21), at(21));
    expect(seen(knowledge, "mark", "BTC", at(21))?.ageMs).toBe(1_000);
  });

  test("whatever the age of the best price that a connection begins with", () => {
    const knowledge = live();
    tell(knowledge, best("100", -600), at(1));
    expect([shown(knowledge, 1), isLive(knowledge, BTC, at(1))]).toEqual([["100", 0], true]);
    tell(knowledge, best("100", -600), at(2));
    tell(knowledge, mark("5"), at(3));
    expect(seen(knowledge, "mark", "BTC", at(3))?.ageMs).toBe(0);
  });

  test("as late as its connection was in answering, before it has told anything with a time", () => {
    const knowledge = newKnowledge();
    connected(knowledge, at(20), 12_000);
    tell(knowledge, best("100", 8), at(20));
    tell(knowledge, mark("5"), at(20));
    expect([shown(knowledge, 20), isLive(knowledge, BTC, at(20))]).toEqual([["100", 12], false]);
    expect(seen(knowledge, "mark", "BTC", at(20))).toMatchObject({ atMs: ZERO_MS + 8_000, ageMs: 12_000 });
    tell(knowledge, best("101", 21), at(21));
    tell(knowledge, mark("6"), at(22));
    expect([isLive(knowledge, BTC, at(22)), seen(knowledge, "mark", "BTC", at(22))?.ageMs]).toEqual([true, 0]);
  });

  test.each([
    [10, true],
    [10.001, false],
  ])("and what it told %p s ago is live: %p", (seconds, isStillLive) => {
    const knowledge = live();
    tell(knowledge, mark("5"), at(0));
    expect(isLive(knowledge, { kind: "mark", of: "BTC" }, at(seconds))).toBe(isStillLive);
  });
});

describe("a read", () => {
  test("is as old as its answer, and as the time that is in it", () => {
    const knowledge = newKnowledge();
    fill(knowledge, mark("5"), { ageMs: 2_000, now: at(10) });
    expect(seen(knowledge, "mark", "BTC", at(11))).toMatchObject({ atMs: ZERO_MS + 8_000, ageMs: 3_000 });
    fill(knowledge, best("100", 1), { ageMs: 0, now: at(10) });
    expect(shown(knowledge, 10)).toEqual(["100", 9]);
  });

  test("does not take the place of what is newer", () => {
    const knowledge = live();
    tell(knowledge, best("100", 10), at(10));
    fill(knowledge, best("99", 8), { ageMs: 0, now: at(10) });
    tell(knowledge, mark("5"), at(10));
    fill(knowledge, mark("4"), { ageMs: 3_000, now: at(10) });
    expect([shown(knowledge, 10), isLive(knowledge, BTC, at(10))]).toEqual([["100", 0], true]);
    expect(seen(knowledge, "mark", "BTC", at(10))?.value.mark).toBe(decimal("5"));
  });

  test("makes nothing live, and is not made old by what is only told twice", () => {
    const knowledge = live();
    tell(knowledge, book(1), at(1));
    fill(knowledge, book(20), { ageMs: 0, now: at(20) });
    expect(isLive(knowledge, { kind: "book", of: "BTC" }, at(20))).toBe(false);
    tell(knowledge, book(1), at(21));
    expect(seen(knowledge, "book", "BTC", at(22))).toMatchObject({ atMs: ZERO_MS + 20_000, ageMs: 2_000 });
  });
});

test("without a connection nothing is told", () => {
  const knowledge = newKnowledge();
  expect([tell(knowledge, mark("5"), at(1)), newestAgeMs(knowledge, at(1)), shown(knowledge, 1)]).toEqual([
    false,
    null,
    null,
  ]);
});

test.each([
  [0, 3_600_000],
  [3_599_999, 3_600_000],
  [3_600_000, 7_200_000],
])("funding is paid at the next full hour after %p", (nowMs, nextMs) => {
  expect(nextFundingMs(nowMs)).toBe(nextMs);
});
