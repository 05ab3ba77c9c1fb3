/** Each deed of the operator and of an owner has its row: none without the deed, and no deed without it. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { registerKey } from "../../src/actions/register-key.ts";
import { revokeKey } from "../../src/actions/revoke-key.ts";
import { storeApproval } from "../../src/ops/approve-agent.ts";
import { backUp } from "../../src/ops/back-up.ts";
import { blockKey } from "../../src/ops/block-key.ts";
import { placesIn } from "../../src/ops/data-directory.ts";
import { noteStart } from "../../src/ops/note-start.ts";
import { perform } from "../../src/ops/operator-verbs.ts";
import { restore } from "../../src/ops/restore.ts";
import { findAgent } from "../../src/store/agents.ts";
import { findApiKey, insertApiKey, setKeyState } from "../../src/store/api-keys.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { audit } from "../../src/store/schema-audit.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { GRANT_DOMAIN, GRANT_TYPES, REVOCATION_TYPES } from "../../src/wire/grant-data.ts";
import { ACCOUNTS, AUDIENCE, KEYS, OWNER, openRig, START_MS } from "../http/rig.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { NOW_MS, type Rig, withOperator } from "./operator.ts";

const KEY = "ab".repeat(32);
const TRADER = `0x${"cd".repeat(20)}`;

type Deed = {
  event: string;
  deed(rig: Rig): unknown;
  /** Something of the deed itself, which a row without it, or before it, would lack. */
  isDone(store: Store, rig: Rig): boolean;
};

function stateOf(store: Store): string | undefined {
  return findApiKey(store, KEY)?.state;
}

const DEEDS: Deed[] = [
  {
    event: "key_blocked",
    deed: ({ operator }) => perform(operator, "block_key", { keyHash: KEY }),
    isDone: (store) => stateOf(store) === "blocked",
  },
  {
    event: "key_kept",
    deed: ({ operator }) => {
      setKeyState(operator.store, KEY, "held", NOW_MS);
      return perform(operator, "keep_key", { keyHash: KEY });
    },
    isDone: (store) => stateOf(store) === "active",
  },
  {
    event: "account_added",
    deed: ({ operator, account }) => {
      const facts = { label: "sub", kind: "subaccount", address: TRADER, parentId: account.id };
      return perform(operator, "add_account", facts);
    },
    isDone: (store) => storedRows(store, "accounts") === 2,
  },
  {
    event: "agent_made",
    deed: ({ operator, account }) => perform(operator, "new_agent", { ownerAddress: account.ownerAddress }),
    isDone: (store) => storedRows(store, "agents") === 2,
  },
  {
    event: "agent_approved",
    deed: ({ operator, agent }) => storeApproval(operator, agent, null),
    isDone: (store, { agent }) => findAgent(store, agent.address)?.state === "approved",
  },
  {
    event: "agent_retired",
    deed: ({ operator, agent }) => perform(operator, "retire_agent", { address: agent.address }),
    isDone: (store, { agent }) => findAgent(store, agent.address)?.state === "retired",
  },
  {
    event: "gateway_started",
    deed: ({ operator, instance }) =>
      noteStart(operator, { version: "1.2.3", agentsUnlocked: 1, settings: { POSTERN_DEXES: "xyz,abc" }, instance }),
    isDone: (store) => rowsOf(store).some(({ detail }) => detail.includes('"POSTERN_DEXES":"xyz,abc"')),
  },
];

function storedRows(store: Store, table: string): number {
  return store.$client.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;
}

function rowsOf(store: Store) {
  return store.select().from(audit).all();
}

function countOf(store: Store, event: string): number {
  return rowsOf(store).filter((row) => row.event === event).length;
}

