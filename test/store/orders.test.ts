import { expect, test } from "bun:test";
import fc from "fast-check";
import { decimal } from "../../src/core/decimal.ts";
import { markInterrupted } from "../../src/settle/start-up.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { findLegByCloid, findLegByOid, insertLeg, listLegs, updateLeg } from "../../src/store/legs.ts";
import type { Store } from "../../src/store/open.ts";
import {
  deleteOrder,
  findOrder,
  insertOrder,
  insertRefused,
  listLiveOrders,
  listOrders,
  updateOrder,
} from "../../src/store/orders.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { accountRow, legRow, orderRow, placingRows } from "../support/rows.ts";
import { stillClock } from "../support/still-clock.ts";

function openWith(...orders: Parameters<typeof orderRow>[0][]): Store {
  const store = openMemoryStore();
  insertAccount(store, accountRow());
  for (const some of orders) insertOrder(store, orderRow(some));
  return store;
}

test("an order and its leg come back as they were stored, trigger or not", () => {
  for (const trigger of [null, { price: "9.50", kind: "stop_loss" as const, market: true }]) {
    const store = openMemoryStore();
    insertOrder(store, orderRow({ trigger }));
    insertLeg(store, legRow({ trigger }));
    expect(findOrder(store, orderRow().id)).toEqual(orderRow({ trigger }));
    expect(findLegByCloid(store, legRow().cloid)).toEqual(legRow({ trigger }));
    updateLeg(store, legRow({ trigger, oid: "77", filledSize: decimal("0.5") }));
    expect(listLegs(store, orderRow().id)).toEqual([legRow({ trigger, oid: "77", filledSize: decimal("0.5") })]);
  }
});

test("an order is not stored under one key and told under another", () => {
  const store = openWith();
  const { keyRecord } = placingRows(1);
  const insert = (idempotencyKey: string | null) => () =>
    insertRefused(store, orderRow({ id: "o", idempotencyKey }), { ...keyRecord, idempotencyKey: "name-of-one" });
  expect(insert("name-of-another")).toThrow("bug: not the key of this order");
  expect(insert(null)).toThrow("bug: not the key of this order");
  expect(findOrder(store, "o")).toBeNull();
  insert("name-of-one")();
  expect(findOrder(store, "o")).toMatchObject({ idempotencyKey: "name-of-one" });
});

test("an order is only stored over the version it was decided on", () => {
  const store = openWith({});
  const read = orderRow();
  expect(updateOrder(store, { ...read, status: "open" })).toBe(true);
  expect(updateOrder(store, { ...read, status: "rejected" })).toBe(false);
  expect(findOrder(store, read.id)).toMatchObject({ status: "open", version: 1 });
});

test("a deleted order takes its legs with it", () => {
  const store = openWith({});
  insertLeg(store, legRow());
  deleteOrder(store, orderRow().id, 2_000);
  expect(findOrder(store, orderRow().id)).toBeNull();
  expect(findLegByCloid(store, legRow().cloid)).toBeNull();
});

test("a native id is found for its own account only", () => {
  const store = openWith({});
  insertLeg(store, legRow({ oid: "77" }));
  expect(findLegByOid(store, orderRow().accountId, "77")).not.toBeNull();
  expect(findLegByOid(store, "another", "77")).toBeNull();
});

test("at a start what was on its way is unknown, and nothing else changes", () => {
  const store = openWith({ id: "a" }, { id: "b", status: "open" });
  insertLeg(store, legRow({ orderId: "a", cloid: "0xa" }));
  insertLeg(store, legRow({ orderId: "b", cloid: "0xb", state: "resting" }));
  const world = { store, clock: stillClock(2_000) };
  expect(markInterrupted(world).orders).toBe(1);
  expect(findOrder(store, "a")).toMatchObject({ status: "unknown", error: STOPPED, seenAtMs: 2_000, version: 1 });
  expect(findLegByCloid(store, "0xa")).toMatchObject({ state: "lost", reason: STOPPED });
  expect(findOrder(store, "b")).toMatchObject({ status: "open", version: 0 });
  expect(findLegByCloid(store, "0xb")).toMatchObject({ state: "resting" });
  expect(markInterrupted(world).orders).toBe(0);
});

const STOPPED = expect.stringContaining("the gateway was stopped before");

test("the history goes newest first, one row past the limit, and on from where it stopped", () => {
  const store = openWith(
    { id: "a", createdAtMs: 1 },
    { id: "c", createdAtMs: 2 },
    { id: "b", createdAtMs: 2 },
    { id: "d", createdAtMs: 3, status: "filled", market: "xyz:TSLA" },
    { id: "e", createdAtMs: 3, accountId: "another" },
  );
  const page = { accountId: orderRow().accountId, status: null, dex: null, after: null, limit: 10 };
  const ids = (some: Partial<Parameters<typeof listOrders>[1]>) =>
    listOrders(store, { ...page, ...some }).map((order) => order.id);
  expect(ids({})).toEqual(["d", "c", "b", "a"]);
  expect(ids({ limit: 2 })).toEqual(["d", "c", "b"]);
  expect(ids({ after: { createdAtMs: 2, id: "c" } })).toEqual(["b", "a"]);
  expect(ids({ status: "filled" })).toEqual(["d"]);
  expect(ids({ dex: "" })).toEqual(["c", "b", "a"]);
  expect(ids({ dex: "xyz" })).toEqual(["d"]);
  expect(ids({ dex: "xy" })).toEqual([]);
});

test("page by page a history of all statuses is whole and in order", () => {
  const STATUSES = ["processing", "open", "filled", "canceled", "rejected", "unknown", "waiting_for_trigger"] as const;
  const made = fc.record({ createdAtMs: fc.integer({ min: 1, max: 5 }), status: fc.constantFrom(...STATUSES) });
  fc.assert(
    fc.property(fc.array(made, { maxLength: 25 }), fc.integer({ min: 1, max: 6 }), (rows, limit) => {
      const store = openWith(...rows.map((row, nth) => ({ ...row, id: `order-${String(nth).padStart(2, "0")}` })));
      const all: string[] = [];
      for (let after: { createdAtMs: number; id: string } | null = null; ; ) {
        const page = { accountId: orderRow().accountId, status: null, dex: null, after, limit };
        const listed = listOrders(store, page);
        expect(listed.length).toBeLessThanOrEqual(limit + 1);
        const shown = listed.slice(0, limit);
        all.push(...shown.map(({ id, createdAtMs }) => `${createdAtMs} ${id}`));
        after = shown.at(-1) ?? after;
        if (listed.length <= limit) break;
      }
      const names = rows.map(({ createdAtMs }, nth) => `${createdAtMs} order-${String(nth).padStart(2, "0")}`);
      expect(all).toEqual(names.toSorted().toReversed());
    }),
    { numRuns: 60 },
  );
});

test("live orders are those about which there may be news, oldest first", () => {
  const store = openWith(
    { id: "a", createdAtMs: 4 },
    { id: "b", createdAtMs: 3, status: "unknown" },
    { id: "c", createdAtMs: 2, status: "open" },
    { id: "d", createdAtMs: 1, status: "waiting_for_trigger" },
    { id: "e", status: "filled" },
    { id: "f", status: "canceled" },
    { id: "g", status: "rejected" },
  );
  const ids = (limit: number) => listLiveOrders(store, orderRow().accountId, limit).map((order) => order.id);
  expect(ids(10)).toEqual(["d", "c", "b", "a"]);
  expect(ids(2)).toEqual(["d", "c"]);
});
