/** What is kept in memory of what may still execute is what the rows say, whatever was written, and taken back. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { cloidOf } from "../../src/core/cloid.ts";
import { decimal } from "../../src/core/decimal.ts";
import type { Leg, OrderStatus } from "../../src/core/order.ts";
import {
  deleteAttempt,
  insertAttempt,
  listAttemptsOf,
  reopenAttempt,
  updateAttempt,
} from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { deleteLeg, findLegByCloid, insertLeg, listLegs, moveLeg, updateLeg } from "../../src/store/legs.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { listOpenLegs, readOpenLegs } from "../../src/store/open-legs.ts";
import {
  countLiveOrders,
  deleteOrder,
  findOrder,
  insertOrder,
  insertPlacing,
  liveOrdersWithin,
  settleOrder,
  updateOrder,
} from "../../src/store/orders.ts";
import { listUnusedLegs, listUnusedNumbers, sealUnused } from "../../src/store/unused-numbers.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { attemptRow, legRow, orderRow, placingRows } from "../support/rows.ts";

const ORDERS = [1, 2, 3];
/** Of the actions here, or a millisecond later. */
const EXPIRES_AT_MS = 13_000;
const STATUSES: readonly OrderStatus[] = ["open", "unknown", "filled", "canceled", "waiting_for_trigger", "rejected"];
const STATES: readonly Leg["state"][] = ["sent", "resting", "armed", "filled", "canceled", "absent"];
const [{ accountId }] = [orderRow()];

type Step = { order: number; nth: number; clock: number };
type Write = (store: Store, step: Step) => unknown;

/** One write each; `nth` tells what to, `clock` makes names new. */
const WRITES: Readonly<Record<string, Write>> = {
  place: (store, { order, clock }) => findOrder(store, idOf(order)) ?? place(store, order, clock),
  settle(store, { order: nth, nth: draw, clock }) {
    if (findOrder(store, idOf(nth)) === null) place(store, nth, clock);
    const order = findOrder(store, idOf(nth));
    const [leg] = listLegs(store, idOf(nth));
    if (order === null || leg === undefined) return;
    const ended: Leg = { ...leg, state: pick(STATES, draw), filledSize: decimal(draw % 3 === 0 ? "1" : "0.25") };
    const answer = { status: 201, body: "{}" } as const;
    const { attempt } = placingRows(nth);
    const after = { order: { ...order, status: pick(STATUSES, draw), seenAtMs: 2 }, leg: ended, seal: null };
    settleOrder(store, { order, leg, attempt: { ...attempt, id: 0 } }, after, answer);
  },
  change(store, { order: nth, nth: draw }) {
    const order = findOrder(store, idOf(nth));
    const reduceOnly = draw % 2 === 0;
    if (order !== null) updateOrder(store, { ...order, reduceOnly, status: pick(STATUSES, draw) });
  },
  elsewhere: (store, { order, clock, nth }) =>
    insertOrder(store, orderRow({ id: idOf(100 * order + clock), status: "open", reduceOnly: nth % 2 === 0 })),
  modify(store, { order, clock, nth }) {
    if (findOrder(store, idOf(order)) === null) return;
    const cloid = cloidOf(idOf(1_000 + clock));
    insertLeg(store, legRow({ cloid, orderId: idOf(order), ordinal: clock, reason: nth % 2 === 0 ? "placed" : null }));
    const resource = { kind: "order", id: idOf(order) } as const;
    insertAttempt(store, attemptRow({ resource, cloid, nonce: 10_000 + clock }));
  },
  leg(store, { order, nth }) {
    const leg = listLegs(store, idOf(order)).at(-1);
    if (leg !== undefined) updateLeg(store, { ...leg, state: pick(STATES, nth), filledSize: decimal("0.5") });
  },
  end(store, { order, nth }) {
    const attempt = listAttemptsOf(store, idOf(order)).at(-1);
    if (attempt !== undefined) updateAttempt(store, attempt, { state: nth % 2 === 0 ? "done" : "ambiguous" });
  },
  refuse(store, { order, nth }) {
    const attempt = listAttemptsOf(store, idOf(order)).at(-1);
    if (attempt !== undefined) updateAttempt(store, attempt, { state: "done", answerText: `refused ${nth}` });
  },
  seal(store, { order, nth }) {
    const attempt = listAttemptsOf(store, idOf(order)).at(-1);
    if (attempt !== undefined) sealUnused(store, attempt, nth % 2 === 0 ? "noop" : "expiry");
  },
  reopen(store, { order }) {
    const attempt = listAttemptsOf(store, idOf(order)).at(-1);
    if (attempt?.state === "done") reopenAttempt(store, attempt);
  },
  apart(store, { order }) {
    const attempt = listAttemptsOf(store, idOf(order)).at(-1);
    if (attempt?.kind === "modify") updateAttempt(store, attempt, { isTargetClosed: true });
  },
  takeBack(store, { order }) {
    const attempt = listAttemptsOf(store, idOf(order)).at(-1);
    const leg = listLegs(store, idOf(order)).at(-1);
    if (attempt?.kind !== "modify" || leg === undefined || leg.ordinal === 0) return;
    deleteAttempt(store, attempt);
    deleteLeg(store, leg.cloid);
  },
  split(store, { order, clock }) {
    const leg = listLegs(store, idOf(order)).at(-1);
    if (leg === undefined || leg.ordinal === 0) return;
    const id = idOf(5_000 + clock);
    insertOrder(store, orderRow({ id, status: "unknown" }));
    moveLeg(store, leg.cloid, { orderId: id, ordinal: 0 });
  },
  remove: (store, { order }) => deleteOrder(store, idOf(order), 1),
};
const NAMES = Object.keys(WRITES);

