import { expect, test } from "bun:test";
import fc from "fast-check";
import { appendAudit, findBrokenAuditRow } from "../../src/store/audit.ts";
import type { Store } from "../../src/store/open.ts";
import { openMemoryStore } from "../support/memory-store.ts";

function openLog(rows: number): Store {
  const store = openMemoryStore();
  for (let row = 1; row <= rows; row += 1) {
    const detail = { nonce: row, signer: "0xaa" };
    appendAudit(store, { atMs: row, actor: "operator", event: "sign_place", reference: `order-${row}`, detail });
  }
  return store;
}

test("an untouched log holds, also an empty one and one that takes more than a page to read", () => {
  for (const rows of [0, 1, 1_000, 1_001, 2_500]) expect(findBrokenAuditRow(openLog(rows))).toBeNull();
});

const COLUMNS = ["at_ms", "actor", "event", "reference", "detail", "chain"] as const;

test("an edit of any field of any row is found at that row", () => {
  const rows = fc.integer({ min: 1, max: 20 });
  fc.assert(
    fc.property(rows, fc.constantFrom(...COLUMNS), (row, column) => {
      const store = openLog(20);
      store.$client.run(`UPDATE audit SET ${column} = ${column} || '0' WHERE id = ${row}`);
      expect(findBrokenAuditRow(store)).toBe(row);
    }),
    { numRuns: 60 },
  );
});

test("a deleted row is found at the one that follows it", () => {
  for (const row of [1, 7, 19]) {
    const store = openLog(20);
    store.$client.run(`DELETE FROM audit WHERE id = ${row}`);
    expect(findBrokenAuditRow(store)).toBe(row + 1);
  }
});

test("a deleted last row is found as soon as another is written", () => {
  const store = openLog(20);
  store.$client.run("DELETE FROM audit WHERE id = 20");
  appendAudit(store, { atMs: 21, actor: "a", event: "e", reference: "r", detail: {} });
  expect(findBrokenAuditRow(store)).toBe(21);
});

test("a deletion that closes the gap in the numbers is found by the chain", () => {
  const store = openLog(20);
  store.$client.run("DELETE FROM audit WHERE id = 7");
  store.$client.run("UPDATE audit SET id = -id WHERE id > 7");
  store.$client.run("UPDATE audit SET id = -id - 1 WHERE id < 0");
  expect(findBrokenAuditRow(store)).toBe(7);
});

test("two rows that change places are found", () => {
  const store = openLog(20);
  store.$client.run("UPDATE audit SET id = 100 WHERE id = 7");
  store.$client.run("UPDATE audit SET id = 7 WHERE id = 8");
  store.$client.run("UPDATE audit SET id = 8 WHERE id = 100");
  expect(findBrokenAuditRow(store)).toBe(7);
});

test("text cannot move from one field to the next unseen", () => {
  const store = openLog(3);
  store.$client.run("UPDATE audit SET actor = 'operatorsign', event = '_place' WHERE id = 2");
  expect(findBrokenAuditRow(store)).toBe(2);
});
