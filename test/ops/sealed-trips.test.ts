/** Who can write the database, and lacks the passphrase, gives no bot back what it has lost. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { decimal } from "../../src/core/decimal.ts";
import { dayOf } from "../../src/core/rails/trip.ts";
import { clearTrip } from "../../src/ops/clear-trip.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { closeStore, type Store } from "../../src/store/open.ts";
import { listRowFaults } from "../../src/store/row-faults.ts";
import { findTrip, insertTrip } from "../../src/store/trips.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { NOW_MS } from "./operator.ts";
import { ACCOUNT, fromOutside, makeDirectory, operatorOf, restarted } from "./sealed-directory.ts";

const DAY = dayOf(NOW_MS);
const BOT = { accountId: ACCOUNT, bot: "grid-1" };
const ID = "4d2f7b1e-8a3c-4e5d-9f60-718293a4b5c6";

function tripped(store: Store): string | null {
  return findTrip(store, BOT, DAY)?.id ?? null;
}

function trip(store: Store): void {
  const loss = { cause: "loss", day: DAY, loss: decimal("60"), limit: decimal("50") } as const;
  const made = { id: ID, ...BOT, ...loss, createdAtMs: NOW_MS, clearedAtMs: null };
  inTransaction(store, (within) => insertTrip(within, made, "gateway"));
}

test.each([
  ["deleted", "DELETE FROM bot_trips"],
  ["marked as ended", "UPDATE bot_trips SET cleared_at_ms = 1"],
  ["moved to another day", "UPDATE bot_trips SET day = day - 1"],
  ["given to another bot", "UPDATE bot_trips SET bot = 'other'"],
])("a trip whose row was %s holds, and is told", async (_what, sql) => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = makeDirectory(path);
    trip(store);
    fromOutside(path, sql);
    expect(tripped(store)).toBe(ID);
    expect(listRowFaults(store).map(({ kind }) => kind)).toEqual(["trip"]);
    const later = restarted(store, path);
    expect(tripped(later.store)).toBe(ID);
    expect(later.told.join()).toContain(ID);
    clearTrip(operatorOf(later.store), BOT);
    expect(tripped(later.store)).toBeNull();
    expect(listRowFaults(later.store)).toEqual([]);
    closeStore(later.store);
  });
});

test("a trip that nobody has sealed is obeyed: it only tightens", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = makeDirectory(path);
    const values = `'${ID}', '${ACCOUNT}', 'grid-1', 'loss', ${DAY}, '1', '1', 1, null`;
    fromOutside(path, `INSERT INTO bot_trips VALUES (${values})`);
    expect(tripped(store)).toBe(ID);
    const later = restarted(store, path);
    expect(tripped(later.store)).toBe(ID);
    closeStore(later.store);
  });
});
