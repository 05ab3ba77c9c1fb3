import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Account, Agent } from "../../src/core/account.ts";
import { backUp } from "../../src/ops/back-up.ts";
import { type Places, placesIn } from "../../src/ops/data-directory.ts";
import { type Keyring, openKeyring } from "../../src/ops/keyring.ts";
import { newAgent } from "../../src/ops/new-agent.ts";
import type { Operator } from "../../src/ops/operator.ts";
import { restore } from "../../src/ops/restore.ts";
import { insertAccount, listAccounts } from "../../src/store/accounts.ts";
import { findSigningAgent, listAgents, markAgentApproved } from "../../src/store/agents.ts";
import { findApiKey, insertApiKey, revokeApiKey, setKeyState } from "../../src/store/api-keys.ts";
import { findBrokenAuditRow } from "../../src/store/audit.ts";
import { insertInstance } from "../../src/store/instance.ts";
import { takeLock } from "../../src/store/lock.ts";
import { MIGRATIONS } from "../../src/store/migrations.ts";
import { takeNonce } from "../../src/store/nonces.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { awaitsTakeUp, countRestores, findTakeUp } from "../../src/store/restores.ts";
import { emptyLog, findDamage } from "../../src/store/snapshot.ts";
import { dropDigests, findChangedTables } from "../../src/store/snapshot-digests.ts";
import { openKey } from "../../src/vault/seal-key.ts";
import { addressOfKey } from "../../src/vault/signers.ts";
import { orderRow } from "../support/rows.ts";
import { SLEEPLESS } from "../support/sleeping-timer.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { NOW_MS } from "./operator.ts";

/** Hashes of three API keys: active, blocked by the operator, revoked by the owner. */
const KEYS = ["aa", "bb", "cc"].map((digits) => digits.repeat(32)) as [string, string, string];

const OWNER = `0x${"1".repeat(40)}`;
const ACCOUNT: Account = {
  id: "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90",
  label: "main",
  kind: "main",
  parentId: null,
  ownerAddress: OWNER,
  tradingAddress: OWNER,
  createdAtMs: NOW_MS,
};

type Backup = {
  operator: Operator & { keyring: Keyring };
  agent: Agent;
  places: Places;
  file: string;
  at(name: string): Places;
  /** Moves the clock. */
  pass(ms: number): void;
};

async function withBackup(work: (made: Backup) => void): Promise<void> {
  await inTemporaryDirectory((path) => {
    let nowMs = NOW_MS;
    const clock = { nowMs: () => nowMs, elapsedMs: () => nowMs, ...SLEEPLESS };
    const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
    const at = (name: string) => placesIn(join(path, name));
    mkdirSync(join(path, "original"));
    const places = at("original");
    const store = openStore(places.database);
    const network = "testnet" as const;
    const made = { network, exchangeUrl: "http://127.0.0.1:1", tag: 1, vault: "{}", createdAtMs: NOW_MS };
    insertInstance(store, { ...made, secret: new Uint8Array(32) });
    insertAccount(store, ACCOUNT);
    const keyring = openKeyring({ store, network, vaultKey: { bytes: new Uint8Array(32) }, randomBytes });
    const operator = { store, clock, randomBytes, network, keyring };
    const agent = newAgent(operator, OWNER);
    markAgentApproved(store, agent.address, { approvedAtMs: NOW_MS, validUntilMs: null });
    const times = { issuedAtMs: NOW_MS, registeredAtMs: NOW_MS };
    for (const keyHash of KEYS)
      insertApiKey(store, { keyHash, accountId: ACCOUNT.id, scopes: ["trading:read"], ...times });
    setKeyState(store, KEYS[1], "blocked", NOW_MS);
    revokeApiKey(store, { accountId: ACCOUNT.id, keyHash: KEYS[2], revokedAtMs: NOW_MS });
    takeNonce(store, agent.address, NOW_MS);
    insertOrder(store, orderRow());
    const file = join(path, "backup.db");
    const held = backUp(places.database, file);
    expect(held).toMatchObject({ network: "testnet", accounts: 1, agents: 1, apiKeys: 3, orders: 1 });
    const pass = (ms: number) => {
      nowMs += ms;
    };
    work({ operator, agent, places, file, at, pass });
    closeStore(store);
  });
}

