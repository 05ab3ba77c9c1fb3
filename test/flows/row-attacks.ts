/** What somebody does who can write the database and has not the passphrase, and what everybody else is told of it. */
import type { Database } from "bun:sqlite";
import { appendAudit } from "../../src/store/audit.ts";
import { type findAuditSeal, putAuditSeal } from "../../src/store/audit-seal.ts";
import type { Store } from "../../src/store/open.ts";
import { sealedRows } from "../../src/store/schema-audit.ts";
import type { readSealedRows } from "../../src/store/sealed-rows.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { walletOf } from "../cli/wallet.ts";
import { ACCOUNT, API_KEY } from "../support/machine.ts";

export const OTHER = walletOf(new Uint8Array(32).fill(0x53));
export const KEYS = {
  main: API_KEY,
  reader: `api_trade_${"b".repeat(64)}`,
  revoked: `api_trade_${"c".repeat(64)}`,
  blocked: `api_trade_${"d".repeat(64)}`,
  other: `api_trade_${"e".repeat(64)}`,
  planted: `api_trade_${"f".repeat(64)}`,
};
export const HASH = {
  main: keyHash(KEYS.main),
  reader: keyHash(KEYS.reader),
  revoked: keyHash(KEYS.revoked),
  blocked: keyHash(KEYS.blocked),
  other: keyHash(KEYS.other),
  planted: keyHash(KEYS.planted),
};

/** What the attacked directory holds. */
export type Facts = { other: string; retired: string; signing: string; waiting: string; before: Older };
/** What somebody has kept of it from before a key was revoked. */
export type Older = { rows: ReturnType<typeof readSealedRows>; seal: ReturnType<typeof findAuditSeal> };

const PLANTED_COLUMNS = "key_hash, account_id, scopes, issued_at_ms, registered_at_ms, state";

function plant(): string {
  const values = `'${HASH.planted}', '${ACCOUNT.id}', 'trading:read,trading:write', 1, 1, 'active'`;
  return `INSERT INTO api_keys (${PLANTED_COLUMNS}) VALUES (${values})`;
}

export type Attack = {
  /** By whoever has the database, and no passphrase. */
  attack(database: Database, store: Store, facts: Facts): void;
  /** Who asks, and the code of what it gets; writes of that account where it is `storage_unavailable`. */
  refused: readonly [keyof typeof KEYS, string];
  /** What the log and the doctor say. */
  told: RegExp;
  /** `/readyz` says no: writes have stopped that would have been taken. */
  stopsWrites?: true;
  /** The next start does not get as far as a request. */
  start?: RegExp;
  /** Not by comparing with the audit log, which fits. */
  isOnlySealed?: true;
};

function sql(text: string | ((facts: Facts) => string)): Attack["attack"] {
  return (database, _store, facts) => void database.run(typeof text === "string" ? text : text(facts));
}

export function account(set: string): Attack["attack"] {
  return sql(`UPDATE accounts SET ${set} WHERE id = '${ACCOUNT.id}'`);
}

export function key(set: string, which: keyof typeof HASH): Attack["attack"] {
  return sql(`UPDATE api_keys SET ${set} WHERE key_hash = '${HASH[which]}'`);
}

export const ACCOUNT_CHANGED = {
  refused: ["main", "storage_unavailable"],
  stopsWrites: true,
} as const satisfies Partial<Attack>;

