/** Databases as earlier releases wrote them, opened by this one. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { openKeyring, vaultKeyOf } from "../../src/ops/keyring.ts";
import { listOpenAttempts } from "../../src/store/attempts.ts";
import { findInstance } from "../../src/store/instance.ts";
import { MIGRATIONS, migrate } from "../../src/store/migrations.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { PASSPHRASE } from "../support/machine.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { keptOf } from "./fixtures/kept.ts";

const FOLDER = join(import.meta.dir, "fixtures");
const SCHEMAS = readdirSync(FOLDER).flatMap((name) => {
  const match = /^schema-([0-9]+)\.db\.gz$/.exec(name);
  return match === null ? [] : [Number(match[1])];
});

function unpack(schema: number, directory: string): string {
  const path = join(directory, "postern.db");
  writeFileSync(path, gunzipSync(readFileSync(join(FOLDER, `schema-${schema}.db.gz`))));
  return path;
}

/** The fixture's JSON is what `keptOf` gave when it was made; new members may come, old ones stay. */
function keptThen(schema: number): ReturnType<typeof keptOf> {
  return JSON.parse(readFileSync(join(FOLDER, `schema-${schema}.json`), "utf8"));
}

function tablesOf(client: Database): unknown[] {
  return client.prepare("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name").values();
}

test("the first released schema is among the fixtures", () => {
  expect(SCHEMAS).toContain(1);
});

test.each(SCHEMAS)("a database of schema %d keeps everything when it is brought up to date", async (schema) => {
  await inTemporaryDirectory(async (directory) => {
    const store = openStore(unpack(schema, directory));
    expect(keptOf(store)).toMatchObject(keptThen(schema));
    const statuses = keptOf(store).orders.map(({ order }) => (order as { status: string }).status);
    expect([...new Set(statuses)].sort()).toEqual([
      "canceled",
      "filled",
      "open",
      "rejected",
      "unknown",
      "waiting_for_trigger",
    ]);
    expect(store.$client.prepare("PRAGMA integrity_check").values()).toEqual([["ok"]]);
    const rows = (sql: string) => store.$client.prepare(sql).values();
    expect(rows("SELECT count(*) > 0 FROM events")).toEqual([[1]]);
    expect(rows("SELECT id, account_id FROM listed_events")).toEqual(rows("SELECT id, account_id FROM events"));
    const open = rows(
      "SELECT id FROM attempts WHERE state <> 'done' UNION ALL SELECT number FROM orders WHERE attempt_state <> 'done' ORDER BY 1",
    );
    expect(open.length).toBeGreaterThan(0);
    expect(listOpenAttempts(store).map(({ id }) => [id])).toEqual(open as number[][]);
    const instance = findInstance(store);
    if (instance === null) throw new Error("the instance is gone");
    const vaultKey = await vaultKeyOf(instance, PASSPHRASE);
    const keyring = openKeyring({ store, network: "paper", vaultKey, randomBytes: () => new Uint8Array() });
    expect(keyring.signers.addresses()).toHaveLength(1);
    closeStore(store);
  });
});

test.each(SCHEMAS)("the migrations up to schema %d are the ones that made it", async (schema) => {
  await inTemporaryDirectory((directory) => {
    const released = new Database(unpack(schema, directory), { readonly: true });
    const now = new Database(":memory:");
    migrate(now, null, MIGRATIONS.slice(0, schema));
    // A released migration is never edited. Before the first release: bun scripts/make-schema-fixture.ts
    expect(tablesOf(now)).toEqual(tablesOf(released));
    released.close();
  });
});

/** What a careless migration might do. */
const CARELESS: [string, string][] = [
  ["loses answers of placings", "UPDATE orders SET answer_status = NULL, answer_body = NULL"],
  ["loses keys of placings", "UPDATE orders SET fingerprint = NULL"],
  ["loses answers", "UPDATE idempotency SET answer_status = NULL, answer_body = NULL"],
  ["loses keys' records", "DELETE FROM idempotency"],
  ["rounds a price", "UPDATE orders SET price = CAST(price AS INTEGER) + 0.5"],
  ["forgets what is unsettled", "UPDATE orders SET attempt_state = 'done' WHERE attempt_state IS NOT NULL"],
  ["loses an order's attempt", "UPDATE orders SET attempt_state = NULL"],
  ["renumbers nonces of placings", "UPDATE orders SET nonce = nonce + 1"],
  ["renumbers nonces", "UPDATE attempts SET nonce = nonce + 1"],
  ["touches the audit log", "UPDATE audit SET at_ms = at_ms + 1 WHERE id = 2"],
  ["loses a first leg", "UPDATE orders SET leg_state = NULL"],
  ["forgets what a leg is filled by", "UPDATE orders SET leg_filled_size = '0'"],
  ["loses a leg", "DELETE FROM legs WHERE ordinal = 1"],
  ["frees a key", "UPDATE api_keys SET state = 'blocked'"],
  ["makes a new secret", "UPDATE instance SET secret = zeroblob(32)"],
  ["spoils agent keys", "UPDATE agents SET sealed_key = x'00'"],
];

test.each(CARELESS)("a migration that %s would be seen", async (_name, sql) => {
  await inTemporaryDirectory((directory) => {
    const path = unpack(1, directory);
    const client = new Database(path);
    migrate(client, null, [...MIGRATIONS.slice(0, 1), { name: "0001_careless", sql }]);
    // What came after it is still to be done.
    client.run("PRAGMA user_version = 1");
    client.close();
    const store = openStore(path, { keepsSnapshots: false });
    expect(() => expect(keptOf(store)).toMatchObject(keptThen(1))).toThrow();
    closeStore(store);
  });
});
