/**
 * A directory as it was written before rows were sealed and signatures kept: made by the program of then, with an active, a
 * revoked and a blocked key. It goes on, once, and nobody has a row of their own taken in with it.
 */
import { Database } from "bun:sqlite";
import { beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { registerKey } from "../../src/actions/register-key.ts";
import type { Deps } from "../../src/deps.ts";
import { believeRows } from "../../src/ops/believe-rows.ts";
import { examineRows } from "../../src/ops/examine-rows.ts";
import { openKeyring, vaultKeyOf } from "../../src/ops/keyring.ts";
import { listAccounts } from "../../src/store/accounts.ts";
import { findSigningAgent, listAgents } from "../../src/store/agents.ts";
import { findApiKey } from "../../src/store/api-keys.ts";
import { appendAudit, findAuditHead, findBrokenAuditRow, listAuditOf } from "../../src/store/audit.ts";
import { findAuditSeal } from "../../src/store/audit-seal.ts";
import { findInstance } from "../../src/store/instance.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { grantTypedData } from "../../src/wire/grant-data.ts";
import { walletOf } from "../cli/wallet.ts";
import { asTypedData } from "../support/machine.ts";
import { SLEEPLESS } from "../support/sleeping-timer.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { PASSPHRASE } from "./operator.ts";

const BYTES = gunzipSync(readFileSync(join(import.meta.dir, "fixtures/unsigned-keys.db.gz")));
const OWNER = walletOf(new Uint8Array(32).fill(0x51));
const NOW_MS = 1_795_400_000_000;
const [ACTIVE, REVOKED, BLOCKED, PLANTED] = ["a", "b", "c", "f"].map((digit) =>
  keyHash(`api_trade_${digit.repeat(64)}`),
) as [string, string, string, string];
const ALL = { after: 0, upTo: Number.MAX_SAFE_INTEGER };

/** Stretched once: it is the slow part. */
let vaultKey: Uint8Array;

beforeAll(async () => {
  await inTemporaryDirectory(async (directory) => {
    const store = openStore(unpack(directory), { keepsSnapshots: false });
    const instance = findInstance(store);
    if (instance === null) throw new Error("the fixture was never set up");
    vaultKey = (await vaultKeyOf(instance, PASSPHRASE)).bytes;
    closeStore(store);
  });
});

function unpack(directory: string): string {
  const path = join(directory, "postern.db");
  writeFileSync(path, BYTES);
  return path;
}

/** What a start does with it; `told` is what it says. */
function start(path: string): { store: Store; told: string[] } {
  const store = openStore(path, { keepsSnapshots: false });
  const randomBytes = (count: number) => new Uint8Array(count);
  const keyring = openKeyring({ store, network: "paper", vaultKey: { bytes: vaultKey.slice() }, randomBytes });
  const told: string[] = [];
  const clock = { nowMs: () => NOW_MS };
  try {
    believeRows({ store, keyring, clock, tell: ({ what }) => void told.push(what) });
  } catch (error) {
    closeStore(store);
    throw error;
  }
  return { store, told };
}

function change(path: string, sql: string): void {
  const database = new Database(path);
  database.run(sql);
  database.close();
}

const PLANT = `INSERT INTO api_keys (key_hash, account_id, scopes, issued_at_ms, registered_at_ms, state) SELECT '${PLANTED}', account_id, scopes, issued_at_ms, registered_at_ms, 'active' FROM api_keys WHERE key_hash = '${ACTIVE}'`;

/** As somebody would who has our program and not the passphrase. */
function forgeAudit(path: string): void {
  const store = openStore(path, { keepsSnapshots: false });
  const [real] = listAuditOf(store, ["key_registered"], ALL);
  if (real === undefined) throw new Error("the fixture registered no key");
  const detail = JSON.parse(real.detail) as Record<string, string>;
  appendAudit(store, { atMs: NOW_MS, actor: "owner", event: "key_registered", reference: PLANTED, detail });
  closeStore(store);
}

test("its keys, accounts and agents go on, are sealed once, and the doctor names the keys until they are granted again", async () => {
  await inTemporaryDirectory((directory) => {
    const path = unpack(directory);
    const { store, told } = start(path);
    expect(told).toEqual([]);
    expect([ACTIVE, REVOKED, BLOCKED].map((hash) => findApiKey(store, hash)?.state)).toEqual([
      "active",
      "revoked",
      "blocked",
    ] as never);
    expect(listAccounts(store).map(({ label }) => label)).toEqual(["main", "second"]);
    expect(findSigningAgent(store, OWNER.address, 0)?.name).toBe("postern-1");
    expect(listAgents(store)).toHaveLength(1);
    expect(findAuditSeal(store)).toMatchObject({ rowId: findAuditHead(store).rowId, rowsDigest: expect.any(String) });
    closeStore(store);
    const again = start(path);
    expect(again.told).toEqual([]);
    expect(listAuditOf(again.store, ["rows_sealed"], ALL)).toHaveLength(1);
    expect(findBrokenAuditRow(again.store)).toBeNull();
    const named = examineRows(again.store, []).find(({ check }) => check === "grants");
    expect([named?.level, named?.found.includes(ACTIVE.slice(0, 16))]).toEqual(["warning", true]);
    expect(named?.found).not.toContain(REVOKED.slice(0, 16));
    grantAgain(again.store);
    expect(findApiKey(again.store, ACTIVE)).toMatchObject({ fault: null, state: "active", grant: expect.any(Object) });
    expect(examineRows(again.store, []).map(({ check, level }) => `${check} ${level}`)).toEqual(["rows ok"]);
    closeStore(again.store);
  });
});

function grantAgain(store: Store): void {
  const accountId = findApiKey(store, ACTIVE)?.accountId ?? "";
  const scopes = ["trading:read", "trading:write"] as const;
  const [audience, network] = ["paper+http://127.0.0.1:8787", "exchange_mainnet"] as const;
  const grant = { audience, accountId, network, keyHash: ACTIVE, scopes, issuedAtMs: NOW_MS, expiresAtMs: null };
  const signature = OWNER.sign(asTypedData(grantTypedData(grant)));
  const clock = { nowMs: () => NOW_MS, elapsedMs: () => 0, ...SLEEPLESS };
  // All that a registration needs of a gateway.
  const deps = { store, clock, settings: { audience } } as unknown as Deps;
  registerKey(deps, { ...grant, signature });
}

test("a key that was planted before the upgrade, with an audit row that fits, is not taken in", async () => {
  await inTemporaryDirectory((directory) => {
    const path = unpack(directory);
    change(path, PLANT);
    forgeAudit(path);
    const { store, told } = start(path);
    expect(findApiKey(store, PLANTED)).toBeNull();
    expect(told).toEqual([expect.stringContaining("never registered")]);
    expect(findApiKey(store, ACTIVE)?.state).toBe("active");
    closeStore(store);
  });
});

test.each([
  ["an unblocked key", `UPDATE api_keys SET state = 'active' WHERE key_hash = '${BLOCKED}'`, BLOCKED, "blocked"],
  ["a revocation that was deleted", "DELETE FROM revocations", REVOKED, "revoked"],
])("%s is known from the audit log at the upgrade", async (_name, sql, hash, state) => {
  await inTemporaryDirectory((directory) => {
    const path = unpack(directory);
    change(path, sql);
    const { store, told } = start(path);
    expect(findApiKey(store, hash)?.state as string).toBe(state);
    expect(told).toHaveLength(1);
    closeStore(store);
  });
});

test.each([
  ["scopes", `UPDATE api_keys SET scopes = 'trading:read' WHERE key_hash = '${ACTIVE}'`],
  [
    "account",
    `UPDATE api_keys SET account_id = (SELECT id FROM accounts WHERE label = 'second') WHERE key_hash = '${ACTIVE}'`,
  ],
])("a key whose %s is not what the audit log says is not taken in", async (_name, sql) => {
  await inTemporaryDirectory((directory) => {
    const path = unpack(directory);
    change(path, sql);
    const { store } = start(path);
    expect(findApiKey(store, ACTIVE)).toBeNull();
    closeStore(store);
  });
});

test("an account or an agent that the audit log tells otherwise is not taken in", async () => {
  await inTemporaryDirectory((directory) => {
    const path = unpack(directory);
    change(path, `UPDATE accounts SET owner_address = '0x${"e".repeat(40)}' WHERE label = 'second'`);
    change(path, "UPDATE agents SET name = 'postern-3'");
    const { store } = start(path);
    expect(listAccounts(store).map(({ label }) => label)).toEqual(["main"]);
    expect(listAgents(store)).toEqual([]);
    closeStore(store);
  });
});

test("an audit log that does not hold speaks for nothing: the start says so", async () => {
  await inTemporaryDirectory((directory) => {
    const path = unpack(directory);
    change(path, "UPDATE audit SET detail = '{}' WHERE id = 1");
    expect(() => start(path)).toThrow("its audit log does not hold");
  });
});

test("after it, a row of before is not taken in, and neither is the old seal", async () => {
  await inTemporaryDirectory((directory) => {
    const path = unpack(directory);
    closeStore(start(path).store);
    change(path, PLANT);
    const planted = start(path);
    expect(findApiKey(planted.store, PLANTED)).toBeNull();
    closeStore(planted.store);
    writeFileSync(join(directory, "old.db"), BYTES);
    const database = new Database(path);
    database.run(`ATTACH '${join(directory, "old.db")}' AS old`);
    database.run("DELETE FROM audit_seal");
    database.run(
      "INSERT INTO audit_seal (id, row_id, chain, sealed_at_ms, mac) SELECT id, row_id, chain, sealed_at_ms, mac FROM old.audit_seal",
    );
    database.run("DELETE FROM sealed_rows");
    database.close();
    expect(() => start(path)).toThrow("and they have been");
  });
});