function putBack({ file, operator }: Backup, places: Places, some: Partial<Parameters<typeof restore>[0]> = {}) {
  return restore({
    places,
    file,
    network: null,
    isUnofficialAllowed: true,
    isChangedAllowed: false,
    processId: 1,
    clock: operator.clock,
    ...some,
  });
}

test("a backup is for its owner alone, whole, never over another file, and leaves nothing else behind", async () => {
  await withBackup(({ file, places, at }) => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(file);
    expect(() => backUp(places.database, file)).toThrow("never overwrites");
    expect(readFileSync(file)).toEqual(bytes);
    expect(readdirSync(join(at("x").directory, "..")).sort()).toEqual(["backup.db", "original"]);
    expect(() => backUp(places.database, join(at("nowhere").directory, "backup.db"))).toThrow("cannot be made");
  });
});

test("a snapshot that is damaged is no backup", async () => {
  await withBackup((made) => {
    const broken = made.at("broken.db").directory;
    const bytes = readFileSync(made.file);
    // A page in the middle: the tree that it belongs to no longer holds together.
    bytes.fill(0xff, 4_096 * 3, 4_096 * 4);
    writeFileSync(broken, bytes);
    expect(() => backUp(broken, made.at("out.db").directory)).toThrow("The database is damaged");
    expect(existsSync(made.at("out.db").directory)).toBe(false);
    expect(() => putBack({ ...made, file: broken }, made.at("data"))).toThrow("cannot be restored");
  });
});

test("a snapshot of which a byte in a row has changed is not restored, unless that is meant; the table is named", async () => {
  await withBackup((made) => {
    const changed = made.at("changed.db").directory;
    const copy = (find: string, put: string) => {
      copyFileSync(made.file, changed);
      patch(changed, find, put);
    };
    copy(ACCOUNT.label, "mein");
    expect(findDamage(changed)).toBeNull();
    const words = "is not as it was written: what is in accounts, events has changed since";
    expect(() => putBack({ ...made, file: changed }, made.at("data"))).toThrow(words);
    expect(existsSync(made.at("data").directory)).toBe(false);
    const taken = putBack({ ...made, file: changed }, made.at("data"), { isChangedAllowed: true });
    expect(taken.changedTables).toEqual(["accounts", "events"]);
    expect(putBack(made, made.at("whole")).changedTables).toEqual([]);
    // What is restored carries none, and a backup of it its own.
    expect(findChangedTables(made.at("whole").database)).toBeNull();
    backUp(made.at("whole").database, made.at("again.db").directory);
    expect(findChangedTables(made.at("again.db").directory)).toEqual([]);
  });
});

function withoutDigests(path: string): void {
  const client = new Database(path);
  dropDigests(client);
  client.close();
}

test("a snapshot that carries no digests is restored, and told to be one", async () => {
  await withBackup((made) => {
    withoutDigests(made.file);
    expect(putBack(made, made.at("data")).changedTables).toBeNull();
  });
});

/** Puts one text of a file in another's place, as a failing disk might; both are of one length. */
function patch(path: string, find: string, put: string): void {
  const parts = readFileSync(path, "latin1").split(find);
  expect(parts.length).toBeGreaterThan(1);
  writeFileSync(path, parts.join(put), "latin1");
}

test("a snapshot whose rows break the schema's own rules is no backup, though SQLite copies it", async () => {
  await withBackup(({ file, at }) => {
    const broken = at("broken.db").directory;
    copyFileSync(file, broken);
    const whole = new Database(broken);
    const { sql } = whole.query<{ sql: string }, []>("SELECT sql FROM sqlite_master WHERE name = 'accounts'").get() ?? {
      sql: "",
    };
    whole.close();
    const loose = sql.replace("`label` text NOT NULL", "`label` text         ");
    expect(loose).not.toBe(sql);
    patch(broken, sql, loose);
    const client = new Database(broken);
    client.run("UPDATE accounts SET label = NULL");
    client.close();
    patch(broken, loose, sql);
    const out = at("out.db").directory;
    expect(() => backUp(broken, out)).toThrow("NULL value in accounts.label");
    expect(existsSync(out)).toBe(false);
  });
});

