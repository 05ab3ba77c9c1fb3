import { expect, test } from "bun:test";
import { count, desc, eq, getTableColumns, gt, min, sql } from "drizzle-orm";
import { listHooksWithWork } from "../../src/store/hook-deliveries.ts";
import { listReceivers } from "../../src/store/notice-receivers.ts";
import { closeStore, type Store } from "../../src/store/open.ts";
import { assignments, columnsBut, placeholders, prepared, preparedChange, rowsOf } from "../../src/store/prepared.ts";
import { accounts, agents, fills, legs, notes, orders, signers } from "../../src/store/schema.ts";
import { unknownOperations, unknownOrders } from "../../src/store/unknowns.ts";
import { openMemoryStore } from "../support/memory-store.ts";

test("a statement is built once, and compiled for each connection", () => {
  let built = 0;
  const all = prepared((store) => {
    built += 1;
    return store.select().from(signers).prepare();
  });
  const [one, other] = [openMemoryStore(), openMemoryStore()];
  one.insert(signers).values({ address: "0x1", lastNonce: 1 }).run();
  expect([all(one).all().length, all(one).all().length, all(other).all().length]).toEqual([1, 1, 0]);
  expect(built).toBe(1);
  closeStore(one);
  closeStore(other);
});

const ASKED_IN_REST: [string, (store: Store) => unknown][] = [
  ["receivers of notices", listReceivers],
  ["hooks with something to carry out", listHooksWithWork],
  ["orders that are unknown", (store) => unknownOrders(store, "a")],
  ["operations that are unknown", (store) => unknownOperations(store, "a")],
];

test.each(ASKED_IN_REST)("a gateway at rest builds no statement for %s", (_what, ask) => {
  const store = openMemoryStore();
  ask(store);
  let built = 0;
  const { select, selectDistinct } = store;
  const counting =
    (of: (...args: never[]) => unknown) =>
    (...args: never[]) => {
      built += 1;
      return of.apply(store, args);
    };
  Object.defineProperty(store, "select", { value: counting(select) });
  Object.defineProperty(store, "selectDistinct", { value: counting(selectDistinct) });
  ask(store);
  expect(built).toBe(0);
  closeStore(store);
});

test("columns that are written are all but those that are named", () => {
  expect(columnsBut(signers, ["address"])).toEqual(["lastNonce"]);
});

const TABLES = { accounts, agents, fills, legs, orders } as const;

/** A row with something in each column, or with nothing where that is allowed. */
function rowOf(table: (typeof TABLES)[keyof typeof TABLES], isFull: boolean): Record<string, unknown> {
  const columns = Object.entries(getTableColumns(table));
  const samples = { string: "text", number: 7, boolean: true, buffer: Buffer.from([1, 2, 3]) } as const;
  return Object.fromEntries(
    columns.map(([name, column]) => {
      const { dataType } = column;
      if (!isFull && !column.notNull) return [name, null];
      return [name, samples[dataType as keyof typeof samples]];
    }),
  );
}

for (const [name, table] of Object.entries(TABLES)) {
  test(`a row of ${name} is written and read as drizzle itself writes and reads it`, () => {
    for (const isFull of [true, false]) {
      const row = rowOf(table, isFull);
      const [ours, theirs] = [openMemoryStore(), openMemoryStore()];
      const insert = prepared((store) => store.insert(table).values(placeholders(table)).prepare());
      insert(ours).run(row);
      // The sample has a value of each column's type.
      theirs
        .insert(table)
        .values(row as typeof table.$inferInsert)
        .run();
      const raw = (store: Store) => store.$client.query(`SELECT * FROM ${name}`).all();
      expect(raw(ours)).toEqual(raw(theirs));
      const all = prepared((store) => store.select().from(table).prepare());
      expect(all(ours).all()).toEqual(theirs.select().from(table).all());
      expect(all(ours).get()).toEqual(theirs.select().from(table).get());
      expect(rowsOf(ours.select().from(table))).toEqual(theirs.select().from(table).all());
      closeStore(ours);
      closeStore(theirs);
    }
  });
}

test("a statement without one of its values throws, and writes nothing", () => {
  const store = openMemoryStore();
  const insert = prepared((within) => within.insert(signers).values(placeholders(signers)).prepare());
  expect(() => insert(store).run({ address: "0x1" })).toThrow("bug: no value for lastNonce");
  expect(store.select().from(signers).all()).toEqual([]);
  closeStore(store);
});

test("a change tells how many rows it has changed, and which one it has added", () => {
  const store = openMemoryStore();
  const insert = preparedChange((within) => within.insert(notes).values(placeholders(notes)).prepare());
  const rename = preparedChange((within) =>
    within
      .update(notes)
      .set(assignments(notes, ["what"]))
      .where(eq(notes.resourceId, sql.placeholder("resourceId")))
      .prepare(),
  );
  const row = { id: null, attemptId: null, atMs: 1, what: "seen", detail: "" };
  const ids = ["a", "a", "b"].map((resourceId) => insert(store)({ ...row, resourceId }).rowId);
  expect(ids).toEqual([1, 2, 3]);
  const rows = ["a", "b", "c"].map((resourceId) => rename(store)({ resourceId, what: "told" }).rows);
  // A row that is set to what it is counts as changed.
  expect([...rows, rename(store)({ resourceId: "a", what: "told" }).rows]).toEqual([2, 1, 0, 2]);
  expect(() => rename(store)({ resourceId: "a" })).toThrow("bug: no value for what");
  closeStore(store);
});

test("rows of a statement that is made for once are bound and read as drizzle itself does", () => {
  const store = openMemoryStore();
  for (const lastNonce of [1, 2, 3])
    store
      .insert(signers)
      .values({ address: `0x${lastNonce}`, lastNonce })
      .run();
  const newest = () =>
    store.select().from(signers).where(gt(signers.lastNonce, 1)).orderBy(desc(signers.lastNonce)).limit(1);
  expect(rowsOf(newest())).toEqual([{ address: "0x3", lastNonce: 3 }]);
  const counted = () => store.select({ count: sql<number>`count(*)` }).from(signers);
  expect(rowsOf(counted())).toEqual(counted().all());
  closeStore(store);
});

test("what is computed is read as drizzle itself reads it, without its general way", () => {
  const store = openMemoryStore();
  const computed = {
    address: signers.address,
    count: count(),
    oldest: min(signers.lastNonce),
    named: sql<string>`upper(${signers.address})`.as("named"),
    mapped: sql`${signers.lastNonce}`.mapWith(String),
    nothing: sql<number | null>`null`,
  };
  const grouped = (within: Store) => within.select(computed).from(signers).groupBy(signers.address);
  const quicker = prepared((within) => grouped(within).prepare());
  expect(quicker(store).all()).toEqual([]);
  for (const lastNonce of [1, 2])
    store
      .insert(signers)
      .values({ address: `0x${lastNonce}a`, lastNonce })
      .run();
  expect(quicker(store).all()).toEqual(grouped(store).all());
  expect(quicker(store).get()?.mapped).toBe("1");
  // Only a statement that is left as drizzle has made it tells its text.
  expect("getQuery" in quicker(store)).toBe(false);
  closeStore(store);
});
