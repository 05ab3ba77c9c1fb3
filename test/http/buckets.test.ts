import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type BucketLevel, draw } from "../../src/core/rate.ts";
import { openAddressBuckets, openKeyBuckets } from "../../src/http/buckets.ts";

const RATE = { perSecond: 1, burst: 3 };
const ROOM = { addresses: 3, networks: 2 };

/** Three networks, two addresses each: more of both than there is room for. */
const ADDRESSES = ["10.0.0.1", "10.0.0.2", "10.1.0.1", "10.1.0.2", "2001:db8:0:1::/64", "2001:db8:0:2::/64"];

/** Who asks, and how long after the one before, milliseconds: mostly at once. */
const ASKED = fc.array(fc.tuple(fc.constantFrom(...ADDRESSES), fc.constantFrom(0, 0, 0, 10, 300, 1_100)), {
  minLength: 20,
  maxLength: 200,
});

describe("an address", () => {
  test("is never let through more often than its own bucket allows, whatever others do", () => {
    fc.assert(
      fc.property(ASKED, (asked) => {
        const buckets = openAddressBuckets(RATE, ROOM);
        const own = new Map<string, BucketLevel>();
        let nowMs = 0;
        for (const [address, afterMs] of asked) {
          nowMs += afterMs;
          if (!buckets.draw(address, nowMs).isAllowed) continue;
          const mine = own.get(address) ?? null;
          // The same time in other steps adds up to a hair more or less.
          const held = mine === null ? null : { ...mine, tokens: mine.tokens + 1e-9 };
          const { isAllowed, level } = draw(RATE, held, nowMs);
          own.set(address, level);
          expect(isAllowed).toBe(true);
        }
      }),
    );
  });

  test("that was there before a flood is let through exactly as if it were alone", () => {
    fc.assert(
      fc.property(ASKED, (asked) => {
        const buckets = openAddressBuckets(RATE, ROOM);
        let level: BucketLevel = buckets.draw("10.0.0.1", 0).level;
        let nowMs = 0;
        for (const [address, afterMs] of asked) {
          // Never so long that its bucket is full again and its place may be another's.
          nowMs += Math.min(afterMs, 900);
          buckets.draw(address === "10.0.0.1" ? "10.0.0.2" : address, nowMs);
          const drawn = draw(RATE, level, nowMs);
          expect(buckets.draw("10.0.0.1", nowMs)).toEqual(drawn);
          level = drawn.level;
        }
      }),
    );
  });

  test("finds room again once those before it are full", () => {
    const buckets = openAddressBuckets(RATE, { addresses: 1, networks: 0 });
    buckets.draw("10.0.0.1", 0);
    for (const left of [2, 1, 0]) expect(buckets.draw("10.1.0.1", 0).remaining).toBe(left);
    expect(buckets.draw("10.2.0.1", 0).isAllowed).toBe(false);
    // Ten seconds later all of them would be full; what is new has what it shared with the others.
    expect(buckets.draw("10.2.0.1", 10_000).remaining).toBe(2);
    expect(buckets.draw("10.3.0.1", 10_000).remaining).toBe(2);
    expect(buckets.draw("10.2.0.1", 10_000).remaining).toBe(1);
  });
});

test("a key is let through as its own bucket allows, however many keys there are and whenever they ask", () => {
  const keys = fc.integer({ min: 0, max: 2_000 });
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, fc.integer({ min: 0, max: 20 })), { maxLength: 500 }), (asked) => {
      const buckets = openKeyBuckets(RATE);
      for (let nth = 0; nth < 1_200; nth += 1) buckets.draw(`filler ${nth}`, 0);
      const own = new Map<number, BucketLevel>();
      let nowMs = 0;
      for (const [key, afterMs] of asked) {
        nowMs += afterMs;
        const drawn = draw(RATE, own.get(key % 40) ?? null, nowMs);
        own.set(key % 40, drawn.level);
        expect(buckets.draw(`key ${key % 40}`, nowMs)).toEqual(drawn);
        buckets.draw(`another ${key}`, nowMs);
      }
    }),
    { numRuns: 30 },
  );
});
