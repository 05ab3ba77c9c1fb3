/** What a bot holds and has done is written once for each commit: by then the rows say what was booked, and no more of what was taken back. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { add, type Decimal, decimal, isZero, subtract, ZERO } from "../../src/core/decimal.ts";
import { dayOf } from "../../src/core/rails/trip.ts";
import { addToBotDay, bookTrade, findBotDay, listBotNets } from "../../src/store/bots.ts";
import { commitDelayed, inTransaction, inTransactionDelayed } from "../../src/store/commit.ts";
import { openCommitQueue } from "../../src/store/commit-queue.ts";
import { listDayMarkets } from "../../src/store/day-markets.ts";
import { closeStore, type Store } from "../../src/store/open.ts";
import { forget } from "../../src/store/remembered.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { stillClock } from "../support/still-clock.ts";

const AT_MS = 1_700_049_600_000;
const DAY_MS = 86_400_000;
/** The clock may be set back: what comes later is not always of a later day. */
const DAYS = [0, 1] as const;
const OF = { accountId: "account", bot: "grid" };

type Work = { market: string; size: Decimal; isBuy: boolean; day: number; fails: boolean; forgets: boolean };
type Step = { kind: "commit" | "delayed" | "queue" | "end"; works: Work[] };

const works = fc.array(
  fc.record({
    market: fc.constantFrom("BTC", "ETH"),
    size: fc.constantFrom("1", "0.25").map(decimal),
    isBuy: fc.boolean(),
    day: fc.constantFrom(...DAYS),
    fails: fc.nat(3).map((n) => n === 0),
    forgets: fc.nat(3).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 3 },
);
const steps = fc.array(fc.record({ kind: fc.constantFrom("commit", "delayed", "queue", "end"), works }), {
  minLength: 3,
  maxLength: 12,
}) as fc.Arbitrary<Step[]>;

/** A trade and an action, as the books are told them. */
function book(store: Store, { market, size, isBuy, day, fails, forgets }: Work): void {
  const atMs = AT_MS + day * DAY_MS;
  const side = isBuy ? "buy" : "sell";
  const source = { kind: "order", id: "order" } as const;
  const trade = { source, side, reduceOnly: false, size, turnover: size, atMs } as const;
  bookTrade(store, { ...OF, market }, trade);
  // Another row of the same transaction has been written by hand.
  if (forgets) forget(store);
  addToBotDay(store, OF, { turnover: ZERO, actions: 1, atMs });
  if (fails) throw new Error("taken back");
}

type DoneOnDay = { turnover: Decimal; actions: number; traded: Set<string> };
type Booked = { nets: Map<string, Decimal>; days: DoneOnDay[] };

function expected(done: readonly Work[]): Booked {
  const days = DAYS.map((): DoneOnDay => ({ turnover: ZERO, actions: 0, traded: new Set() }));
  const booked: Booked = { nets: new Map(), days };
  for (const { market, size, isBuy, day } of done) {
    const before = booked.nets.get(market) ?? ZERO;
    booked.nets.set(market, isBuy ? add(before, size) : subtract(before, size));
    const of = days[day];
    if (of === undefined) throw new Error("bug: a day that is not drawn");
    of.turnover = add(of.turnover, size);
    of.actions += 1;
    of.traded.add(market);
  }
  for (const [market, net] of booked.nets) if (isZero(net)) booked.nets.delete(market);
  return booked;
}

function seen(store: Store): Booked {
  const days = DAYS.map((day) => {
    const atMs = AT_MS + day * DAY_MS;
    const { turnover, actions } = findBotDay(store, OF, atMs);
    const traded = listDayMarkets(store, { ...OF, day: dayOf(atMs) }).map(({ market }) => market);
    return { turnover, actions, traded: new Set(traded) };
  });
  return { nets: new Map(listBotNets(store, OF.accountId, OF.bot)), days };
}

/** All or nothing of the works of one transaction; in a queue each for itself. */
async function run(store: Store, { kind, works }: Step): Promise<Work[]> {
  if (kind === "queue") {
    const queue = openCommitQueue(store, queueMicrotask, stillClock(AT_MS));
    const ends = await Promise.allSettled(works.map((work) => queue.intent((open) => book(open, work))));
    return works.filter((_, index) => ends[index]?.status === "fulfilled");
  }
  if (kind === "end") {
    commitDelayed(store);
    return [];
  }
  const transact = kind === "commit" ? inTransaction : inTransactionDelayed;
  try {
    transact(store, (open) => {
      for (const work of works) book(open, work);
    });
    return works;
  } catch (error) {
    if (!(error instanceof Error) || error.message !== "taken back") throw error;
    return [];
  }
}

test("after any works, shown or taken back, books and rows say what was booked", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (trace) => {
      const store = openMemoryStore();
      const done: Work[] = [];
      for (const step of trace) {
        done.push(...(await run(store, step)));
        expect(seen(store)).toEqual(expected(done));
      }
      commitDelayed(store);
      forget(store);
      expect(seen(store)).toEqual(expected(done));
      closeStore(store);
    }),
    { numRuns: 60 },
  );
});

test("a bot of many days is kept as it was booked, and holds what it held, whichever day was asked for last", () => {
  const store = openMemoryStore();
  const nthDay = (day: number) => ({ market: day % 2 === 0 ? "BTC" : "ETH", size: decimal("1"), isBuy: true, day });
  const whole = { fails: false, forgets: false };
  // Many more than are kept of a bot, each twice: the second time its row is read and changed, and the newest has the nets.
  inTransaction(store, (open) => {
    for (const day of [...Array.from({ length: 24 }, (_, nth) => nth), ...Array.from({ length: 24 }, (_, nth) => nth)])
      book(open, { ...nthDay(day), ...whole });
  });
  forget(store);
  expect(Object.fromEntries(listBotNets(store, OF.accountId, OF.bot))).toEqual({
    BTC: decimal("24"),
    ETH: decimal("24"),
  });
  const actions = Array.from({ length: 24 }, (_, day) => findBotDay(store, OF, AT_MS + day * DAY_MS).actions);
  expect(new Set(actions)).toEqual(new Set([2]));
  closeStore(store);
});

test("what several works of one commit change is written once", () => {
  const store = openMemoryStore();
  const changes = () => store.$client.query<{ count: number }, []>("SELECT total_changes() AS count").get()?.count ?? 0;
  const work: Work = { market: "BTC", size: decimal("1"), isBuy: true, day: 0, fails: false, forgets: false };
  // What is not known yet is read from the rows, where all that is before it has to stand.
  inTransaction(store, (open) => book(open, work));
  const before = changes();
  inTransaction(store, (open) => {
    for (let nth = 0; nth < 20; nth += 1) book(open, work);
  });
  // What the bot has done, what it holds, and what the day's loss is worked out from, are one row.
  expect(changes() - before).toBe(1);
  closeStore(store);
});