export const ATTACKS: Readonly<Record<string, Attack>> = {
  "a key is planted": { attack: sql(plant), refused: ["planted", "invalid_api_key"], told: /never registered/ },
  "another account's grant is copied for a planted key": {
    attack: sql(
      () =>
        `INSERT INTO api_keys SELECT '${HASH.planted}', '${ACCOUNT.id}', scopes, issued_at_ms, registered_at_ms, NULL, state, audience, network, expires_at_ms, signature, limited_grant FROM api_keys WHERE key_hash = '${HASH.other}'`,
    ),
    refused: ["planted", "invalid_api_key"],
    told: /never registered/,
  },
  "a key's scopes are widened": {
    attack: key("scopes = 'trading:read,trading:write'", "reader"),
    refused: ["reader", "storage_unavailable"],
    told: /not the one that was registered/,
  },
  "a key's hash is exchanged": {
    attack: sql(() => `UPDATE api_keys SET key_hash = '${HASH.planted}' WHERE key_hash = '${HASH.reader}'`),
    refused: ["planted", "invalid_api_key"],
    told: /never registered/,
  },
  "a key is moved to another account": {
    attack: key(`account_id = '${ACCOUNT.id}'`, "other"),
    refused: ["other", "storage_unavailable"],
    told: /not the one that was registered/,
  },
  "the audience that a grant was signed for is edited": {
    attack: key("audience = 'paper+http://elsewhere'", "main"),
    refused: ["main", "storage_unavailable"],
    told: /not the one that was registered/,
    isOnlySealed: true,
  },
  "a signature is taken away, as if the key were of before": {
    attack: key("signature = NULL, audience = NULL, network = NULL", "main"),
    refused: ["main", "storage_unavailable"],
    told: /not the one that was registered/,
    isOnlySealed: true,
  },
  "a revocation is deleted": {
    attack: sql("DELETE FROM revocations"),
    refused: ["revoked", "revoked_api_key"],
    told: /the revocation of API key .* was deleted/,
  },
  "a revocation is turned into another key's": {
    attack: sql(() => `UPDATE revocations SET key_hash = '${HASH.planted}'`),
    refused: ["revoked", "revoked_api_key"],
    told: /the revocation of API key .* was deleted/,
  },
  "a blocked mark is cleared": {
    attack: key("state = 'active'", "blocked"),
    refused: ["blocked", "revoked_api_key"],
    told: /it stays blocked/,
  },
  "an account gets another owner": {
    ...ACCOUNT_CHANGED,
    attack: account(`owner_address = '${OTHER.address}'`),
    told: /row of account .* was changed/,
  },
  "an account gets another trading address": {
    ...ACCOUNT_CHANGED,
    attack: account(`trading_address = '${OTHER.address}'`),
    told: /row of account .* was changed/,
  },
  "an account is deleted": {
    ...ACCOUNT_CHANGED,
    attack: sql(() => `DELETE FROM accounts WHERE id = '${ACCOUNT.id}'`),
    told: /row of account .* was deleted/,
  },
  "an account is planted, with a key to it": {
    attack: (database) => {
      database.run(
        `INSERT INTO accounts SELECT 'planted', label, kind, owner_address, trading_address, NULL, 1 FROM accounts WHERE id = '${ACCOUNT.id}'`,
      );
      database.run(plant().replace(ACCOUNT.id, "planted"));
    },
    refused: ["planted", "invalid_api_key"],
    told: /was never (added here|registered)/,
  },
  "the exchange's address is edited": {
    ...ACCOUNT_CHANGED,
    attack: sql("UPDATE instance SET exchange_url = 'http://elsewhere.test'"),
    told: /what this directory is/,
    isOnlySealed: true,
  },
  "the network is edited": {
    ...ACCOUNT_CHANGED,
    attack: sql("UPDATE instance SET network = 'testnet'"),
    told: /what this directory is/,
    isOnlySealed: true,
  },
  "the secret behind order ids is edited": {
    ...ACCOUNT_CHANGED,
    attack: sql("UPDATE instance SET secret = zeroblob(32)"),
    told: /what this directory is/,
    isOnlySealed: true,
  },
  "two agents exchange their sealed keys": {
    ...ACCOUNT_CHANGED,
    attack: (database, _store, { signing, waiting }) => {
      const pair = `('${signing}', '${waiting}')`;
      database.run(
        `UPDATE agents SET sealed_key = (SELECT b.sealed_key FROM agents b WHERE b.address IN ${pair} AND b.address <> agents.address) WHERE address IN ${pair}`,
      );
    },
    told: /row of agent .* was changed/,
    start: /passphrase is wrong/,
    isOnlySealed: true,
  },
  "two agents exchange their names and states": {
    ...ACCOUNT_CHANGED,
    attack: (database, _store, { signing, waiting }) => {
      const pair = `('${signing}', '${waiting}')`;
      database.run(
        `UPDATE agents SET (name, state) = (SELECT b.name, b.state FROM agents b WHERE b.address IN ${pair} AND b.address <> agents.address) WHERE address IN ${pair}`,
      );
    },
    told: /row of agent .* was changed/,
  },
  "a retired agent is to sign again": {
    ...ACCOUNT_CHANGED,
    attack: sql(({ retired }) => `UPDATE agents SET state = 'approved' WHERE address = '${retired}'`),
    told: /it stays retired/,
  },
  "an agent is approved that waits for it": {
    ...ACCOUNT_CHANGED,
    attack: sql(
      ({ waiting }) => `UPDATE agents SET state = 'approved', approved_at_ms = 1 WHERE address = '${waiting}'`,
    ),
    told: /row of agent .* was changed/,
  },
  "an agent is planted": {
    ...ACCOUNT_CHANGED,
    attack: sql(
      ({ signing }) =>
        `INSERT INTO agents SELECT '0xplanted', owner_address, name, state, sealed_key, 1, 1, NULL FROM agents WHERE address = '${signing}'`,
    ),
    told: /never made here/,
    start: /passphrase is wrong/,
  },
  "a key is planted with an audit row and a chain that fit": {
    attack: (database, store) => {
      database.run(plant());
      const detail = { account: ACCOUNT.id, scopes: "trading:read,trading:write", issued_at: 1 };
      appendAudit(store, { atMs: 1, actor: "owner", event: "key_registered", reference: HASH.planted, detail });
    },
    refused: ["planted", "invalid_api_key"],
    told: /never registered/,
    isOnlySealed: true,
  },
  "a key is planted with a sealed copy of it": {
    attack: (database, store) => {
      database.run(plant());
      store.insert(sealedRows).values({ kind: "key", id: HASH.planted, content: "{}" }).run();
    },
    refused: ["planted", "invalid_api_key"],
    told: /never registered/,
    start: /not those that were sealed/,
  },
  "the seal is deleted": {
    attack: (database) => {
      database.run(plant());
      database.run("DELETE FROM audit_seal");
    },
    refused: ["planted", "invalid_api_key"],
    told: /never registered/,
    start: /seal is missing/,
  },
  "older sealed copies and their own seal are put back, without a revocation": {
    attack: (database, store, { before }) => {
      putBack(store, before);
      database.run("DELETE FROM revocations");
      database.run("UPDATE api_keys SET state = 'active'");
    },
    refused: ["revoked", "revoked_api_key"],
    told: /the revocation of API key .* was deleted/,
  },
};

function putBack(store: Store, { rows, seal }: Older): void {
  store.delete(sealedRows).run();
  for (const row of rows) store.insert(sealedRows).values(row).run();
  if (seal !== null) putAuditSeal(store, seal);
}
