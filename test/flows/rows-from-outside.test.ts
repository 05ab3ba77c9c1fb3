/**
 * Somebody can write the database and has not the passphrase. Each attack is made beside a running gateway, which is
 * then started again on what the attack has left: neither is taken in, and everybody who looks is told.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addAccount } from "../../src/ops/add-account.ts";
import { checkSeal } from "../../src/ops/believe-rows.ts";
import { blockKey } from "../../src/ops/block-key.ts";
import { compareWithAudit } from "../../src/ops/compare-with-audit.ts";
import { examineDatabase } from "../../src/ops/examine-database.ts";
import { newAgent } from "../../src/ops/new-agent.ts";
import { retireOwnAgent } from "../../src/ops/retire-agent.ts";
import { findAgent } from "../../src/store/agents.ts";
import { findAuditSeal } from "../../src/store/audit-seal.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { readSealedRows } from "../../src/store/sealed-rows.ts";
import { revocationTypedData } from "../../src/wire/grant-data.ts";
import { ACCOUNT, asTypedData, grantOf, type Machine, OWNER, openMachine, openWorld } from "../support/machine.ts";
import { syncInTurn } from "../support/sync-in-turn.ts";
import { ACCOUNT_CHANGED, ATTACKS, type Attack, account, type Facts, HASH, KEYS, key, OTHER } from "./row-attacks.ts";

const root = mkdtempSync(join(tmpdir(), "postern-rows-"));
let facts: Facts;
/** One exchange for all: nothing in here depends on what an attack before it has placed. */
const world = openWorld();

