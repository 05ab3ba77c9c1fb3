/** Who can write the database, and lacks the passphrase, cannot end a stop. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { storeAccount } from "../../src/ops/add-account.ts";
import { believeNothingYet, believeRows } from "../../src/ops/believe-rows.ts";
import { openKeyring } from "../../src/ops/keyring.ts";
import { resumeTrading, stopByOperator } from "../../src/ops/stop-trading.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertInstance } from "../../src/store/instance.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { listRowFaults } from "../../src/store/row-faults.ts";
import { findStopOf } from "../../src/store/stops.ts";
import { SLEEPLESS } from "../support/sleeping-timer.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { NOW_MS } from "./operator.ts";

const ACCOUNT = "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90";
const WANTED = { accountId: ACCOUNT, keyHash: null, keepsProtection: true };

function operatorOf(store: Store) {
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const vaultKey = { bytes: new Uint8Array(32).fill(5) };
  const keyring = openKeyring({ store, network: "testnet", vaultKey, randomBytes });
  const clock = { nowMs: () => NOW_MS, elapsedMs: () => NOW_MS, ...SLEEPLESS };
  return { store, clock, randomBytes, network: "testnet" as const, keyring };
}

function makeDirectory(path: string): Store {
  const store = openStore(path);
  const operator = operatorOf(store);
  believeNothingYet({ ...operator, tell: () => undefined });
  inTransaction(store, () => {
    const plain = { network: "testnet", exchangeUrl: "", tag: 1, vault: "{}", createdAtMs: NOW_MS } as const;
    insertInstance(store, { ...plain, secret: new Uint8Array(32) });
    const address = `0x${"1".repeat(40)}`;
    const account = { id: ACCOUNT, label: "main", kind: "main", parentId: null, createdAtMs: NOW_MS } as const;
    storeAccount(store, { ...account, ownerAddress: address, tradingAddress: address });
  });
  return store;
}

/** By another process, with all that a file's owner can do. */
function fromOutside(path: string, sql: string): void {
  const other = openStore(path);
  other.$client.run(sql);
  closeStore(other);
}

function restarted(store: Store, path: string): { store: Store; told: string[] } {
  closeStore(store);
  const next = openStore(path);
  const told: string[] = [];
  believeRows({ ...operatorOf(next), tell: ({ what }) => void told.push(what) });
  return { store: next, told };
}

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