/** The second only reduces. */
function place(store: Store, nth: number, nonce: number): void {
  const { order, ...rest } = placingRows(nth, { nonce, expiresAtMs: EXPIRES_AT_MS + (nonce % 2) });
  insertPlacing(store, { ...rest, order: { ...order, reduceOnly: nth === 2 } });
}

function idOf(nth: number): string {
  return placingRows(nth).order.id;
}

function pick<T>(from: readonly T[], nth: number): T {
  const picked = from[nth % from.length];
  if (picked === undefined) throw new Error("bug: nothing to pick from");
  return picked;
}

const steps = fc.array(
  fc.record({
    name: fc.constantFrom(...NAMES),
    order: fc.constantFrom(...ORDERS),
    nth: fc.nat(60),
    fails: fc.nat(5).map((n) => n === 0),
    looks: fc.nat(2).map((n) => n > 0),
  }),
  { minLength: 8, maxLength: 32 },
);

function inOrder(legs: readonly { cloid: string }[]) {
  return legs.toSorted((a, b) => (a.cloid < b.cloid ? -1 : 1));
}

test("after any writes what is kept is what the rows say", () => {
  fc.assert(
    fc.property(steps, (trace) => {
      const store = openMemoryStore();
      listOpenLegs(store, accountId);
      for (const [clock, { name, order, nth, fails, looks }] of trace.entries()) {
        attempt(store, fails, () => WRITES[name]?.(store, { order, nth, clock }));
        if (!looks) continue;
        expect(inOrder(listOpenLegs(store, accountId))).toEqual(inOrder(readOpenLegs(store, accountId)));
        expectWithin(store);
        expectUnused(store, nth % 3);
      }
      expect(inOrder(listOpenLegs(store, accountId))).toEqual(inOrder(readOpenLegs(store, accountId)));
      closeStore(store);
    }),
    { numRuns: 120 },
  );
});

/** Beside what is read of the rows alone. */
function expectUnused(store: Store, third: number): void {
  const expiresAfterMs = EXPIRES_AT_MS - 1 + third;
  const unused = listUnusedNumbers(store, accountId, expiresAfterMs).map(({ attempt: { cloid } }) => cloid ?? "");
  const expected = unused.filter((cloid) => findLegByCloid(store, cloid)?.filledSize !== "1");
  const kept = listUnusedLegs(store, accountId, expiresAfterMs).map(({ cloid }) => cloid);
  expect(kept.toSorted()).toEqual(expected.toSorted());
}

