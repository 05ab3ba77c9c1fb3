import { expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { addAccount } from "../../src/ops/add-account.ts";
import { placesIn } from "../../src/ops/data-directory.ts";
import { examineDatabase } from "../../src/ops/examine-database.ts";
import { initializeBare } from "../../src/ops/initialize.ts";
import { openKeyring, vaultKeyOf } from "../../src/ops/keyring.ts";
import { auditFaultSinceSeal, isGenuineSeal, putSeal, sealAudit } from "../../src/ops/seal-audit.ts";
import { type AuditEvidence, verifyAudit } from "../../src/ops/verify-audit.ts";
import {
  appendAudit,
  countAuditRowsEverWritten,
  FIRST_CHAIN,
  findAuditHead,
  linkAudit,
} from "../../src/store/audit.ts";
import { findAuditSeal, putAuditSeal } from "../../src/store/audit-seal.ts";
import { findInstance } from "../../src/store/instance.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { audit } from "../../src/store/schema-audit.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { SLEEPLESS } from "../support/sleeping-timer.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { NOW_MS, PASSPHRASE, type Rig, withOperator } from "./operator.ts";

const NO_EXCHANGE = { sends: [], infos: {} };
const ROWS = 24;

function write(store: Store, rows: number): void {
  for (let row = 1; row <= rows; row += 1) {
    const detail = { nonce: row, signer: "0xaa" };
    appendAudit(store, { atMs: row, actor: "operator", event: "sign_place", reference: `order-${row}`, detail });
  }
}

function verify({ operator }: Rig, change: Partial<AuditEvidence> = {}) {
  const seal = findAuditSeal(operator.store);
  const isGenuine = seal === null ? null : isGenuineSeal(operator.keyring, seal);
  return verifyAudit(operator.store, { seal, isGenuine, earlier: null, ...change });
}

/** What somebody who can write the database makes of the log: every row after `from` linked anew. */
function chainAnew(store: Store): void {
  let previous = FIRST_CHAIN;
  for (const row of store.select().from(audit).orderBy(audit.id).all()) {
    previous = linkAudit(previous, row);
    store.update(audit).set({ chain: previous }).where(eq(audit.id, row.id)).run();
  }
}

const COLUMNS = ["at_ms", "actor", "event", "reference", "detail", "chain"] as const;
const row = fc.integer({ min: 1, max: ROWS });
const mutation = fc.oneof(
  fc.record({ kind: fc.constant("edit" as const), row, column: fc.constantFrom(...COLUMNS) }),
  fc.record({ kind: fc.constant("delete" as const), row, count: fc.integer({ min: 1, max: ROWS }) }),
  fc.record({ kind: fc.constant("close_up" as const), row }),
  fc.record({ kind: fc.constant("swap" as const), row, other: row }).filter((swap) => swap.row !== swap.other),
  fc.record({ kind: fc.constant("repeat" as const), row }),
);

function mutate(store: Store, change: typeof mutation extends fc.Arbitrary<infer T> ? T : never): void {
  const { $client } = store;
  switch (change.kind) {
    case "edit":
      $client.run(`UPDATE audit SET ${change.column} = ${change.column} || '0' WHERE id = ${change.row}`);
      return;
    case "delete":
      $client.run(`DELETE FROM audit WHERE id >= ${change.row} AND id < ${change.row + change.count}`);
      return;
    case "close_up":
      $client.run(`DELETE FROM audit WHERE id = ${change.row}`);
      $client.run(`UPDATE audit SET id = -id WHERE id > ${change.row}`);
      $client.run("UPDATE audit SET id = -id - 1 WHERE id < 0");
      return;
    case "swap":
      $client.run(`UPDATE audit SET id = 1000 WHERE id = ${change.row}`);
      $client.run(`UPDATE audit SET id = ${change.row} WHERE id = ${change.other}`);
      $client.run(`UPDATE audit SET id = ${change.other} WHERE id = 1000`);
      return;
    case "repeat":
      $client.run(
        `INSERT INTO audit (at_ms, actor, event, reference, detail, chain) SELECT at_ms, actor, event, reference, detail, chain FROM audit WHERE id = ${change.row}`,
      );
  }
}

test("a thousand edits, deletions, cuts, swaps and repeats of rows are all found, the last row's included", () => {
  const store = openMemoryStore();
  write(store, ROWS);
  const seal = { rowId: 0, chain: FIRST_CHAIN, sealedAtMs: 0, rowsDigest: null, mac: "" };
  const evidence = { seal, isGenuine: null, earlier: null };
  expect(verifyAudit(store, evidence).fault).toBeNull();
  const copy = openMemoryStore();
  fc.assert(
    fc.property(mutation, (change) => {
      store.$client.run("SAVEPOINT whole");
      mutate(store, change);
      // verifyAudit opens its own snapshot, which cannot begin inside a savepoint: the copy of it without one.
      copyAudit(store, copy);
      store.$client.run("ROLLBACK TO whole");
      store.$client.run("RELEASE whole");
      const { fault } = verifyAudit(copy, evidence);
      expect(fault).not.toBeNull();
    }),
    { numRuns: 1_000 },
  );
});

function copyAudit(from: Store, to: Store): void {
  const rows = from.$client.query("SELECT id, at_ms, actor, event, reference, detail, chain FROM audit").values();
  to.$client.run("DELETE FROM audit");
  const insert = to.$client.prepare("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const values of rows) insert.run(...(values as string[]));
  insert.finalize();
  const everWritten = countAuditRowsEverWritten(from);
  // No mutation takes SQLite's count away: without it an emptied log would look like one that was never written.
  expect(everWritten).toBeGreaterThanOrEqual(ROWS);
  to.$client.run("DELETE FROM sqlite_sequence WHERE name = 'audit'");
  to.$client.run("INSERT INTO sqlite_sequence VALUES ('audit', ?)", [everWritten]);
}

test("a log that was written anew, chain, count and all, does not fit its seal", async () => {
  await withOperator(NO_EXCHANGE, async (rig) => {
    const { store } = rig.operator;
    write(store, ROWS);
    sealAudit(rig.operator);
    expect(verify(rig).fault).toBeNull();
    store.$client.run("UPDATE audit SET reference = 'order-other' WHERE id = 5");
    chainAnew(store);
    const atStart = { rowId: 0, chain: FIRST_CHAIN, sealedAtMs: 0, rowsDigest: null, mac: "" };
    expect(verify(rig, { seal: atStart, isGenuine: null }).fault).toBeNull();
    expect(verify(rig).fault).toContain("is not the one that was sealed");
    expect(auditFaultSinceSeal(rig.operator)).toContain("is not the one that was sealed");
  });
});

test("a log is sealed from its set-up on, and one whose seal was deleted stays without", async () => {
  await withOperator(NO_EXCHANGE, async (rig) => {
    const { store, clock } = rig.operator;
    expect([findAuditSeal(store)?.rowId, verify(rig).fault]).toEqual([findAuditHead(store).rowId, null]);
    expect(auditFaultSinceSeal(rig.operator)).toBeNull();
    write(store, ROWS);
    store.$client.run("DELETE FROM audit_seal");
    store.$client.run("UPDATE audit SET reference = 'order-other' WHERE id = 5");
    chainAnew(store);
    sealAudit(rig.operator);
    expect(findAuditSeal(store)).toBeNull();
    expect(verify(rig).fault).toContain("seal is missing");
    expect(auditFaultSinceSeal(rig.operator)).toContain("seal is missing");
    expect(examineDatabase(store, { clock, seal: null, check: null, isDemo: false })).toContainEqual(
      expect.objectContaining({ check: "audit", level: "fault", found: expect.stringContaining("seal is missing") }),
    );
  });
});

test("a directory that the owner's page is to set up is sealed as well, with nothing in its log", async () => {
  await inTemporaryDirectory(async (directory) => {
    const places = placesIn(join(directory, "data"));
    const clock = { nowMs: () => NOW_MS, elapsedMs: () => 0, ...SLEEPLESS };
    const common = { places, network: "testnet", exchangeUrl: "http://127.0.0.1:1", passphrase: PASSPHRASE } as const;
    const random = (count: number) => new Uint8Array(count).fill(7);
    await initializeBare({ ...common, vaultCost: "random", processId: 1, clock, randomBytes: random });
    const store = openStore(places.database);
    const instance = findInstance(store);
    if (instance === null) throw new Error("no instance");
    const vaultKey = await vaultKeyOf(instance, PASSPHRASE);
    const keyring = openKeyring({ store, network: "testnet", vaultKey, randomBytes: random });
    expect(findAuditHead(store).rowId).toBe(0);
    expect(auditFaultSinceSeal({ store, clock, keyring })).toBeNull();
    closeStore(store);
  });
});

test("a seal that was made without the passphrase is known for what it is, and is never replaced", async () => {
  await withOperator(NO_EXCHANGE, async (rig) => {
    const { store, randomBytes } = rig.operator;
    write(store, ROWS);
    const vaultKey = await vaultKeyOf(rig.instance, "another passphrase");
    store.$client.run("DELETE FROM audit WHERE id > 10");
    store.$client.run("UPDATE sqlite_sequence SET seq = 10 WHERE name = 'audit'");
    const forger = openKeyring({ store: openMemoryStore(), network: "testnet", vaultKey, randomBytes });
    putSeal(store, forger, NOW_MS);
    const forged = findAuditSeal(store);
    expect(verify(rig, { isGenuine: null }).fault).toBeNull();
    expect(verify(rig).fault).toContain("not made with this directory's passphrase");
    write(store, 1);
    sealAudit(rig.operator);
    expect(findAuditSeal(store)).toEqual(forged);
    expect(auditFaultSinceSeal(rig.operator)).toContain("passphrase");
  });
});

test("a seal of another network or another row does not pass", async () => {
  await withOperator(NO_EXCHANGE, async ({ operator }) => {
    sealAudit(operator);
    const seal = findAuditSeal(operator.store);
    if (seal === null) throw new Error("no seal");
    const { keyring } = operator;
    expect(isGenuineSeal(keyring, seal)).toBeTrue();
    expect(isGenuineSeal({ ...keyring, network: "mainnet" }, seal)).toBeFalse();
    expect(isGenuineSeal(keyring, { ...seal, rowId: seal.rowId + 1 })).toBeFalse();
    expect(isGenuineSeal(keyring, { ...seal, sealedAtMs: seal.sealedAtMs + 1 })).toBeFalse();
    expect(isGenuineSeal(keyring, { ...seal, mac: "" })).toBeFalse();
  });
});

test("an older log in this one's place fits its own seal, and is told by a head that was kept elsewhere", async () => {
  await withOperator(NO_EXCHANGE, async (rig) => {
    const { store } = rig.operator;
    sealAudit(rig.operator);
    const [older, olderSeal] = [findAuditHead(store), findAuditSeal(store)];
    addAccount(rig.operator, { label: "b", kind: "main", address: `0x${"ab".repeat(20)}`, parentId: null });
    sealAudit(rig.operator);
    const kept = findAuditHead(store);
    const shortened = { ...kept, chain: kept.chain.slice(0, 40) };
    expect(verify(rig, { earlier: older }).fault).toBeNull();
    expect(verify(rig, { earlier: shortened }).fault).toBeNull();
    if (olderSeal === null) throw new Error("no seal");
    store.$client.run(`DELETE FROM audit WHERE id > ${older.rowId}`);
    store.$client.run(`UPDATE sqlite_sequence SET seq = ${older.rowId} WHERE name = 'audit'`);
    putAuditSeal(store, olderSeal);
    expect(verify(rig).fault).toBeNull();
    expect(verify(rig, { earlier: shortened }).fault).toContain("printed earlier");
  });
});

test("a log that goes on is sealed further; rows written since are checked by the chain", async () => {
  await withOperator(NO_EXCHANGE, async ({ operator }) => {
    sealAudit(operator);
    write(operator.store, 5);
    expect(auditFaultSinceSeal(operator)).toBeNull();
    const head = sealAudit(operator);
    expect(findAuditSeal(operator.store)).toMatchObject(head);
    write(operator.store, 5);
    operator.store.$client.run(`UPDATE audit SET actor = 'x' WHERE id = ${head.rowId + 2}`);
    expect(auditFaultSinceSeal(operator)).toContain(`row ${head.rowId + 2}`);
  });
});