test("agent keys in a backup are not in the clear", async () => {
  await withBackup(({ file, operator, agent }) => {
    const { sealedKey } = listAgents(operator.store).find(({ address }) => address === agent.address) ?? {};
    expect(readFileSync(file).includes(Buffer.from(sealedKey ?? [0]))).toBe(true);
    const sealed = JSON.parse(new TextDecoder().decode(sealedKey));
    expect(Object.keys(sealed).sort()).toEqual(["ciphertext", "nonce", "tag", "version"]);
    const purpose = { network: operator.network, ownerAddress: OWNER, address: agent.address };
    const privateKey = Buffer.from(openKey({ bytes: new Uint8Array(32) }, purpose, sealed) ?? []);
    expect(addressOfKey(privateKey)).toBe(agent.address);
    for (const spelling of [privateKey, ...(["hex", "base64"] as const).map((coding) => privateKey.toString(coding))]) {
      expect(readFileSync(file).includes(spelling)).toBe(false);
    }
  });
});

test("a restored directory holds every key, retires every agent, and waits for every account", async () => {
  await withBackup((made) => {
    const data = made.at("data");
    const restored = putBack(made, data);
    expect(restored).toMatchObject({ keysHeld: 1 + 1, agentsRetired: 1, orders: 1 });
    expect(statSync(data.directory).mode & 0o777).toBe(0o700);
    expect(statSync(data.database).mode & 0o777).toBe(0o600);
    expect(readdirSync(data.directory).sort()).toEqual(["lock.db", "lock.pid", "postern.db"]);
    const store = openStore(data.database);
    const states = KEYS.map((keyHash) => findApiKey(store, keyHash)?.state);
    expect(states).toEqual(["held", "blocked", "revoked"]);
    expect(findSigningAgent(store, OWNER, NOW_MS)).toBeNull();
    expect(countRestores(store)).toBe(1);
    for (const { id } of listAccounts(store)) {
      expect(awaitsTakeUp(store, id)).toBe(true);
      expect(findTakeUp(store, id)).toMatchObject({ snapshotAtMs: NOW_MS, restoredAtMs: NOW_MS, takenUpAtMs: null });
    }
    expect(findBrokenAuditRow(store)).toBeNull();
    closeStore(store);
  });
});

test("nonces of a restored signer never go back", async () => {
  await withBackup((made) => {
    made.pass(86_400_000);
    const data = made.at("data");
    putBack(made, data);
    const store = openStore(data.database);
    expect(takeNonce(store, made.agent.address, NOW_MS + 86_400_000)).toBe(NOW_MS + 86_400_001);
    closeStore(store);
  });
});

test("the agent after a restore takes the name that the lost machine signs under", async () => {
  await withBackup((made) => {
    const { operator } = made;
    const rotated = newAgent(operator, OWNER);
    expect(rotated.name).toBe("postern-2q6yn-2");
    markAgentApproved(operator.store, rotated.address, { approvedAtMs: NOW_MS + 1, validUntilMs: null });
    const file = made.at("rotated.db").directory;
    backUp(made.places.database, file);
    const data = made.at("data");
    putBack({ ...made, file }, data);
    const store = openStore(data.database);
    expect(newAgent({ ...operator, store }, OWNER).name).toBe("postern-2q6yn-2");
    closeStore(store);
  });
});

test("after a restore the passphrase is still the one of the directory", async () => {
  await withBackup((made) => {
    const data = made.at("data");
    putBack(made, data);
    const store = openStore(data.database);
    const { randomBytes } = made.operator;
    const open = (byte: number) =>
      openKeyring({ store, network: "testnet", vaultKey: { bytes: new Uint8Array(32).fill(byte) }, randomBytes });
    expect(() => open(1)).toThrow("passphrase");
    expect(open(0).signers.addresses()).toEqual([]);
    closeStore(store);
  });
});

