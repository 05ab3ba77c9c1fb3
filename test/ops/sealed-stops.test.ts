/** Who can write the database, and lacks the passphrase, cannot end a stop. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { resumeTrading, stopByOperator } from "../../src/ops/stop-trading.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { listRowFaults } from "../../src/store/row-faults.ts";
import { findStopOf } from "../../src/store/stops.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { ACCOUNT, fromOutside, makeDirectory, operatorOf, restarted } from "./sealed-directory.ts";

const WANTED = { accountId: ACCOUNT, keyHash: null, keepsProtection: true };

const EDITS: [string, string][] = [
  ["deleted", "DELETE FROM stops"],
  ["marked as ended", "UPDATE stops SET resumed_at_ms = 1"],
  ["made one of a bot", "UPDATE stops SET scope = 'bot', key_hash = 'aa'"],
  ["made one that refuses nothing", "UPDATE stops SET cause = 'heartbeat_missed', stopped_at_ms = 1"],
];

test.each(EDITS)("a stop whose row was %s stays in force, and is told", async (_what, sql) => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = makeDirectory(path);
    const { id } = stopByOperator(operatorOf(store), WANTED);
    fromOutside(path, sql);
    expect(findStopOf(store, ACCOUNT, "bb")?.id).toBe(id);
    expect(listRowFaults(store).map(({ kind }) => kind)).toEqual(["stop"]);
    const later = restarted(store, path);
    expect(findStopOf(later.store, ACCOUNT, "bb")?.id).toBe(id);
    expect(later.told.join()).toContain(id);
    expect(resumeTrading(operatorOf(later.store), { accountId: ACCOUNT, stopId: null }).resumed).toEqual([id]);
    expect(findStopOf(later.store, ACCOUNT, "bb")).toBeNull();
    closeStore(later.store);
  });
});

test("a stop that was made without the passphrase is sealed by the next start", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    closeStore(makeDirectory(path));
    const beside = openStore(path);
    const { id } = stopByOperator(operatorOf(beside), WANTED);
    const first = restarted(beside, path);
    fromOutside(path, "DELETE FROM stops");
    const second = restarted(first.store, path);
    expect(findStopOf(second.store, ACCOUNT, "bb")?.id).toBe(id);
    closeStore(second.store);
  });
});
