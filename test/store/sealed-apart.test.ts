/** What is believed goes with the rows, also where one write of several that share a transaction is rolled back by itself. */
import { expect, test } from "bun:test";
import { openCommitQueue } from "../../src/store/commit-queue.ts";
import type { Store } from "../../src/store/open.ts";
import {
  believe,
  digestOfBelieved,
  digestOfRows,
  findSealed,
  readSealedRows,
  vouch,
} from "../../src/store/sealed-rows.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { stillClock } from "../support/still-clock.ts";

type Work = (store: Store) => void;

function vouches(id: string, content: string | null): Work {
  return (store) => vouch(store, "trade", id, content);
}

function refused(...works: Work[]): Work {
  return (store) => {
    for (const work of works) work(store);
    throw new Error("refused");
  };
}

test.each<[string, Work[], Record<string, string | null>]>([
  ["one that adds", [vouches("a", "1"), refused(vouches("b", "1"))], { a: "1", b: null }],
  ["one that changes", [refused(vouches("known", "2")), vouches("a", "1")], { a: "1", known: "0" }],
  ["one that takes away", [refused(vouches("known", null)), vouches("a", "1")], { a: "1", known: "0" }],
  [
    "one that changes what another has changed",
    [vouches("known", "1"), refused(vouches("known", "2"), vouches("known", "3"))],
    { known: "1" },
  ],
  ["one alone", [refused(vouches("b", "1"))], { b: null, known: "0" }],
  ["all of them", [refused(vouches("a", "1")), refused(vouches("b", "1"))], { a: null, b: null, known: "0" }],
])("%s", async (_what, works, wanted) => {
  const store = openMemoryStore();
  const sealed: boolean[] = [];
  const isOne = () => digestOfBelieved(store) === digestOfRows(readSealedRows(store));
  believe(store, [], { seal: () => void sealed.push(isOne()), isGranted: () => true, tell: () => undefined });
  vouch(store, "trade", "known", "0");
  const queue = openCommitQueue(store, setImmediate, stillClock(0));
  await Promise.allSettled(works.map((work) => queue.intent(work)));
  expect(isOne()).toBe(true);
  expect(sealed).not.toContain(false);
  for (const [id, content] of Object.entries(wanted))
    expect([id, findSealed(store, "trade", id)]).toEqual([id, content]);
});