/** How many orders may be open is never told too low, nor how many are shown to be too high. */
function expectWithin(store: Store): void {
  const { live, shown } = countLiveOrders(store, accountId);
  const { mostLive, fewestShown } = liveOrdersWithin(store, accountId);
  expect(mostLive).toBeGreaterThanOrEqual(live);
  expect(fewestShown).toBeLessThanOrEqual(shown);
}

test.each<[before: OrderStatus, after: OrderStatus | "taken back", mostLive: number, fewestShown: number]>([
  ["filled", "open", 1, 0],
  ["open", "filled", 2, 0],
  ["open", "taken back", 2, 0],
])("an order that was %s and is %s", (before, after, mostLive, fewestShown) => {
  const store = openMemoryStore();
  inTransaction(store, () => insertOrder(store, orderRow({ id: idOf(1), status: before })));
  liveOrdersWithin(store, accountId);
  const order = findOrder(store, idOf(1));
  inTransaction(store, () => {
    if (after === "taken back") deleteOrder(store, idOf(1), 1);
    else if (order !== null) updateOrder(store, { ...order, status: after });
  });
  expect(liveOrdersWithin(store, accountId)).toEqual({ mostLive, fewestShown });
  closeStore(store);
});

test("it is counted anew after sixty-four writes, and after what another process has written", () => {
  const directory = mkdtempSync(join(tmpdir(), "postern-tally-"));
  const store = openStore(join(directory, "one.db"));
  const other = openStore(join(directory, "one.db"));
  for (let nth = 1; nth <= 65; nth += 1) {
    expect(liveOrdersWithin(store, accountId)).toEqual({ mostLive: nth - 1, fewestShown: 0 });
    inTransaction(store, () => insertOrder(store, orderRow({ id: idOf(nth), status: nth === 65 ? "open" : "filled" })));
  }
  expect(liveOrdersWithin(store, accountId)).toEqual({ mostLive: 1, fewestShown: 1 });
  inTransaction(other, () => insertOrder(other, orderRow({ id: idOf(66), status: "open" })));
  const within = inTransaction(store, () => liveOrdersWithin(store, accountId));
  expect(within).toEqual({ mostLive: 2, fewestShown: 2 });
  closeStore(other);
  closeStore(store);
  rmSync(directory, { recursive: true });
});

/** What fails is looked at before it is taken back. */
function attempt(store: Store, fails: boolean, work: () => unknown): void {
  try {
    inTransaction(store, () => {
      work();
      if (!fails) return;
      listOpenLegs(store, accountId);
      throw new Error("taken back");
    });
  } catch (error) {
    if (!fails || !(error instanceof Error) || error.message !== "taken back") throw error;
  }
}

test.each<[string, Leg["state"], string]>([
  ["filled whole", "filled", "1"],
  ["filled in part and over", "canceled", "0.5"],
  ["filled in part and open", "resting", "0.5"],
])(
  "what a modify has placed beside an order that was over counts with what is filled of it: %s",
  (_title, state, filled) => {
    const store = openMemoryStore();
    listOpenLegs(store, accountId);
    inTransaction(store, () => {
      insertOrder(store, orderRow({ id: idOf(1), status: "filled" }));
      const cloid = cloidOf(idOf(9));
      insertLeg(
        store,
        legRow({ cloid, orderId: idOf(1), ordinal: 1, state, size: decimal("1"), filledSize: decimal(filled) }),
      );
      const resource = { kind: "order", id: idOf(1) } as const;
      insertAttempt(store, attemptRow({ resource, cloid, isTargetClosed: true, state: "ambiguous" }));
    });
    const out = state === "resting" ? "1" : filled;
    for (const legs of [listOpenLegs(store, accountId), readOpenLegs(store, accountId)])
      expect(legs.map(({ remaining }) => remaining)).toEqual([decimal(out)]);
    closeStore(store);
  },
);

