/** What stands in two tables is read as one, as statements of tests read it, which know nothing of the views. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { findAttempt } from "../../src/store/attempts.ts";
import { findLegByCloid, listLegs } from "../../src/store/legs.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { EVERY_ATTEMPT, EVERY_KEY, EVERY_LEG } from "../support/every-row.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { placingRows } from "../support/rows.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

/** Of a gateway that traded: rows of every kind in each of the tables. */
const TRADED = join(import.meta.dir, "fixtures/schema-1.db.gz");

function sortedRows(store: Store, columns: string, from: string): string[] {
  const rows = store.$client.prepare(`SELECT ${columns} FROM ${from}`).values();
  return rows.map((row) => JSON.stringify(row)).sort();
}

test.each([
  ["every_key", EVERY_KEY],
  ["every_attempt", EVERY_ATTEMPT],
  ["every_leg", EVERY_LEG],
])("%s has each row of both tables once", async (view, all) => {
  await inTemporaryDirectory((directory) => {
    const path = join(directory, "postern.db");
    writeFileSync(path, gunzipSync(readFileSync(TRADED)));
    const store = openStore(path, { keepsSnapshots: false });
    const [columns = ""] = /(?<=SELECT ).*(?= FROM)/.exec(all) ?? [];
    const rows = sortedRows(store, columns, view);
    expect(rows.length).toBeGreaterThan(5);
    expect(rows).toEqual(sortedRows(store, columns, all));
    closeStore(store);
  });
});

test.each([
  ["leg_size", "size"],
  ["leg_filled_notional", "filledNotional"],
])("half a leg in an order's row (%s is gone) is no leg", (column, name) => {
  const store = openMemoryStore();
  const { order, leg } = placingRows(1);
  insertPlacing(store, placingRows(1));
  store.$client.run(`UPDATE orders SET ${column} = NULL`);
  expect(() => listLegs(store, order.id)).toThrow(`bug: a row without its ${name}`);
  expect(() => findLegByCloid(store, leg.cloid)).toThrow(`bug: a row without its ${name}`);
});

test.each([
  ["signer", "signer"],
  ["attempted_at_ms", "createdAtMs"],
])("half an attempt in an order's row (%s is gone) is no attempt", (column, name) => {
  const store = openMemoryStore();
  const { id } = insertPlacing(store, placingRows(1));
  store.$client.run(`UPDATE orders SET ${column} = NULL`);
  expect(() => findAttempt(store, id)).toThrow(`bug: a row without its ${name}`);
});