test("a second restore still looks for what the first one never read", async () => {
  await withBackup((made) => {
    const first = made.at("first");
    made.pass(1_000);
    putBack(made, first);
    made.pass(3_600_000);
    const file = made.at("second.db").directory;
    backUp(first.database, file);
    const second = made.at("second");
    putBack({ ...made, file }, second);
    const store = openStore(second.database);
    expect(countRestores(store)).toBe(2);
    expect(findTakeUp(store, ACCOUNT.id)).toMatchObject({
      snapshotAtMs: NOW_MS,
      restoredAtMs: NOW_MS + 3_601_000,
    });
    closeStore(store);
  });
});

test("only an empty directory that nobody holds is restored into", async () => {
  await withBackup((made) => {
    const full = made.at("full");
    mkdirSync(full.directory);
    writeFileSync(join(full.directory, "notes.txt"), "mine");
    expect(() => putBack(made, full)).toThrow("is not empty");
    const held = made.at("held");
    mkdirSync(held.directory);
    const lock = takeLock(held.directory, 77);
    expect(() => putBack(made, held)).toThrow("is in use by process 77");
    lock.release();
    putBack(made, held);
    expect(() => putBack(made, held)).toThrow("is not empty");
  });
});

test("what an interrupted restore left is no obstacle to the next", async () => {
  await withBackup((made) => {
    const data = made.at("data");
    mkdirSync(data.directory);
    writeFileSync(`${data.database}.restoring`, "half");
    writeFileSync(`${data.database}.restoring-wal`, "half");
    expect(putBack(made, data)).toMatchObject({ orders: 1 });
    expect(readdirSync(data.directory).sort()).toEqual(["lock.db", "lock.pid", "postern.db"]);
  });
});

test("what is no snapshot of this network and schema is refused and leaves the directory as it was", async () => {
  await withBackup((made) => {
    const text = made.at("text.db").directory;
    writeFileSync(text, "not a database at all, but long enough to have a head");
    const stranger = made.at("stranger.db").directory;
    const client = new Database(stranger);
    client.run("CREATE TABLE t (a)");
    client.close();
    const newer = made.at("newer.db").directory;
    copyFileSync(made.file, newer);
    const changed = new Database(newer);
    changed.run(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    changed.close();
    const empty = made.at("empty.db").directory;
    const unset = openStore(empty);
    emptyLog(unset);
    closeStore(unset);
    const used = made.at("used.db").directory;
    copyFileSync(made.file, used);
    writeFileSync(`${used}-wal`, "something");
    const cases: [string, string][] = [
      [text, "is not a database"],
      [stranger, "not a database of Postern"],
      [newer, "use the newer binary"],
      [empty, "was never set up"],
      [used, "a database in use"],
      [made.at("missing.db").directory, "there is no file"],
    ];
    for (const [file, message] of cases) {
      const data = made.at("data");
      expect(() => putBack({ ...made, file }, data)).toThrow(message);
      expect(existsSync(data.directory)).toBe(false);
    }
    const data = made.at("data");
    expect(() => putBack(made, data, { network: "mainnet" })).toThrow("is of testnet, not of mainnet");
    expect(existsSync(data.directory)).toBe(false);
    mkdirSync(data.directory);
    expect(() => putBack(made, data, { network: "mainnet" })).toThrow("is of testnet, not of mainnet");
    expect(existsSync(data.directory)).toBe(true);
    expect(putBack(made, made.at("data"), { network: "testnet" })).toMatchObject({ orders: 1 });
  });
});

test("a demo's snapshot carries its network with it", async () => {
  await inTemporaryDirectory((path) => {
    const database = join(path, "postern.db");
    const store = openStore(database);
    const made = {
      network: "paper",
      exchangeUrl: "http://127.0.0.1:9797",
      tag: 1,
      vault: "{}",
      createdAtMs: 1,
    } as const;
    insertInstance(store, { ...made, secret: new Uint8Array(32) });
    expect(backUp(database, join(path, "out.db"))).toMatchObject({ network: "paper", accounts: 0, orders: 0 });
    closeStore(store);
  });
});