test.each<[string, Leg["state"], string, string]>([
  ["in part, and its order's row has it not", "lost", "0.25", "1"],
  ["in part, and its order's row has it", "resting", "0.65", "0.6"],
  ["whole, and its order's row has it not", "filled", "0.25", "0.4"],
])("what a modify's replacement is filled counts until it stands in books: %s", (_title, state, booked, out) => {
  const store = openMemoryStore();
  listOpenLegs(store, accountId);
  inTransaction(store, () => {
    insertOrder(store, orderRow({ id: idOf(1), status: "unknown", filledSize: decimal(booked) }));
    const first = cloidOf(idOf(1));
    insertLeg(
      store,
      legRow({ cloid: first, orderId: idOf(1), ordinal: 0, state: "canceled", filledSize: decimal("0.25") }),
    );
    const cloid = cloidOf(idOf(9));
    const size = decimal(state === "filled" ? "0.4" : "1");
    insertLeg(store, legRow({ cloid, orderId: idOf(1), ordinal: 1, state, size, filledSize: decimal("0.4") }));
    const resource = { kind: "order", id: idOf(1) } as const;
    insertAttempt(store, attemptRow({ resource, cloid, state: "ambiguous" }));
  });
  for (const legs of [listOpenLegs(store, accountId), readOpenLegs(store, accountId)])
    expect(legs.map(({ remaining }) => remaining)).toEqual([decimal(out)]);
  closeStore(store);
});

test.each<[Leg["state"], string | null]>([
  ["armed", "90"],
  ["resting", null],
])("a trigger that is %s is valued at its trigger, or at its price once it has fired: %p", (state, triggerPrice) => {
  const store = openMemoryStore();
  const trigger = { price: "90", kind: "stop_loss", market: false } as const;
  inTransaction(store, () => {
    insertOrder(store, orderRow({ id: idOf(1), status: "open", trigger }));
    insertLeg(store, legRow({ cloid: cloidOf(idOf(1)), orderId: idOf(1), state, oid: "77", trigger }));
  });
  expect(listOpenLegs(store, accountId)).toMatchObject([{ triggerPrice, triggerKind: triggerPrice && "stop_loss" }]);
  closeStore(store);
});

test.each<[Leg["state"], isInFlight: boolean, isUnheard: boolean]>([
  ["sent", true, false],
  ["lost", false, true],
  ["closing", false, true],
  ["resting", false, false],
])(
  "of one that is %s it is told whether its answer is awaited (%p) or was lost (%p)",
  (state, isInFlight, isUnheard) => {
    const store = openStore(":memory:");
    inTransaction(store, () => {
      insertOrder(store, orderRow({ id: idOf(1), status: "unknown" }));
      insertLeg(store, legRow({ cloid: cloidOf(idOf(1)), orderId: idOf(1), state, oid: null }));
    });
    expect(listOpenLegs(store, accountId)).toMatchObject([{ isInFlight, isUnheard }]);
    closeStore(store);
  },
);

test.each<[string, Partial<Leg>, mayRest: boolean]>([
  ["gtc", { timeInForce: "gtc", state: "sent" }, true],
  ["alo", { timeInForce: "alo", state: "lost" }, true],
  ["an ioc on its way", { timeInForce: "ioc", state: "sent" }, false],
  ["an ioc whose answer was lost", { timeInForce: "ioc", state: "lost" }, false],
  ["an ioc that is shown on the book all the same", { timeInForce: "ioc", state: "resting", oid: "77" }, true],
  [
    "what waits for the mark",
    { timeInForce: "ioc", state: "armed", trigger: { price: "90", kind: "stop_loss", market: true } },
    true,
  ],
])("%s: whether it may stand on the book", (_what, some, mayRest) => {
  const store = openStore(":memory:");
  inTransaction(store, () => {
    insertOrder(store, orderRow({ id: idOf(1), status: "unknown" }));
    insertLeg(store, legRow({ cloid: cloidOf(idOf(1)), orderId: idOf(1), oid: null, ...some }));
  });
  expect(listOpenLegs(store, accountId)).toMatchObject([{ mayRest }]);
  closeStore(store);
});