beforeAll(async () => {
  mkdirSync(join(root, "cancel"));
  mkdirSync(join(root, "whole"));
  const machine = await openMachine(world, join(root, "whole"));
  facts = await fill(machine);
  await machine.gateway.stop();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function fill(machine: Machine): Promise<Facts> {
  const { store, keyring } = machine;
  const operator = { store, clock: world.clock, randomBytes, network: "paper", exchangeUrl: "", keyring } as const;
  const [first, second] = [await machine.newAgent(), await machine.newAgent()];
  retireOwnAgent(operator, first.address);
  const waiting = newAgent(operator, OWNER.address).address;
  const { id: other } = addAccount(operator, { label: "other", kind: "main", address: OTHER.address, parentId: null });
  const before = { rows: readSealedRows(store), seal: findAuditSeal(store) };
  await register(machine, grantOf(OWNER, KEYS.reader, { scopes: ["trading:read"], issuedAtMs: now() }));
  await register(machine, grantOf(OWNER, KEYS.revoked, { issuedAtMs: now() }));
  await register(machine, grantOf(OWNER, KEYS.blocked, { issuedAtMs: now() }));
  await register(machine, grantOf(OTHER, KEYS.other, { accountId: other, issuedAtMs: now() }));
  const older = { rows: readSealedRows(store), seal: findAuditSeal(store) };
  expect(older.rows.length).toBeGreaterThan(before.rows.length);
  const audience = "paper+http://127.0.0.1:8787";
  const data = revocationTypedData({ audience, accountId: ACCOUNT.id, keyHash: HASH.revoked });
  const body = { account: ACCOUNT.id, key_hash: HASH.revoked, signature: OWNER.sign(asTypedData(data)) };
  expect((await machine.ask("POST /v1/api-keys/revoke", body)).status).toBe(200);
  blockKey(operator, HASH.blocked);
  return { other, retired: first.address, signing: second.address, waiting, before: older };
}

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

function now(): number {
  return world.clock.nowMs();
}

async function register(machine: Machine, grant: ReturnType<typeof grantOf>): Promise<void> {
  const { accountId: account, network, keyHash: key_hash, scopes, issuedAtMs: issued_at, signature } = grant;
  const consent = { account, network, key_hash, policy: { scopes }, issued_at, expires_at: null };
  expect((await machine.ask("POST /v1/api-keys", { consent, signature })).status).toBe(201);
}

function attackOn(path: string, { attack }: Attack): void {
  // The store's own functions, as somebody would use them who has our program and not the passphrase.
  const store = openStore(path, { syncOf: syncInTurn });
  store.$client.run("PRAGMA foreign_keys = OFF");
  attack(store.$client, store, facts);
  closeStore(store);
}

/** A write of which the exchange keeps no mark: copies of one directory must not find each other's orders there. */
async function asked(
  machine: Machine,
  who: keyof typeof KEYS,
  nth: string,
): Promise<{ status: number; code: unknown }> {
  const wanted = { market: "BTC", leverage: 5, margin_type: "cross" };
  const { status, body } = await machine.ask("POST /v1/leverage", wanted, `attack-${nth}-${who}`, KEYS[who]);
  return { status, code: (body["error"] as { code?: unknown } | null)?.code };
}

function seal(machine: Machine) {
  const found = findAuditSeal(machine.store);
  return found === null
    ? null
    : { seal: found, check: checkSeal(machine.store, { keyring: machine.keyring, seal: found }) };
}

async function expectRefused(machine: Machine, attack: Attack, nth: string): Promise<void> {
  const [who, code] = attack.refused;
  const sealed = seal(machine);
  expect(await asked(machine, who, nth)).toEqual({ status: code === "storage_unavailable" ? 503 : 401, code });
  expect(machine.log.filter(({ level }) => level === "error").map(({ fields }) => fields["reason"])).toContainEqual(
    expect.stringMatching(attack.told),
  );
  const asking = { clock: world.clock, seal: sealed?.seal ?? null, check: sealed?.check ?? null, isDemo: false };
  const faults = examineDatabase(machine.store, asking).filter(({ level }) => level === "fault");
  if (sealed !== null) expect(faults.map(({ found }) => found)).toContainEqual(expect.stringMatching(attack.told));
  else expect(faults.map(({ check }) => check)).toContain("audit");
  const ready = await machine.ask("GET /readyz");
  const said = JSON.stringify(ready.body);
  expect([ready.status === 200, said.includes("changed from outside")]).toEqual(
    // The other account has no agent, which is told as long as it has a key that is believed.
    attack.stopsWrites === true ? [false, true] : [!said.includes("account 2 of 2: no_agent"), false],
  );
  if (attack.stopsWrites !== true) expect(said).not.toContain("account 1 of 2");
  // Who is not meant by it trades on.
  if (attack.stopsWrites !== true && who !== "main") expect((await asked(machine, "main", nth)).status).toBe(200);
}

test("before any attack keys open what they were granted for, and nobody has anything to tell", async () => {
  const machine = await copyOf("untouched");
  expect((await asked(machine, "main", "none")).status).toBe(200);
  expect(await asked(machine, "reader", "none")).toEqual({ status: 403, code: "insufficient_scope" });
  expect(await asked(machine, "revoked", "none")).toEqual({ status: 401, code: "revoked_api_key" });
  expect(JSON.stringify((await machine.ask("GET /readyz")).body)).toMatch(/not taken: account 2 of 2: no_agent [^;]*"/);
  expect(seal(machine)?.check).toEqual({ isGenuine: true, rowFaults: [] });
  expect(compareWithAudit(machine.store)).toEqual([]);
  expect(machine.log.filter(({ level }) => level === "error")).toEqual([]);
  await machine.gateway.stop();
});

async function copyOf(name: string): Promise<Machine> {
  cpSync(join(root, "whole"), join(root, name), { recursive: true });
  return openMachine(world, join(root, name));
}

test.each(Object.entries(ATTACKS))("%s: refused and told at once, and after the next start", async (name, attack) => {
  const directory = name.replaceAll(/[^a-z]/g, "-");
  const machine = await copyOf(directory);
  expect((await asked(machine, "main", `${directory}-before`)).status).toBe(200);
  attackOn(machine.places.database, attack);
  await expectRefused(machine, attack, `${directory}-beside`);
  expect(compareWithAudit(machine.store).length > 0).toBe(attack.isOnlySealed !== true);
  await machine.gateway.stop();
  const again = openMachine(world, join(root, directory));
  if (attack.start !== undefined) {
    expect(again).rejects.toThrow(attack.start);
    return;
  }
  const next = await again;
  await expectRefused(next, attack, `${directory}-after`);
  expect(findAgent(next.store, facts.retired)?.state ?? "retired").toBe("retired");
  await next.gateway.stop();
});

test("under a changed account a cancel still works, by what was sealed, and nothing new is placed", async () => {
  const machine = await openMachine(openWorld(), join(root, "cancel"));
  await machine.newAgent();
  const wanted = { account: ACCOUNT.id, market: "BTC", side: "buy", size: "0.01", price: "50000" };
  const placed = await machine.ask("POST /v1/orders", wanted, "resting-order-1");
  attackOn(machine.places.database, { ...ACCOUNT_CHANGED, attack: account("trading_address = '0x1'"), told: /./ });
  expect((await machine.ask("POST /v1/orders", wanted, "resting-order-2")).status).toBe(503);
  const canceled = await machine.ask(`POST /v1/orders/${String(placed.body["id"])}/cancel`, {}, "the-cancel");
  expect([canceled.status, canceled.body["status"]]).toEqual([200, "canceled"]);
  const { body } = await machine.ask("GET /v1/status");
  expect(body["writes_stopped_because"]).toMatch(/row of account .* was changed/);
  await machine.gateway.stop();
});

test("a fresh grant of the owner takes the place of a key's row that was changed", async () => {
  const machine = await copyOf("healed");
  attackOn(machine.places.database, { ...ACCOUNT_CHANGED, attack: key("registered_at_ms = 7", "reader"), told: /./ });
  expect((await machine.ask("GET /v1/whoami", undefined, undefined, KEYS.reader)).status).toBe(503);
  await register(machine, grantOf(OWNER, KEYS.reader, { scopes: ["trading:read"], issuedAtMs: now() }));
  expect((await machine.ask("GET /v1/whoami", undefined, undefined, KEYS.reader)).status).toBe(200);
  expect(seal(machine)?.check.rowFaults).toEqual([]);
  await machine.gateway.stop();
});

test("a blocked key whose row was deleted is not granted again", async () => {
  const machine = await copyOf("gone");
  attackOn(machine.places.database, {
    ...ACCOUNT_CHANGED,
    attack: (database) => void database.run(`DELETE FROM api_keys WHERE key_hash = '${HASH.blocked}'`),
    told: /./,
  });
  const grant = grantOf(OWNER, KEYS.blocked, { issuedAtMs: now() });
  const { accountId, network, scopes, issuedAtMs, signature } = grant;
  const consent = { account: accountId, network, key_hash: grant.keyHash, policy: { scopes }, issued_at: issuedAtMs };
  const answer = await machine.ask("POST /v1/api-keys", { consent: { ...consent, expires_at: null }, signature });
  expect(answer.status).toBe(409);
  await machine.gateway.stop();
});