test("each deed has its row, in the transaction of what it tells of", async () => {
  await withOperator({}, async (rig) => {
    const { store } = rig.operator;
    const times = { issuedAtMs: NOW_MS, registeredAtMs: NOW_MS };
    insertApiKey(store, { keyHash: KEY, accountId: rig.account.id, scopes: ["trading:read"], ...times });
    for (const { event, deed, isDone } of DEEDS) {
      const before = countOf(store, event);
      // A row that cannot be written takes the deed with it.
      store.$client.run("CREATE TRIGGER no_rows BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no row'); END");
      expect([event, await outcomeOf(() => deed(rig))]).toEqual([event, expect.stringContaining("no row")]);
      expect([event, isDone(store, rig)]).toEqual([event, false]);
      store.$client.run("DROP TRIGGER no_rows");
      await deed(rig);
      expect([event, isDone(store, rig), countOf(store, event)]).toEqual([event, true, before + 1]);
    }
    expect(await countAfterRestore(store)).toBe(1);
  });
});

/** Rows that tell of the restore, in what a backup of this database becomes. */
async function countAfterRestore(store: Store): Promise<number> {
  let count = 0;
  await inTemporaryDirectory((directory) => {
    const file = join(directory, "backup.db");
    backUp(store.$client.filename, file);
    const places = placesIn(join(directory, "data"));
    restore({
      places,
      file,
      network: null,
      processId: 1,
      clock: { nowMs: () => NOW_MS },
      isUnofficialAllowed: true,
      isChangedAllowed: false,
    });
    const restored = openStore(places.database);
    count = countOf(restored, "restored");
    closeStore(restored);
  });
  return count;
}

async function outcomeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return "done";
  } catch (error) {
    return error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : String(error);
  }
}

test("each deed has its row, in the transaction of what it tells of: key_revoked", async () => {
  const { deps } = openRig();
  const hash = keyHash(KEYS.both);
  const signature = await OWNER.signTypedData({
    domain: GRANT_DOMAIN,
    types: REVOCATION_TYPES,
    primaryType: "ApiKeyRevocation",
    message: { audience: AUDIENCE, account: ACCOUNTS.main, keyHash: `0x${hash}` },
  });
  const revoke = () => revokeKey(deps, { accountId: ACCOUNTS.main, keyHash: hash, signature });
  // Neither without the other, whichever cannot be written.
  for (const table of ["audit", "revocations"]) {
    deps.store.$client.run(`CREATE TRIGGER no_rows BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'no row'); END`);
    expect(await outcomeOf(revoke)).toContain("no row");
    deps.store.$client.run("DROP TRIGGER no_rows");
    expect([findApiKey(deps.store, hash)?.state, countOf(deps.store, "key_revoked")]).toEqual(["active", 0]);
  }
  revoke();
  expect([findApiKey(deps.store, hash)?.state, countOf(deps.store, "key_revoked")]).toEqual(["revoked", 1]);
});

test("a key that was blocked opens nothing any more, and no later grant opens it", async () => {
  const rig = openRig();
  const hash = keyHash(KEYS.readOnly);
  const ask = async () => (await rig.ask({ path: "/v1/whoami", apiKey: KEYS.readOnly })).status;
  expect(await ask()).toBe(200);
  blockKey({ ...rig.deps, network: "paper" }, hash);
  expect(await ask()).toBe(401);
  const grant = { accountId: ACCOUNTS.main, network: "exchange_mainnet", keyHash: hash, issuedAtMs: START_MS } as const;
  const signature = await OWNER.signTypedData({
    domain: GRANT_DOMAIN,
    types: GRANT_TYPES,
    primaryType: "ApiKeyGrant",
    message: {
      audience: AUDIENCE,
      account: ACCOUNTS.main,
      network: "exchange_mainnet",
      scopes: "trading:read",
      keyHash: `0x${hash}`,
      issuedAt: BigInt(START_MS),
      expiresAt: 0n,
    },
  });
  expect(() => registerKey(rig.deps, { ...grant, scopes: ["trading:read"], signature })).toThrow("was revoked");
  expect(await ask()).toBe(401);
});
