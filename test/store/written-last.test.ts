/** What a bot holds and has done is written once for each commit: by then the rows say what was booked, and no more of what was taken back. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { add, type Decimal, decimal, isZero, subtract, ZERO } from "../../src/core/decimal.ts";
import { addToBotDay, bookTrade, findBotDay, listBotNets } from "../../src/store/bots.ts";
import { commitDelayed, inTransaction, inTransactionDelayed } from "../../src/store/commit.ts";
import { openCommitQueue } from "../../src/store/commit-queue.ts";
import { listDayMarkets } from "../../src/store/day-markets.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { forget } from "../../src/store/remembered.ts";
import { stillClock } from "../support/still-clock.ts";

const AT_MS = 1_700_049_600_000;
const DAY = Math.floor(AT_MS / 86_400_000);
const OF = { accountId: "account", bot: "grid" };

type Work = { market: string; size: Decimal; isBuy: boolean; fails: boolean; forgets: boolean };
type Step = { kind: "commit" | "delayed" | "queue" | "end"; works: Work[] };

const works = fc.array(
  fc.record({
    market: fc.constantFrom("BTC", "ETH"),
    size: fc.constantFrom("1", "0.25").map(decimal),
    isBuy: fc.boolean(),
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
function book(store: Store, { market, size, isBuy, fails, forgets }: Work): void {
  const side = isBuy ? "buy" : "sell";
  const source = { kind: "order", id: "order" } as const;
  const trade = { source, side, reduceOnly: false, size, turnover: size, atMs: AT_MS } as const;
  bookTrade(store, { ...OF, market }, trade);
  // Another row of the same transaction has been written by hand.
  if (forgets) forget(store);
  addToBotDay(store, OF, { turnover: ZERO, actions: 1, atMs: AT_MS });
  if (fails) throw new Error("taken back");
}

type Booked = { nets: Map<string, Decimal>; turnover: Decimal; actions: number; traded: Set<string> };

function expected(done: readonly Work[]): Booked {
  const booked: Booked = { nets: new Map(), turnover: ZERO, actions: done.length, traded: new Set() };
  for (const { market, size, isBuy } of done) {
    const before = booked.nets.get(market) ?? ZERO;
    booked.nets.set(market, isBuy ? add(before, size) : subtract(before, size));
    booked.turnover = add(booked.turnover, size);
    booked.traded.add(market);
  }
  for (const [market, net] of booked.nets) if (isZero(net)) booked.nets.delete(market);
  return booked;
}

function seen(store: Store): Booked {
  const { turnover, actions } = findBotDay(store, OF, AT_MS);
  const traded = listDayMarkets(store, { ...OF, day: DAY }).map(({ market }) => market);
  return { nets: new Map(listBotNets(store, OF.accountId, OF.bot)), turnover, actions, traded: new Set(traded) };
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
      const store = openStore(":memory:");
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
}, 30_000);

test("what several works of one commit change is written once", () => {
  const store = openStore(":memory:");
  const changes = () => store.$client.query<{ count: number }, []>("SELECT total_changes() AS count").get()?.count ?? 0;
  const work: Work = { market: "BTC", size: decimal("1"), isBuy: true, fails: false, forgets: false };
  // What is not known yet is read from the rows, where all that is before it has to stand.
  inTransaction(store, (open) => book(open, work));
  const before = changes();
  inTransaction(store, (open) => {
    for (let nth = 0; nth < 20; nth += 1) book(open, work);
  });
  // The day, the net, and what the day's loss is worked out from.
  expect(changes() - before).toBe(3);
  closeStore(store);
});
