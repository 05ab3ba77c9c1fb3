/** Everything legitimate goes on: whatever an owner and an operator do in whatever order, across restarts and restores. */

import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { registerKey } from "../../src/actions/register-key.ts";
import { revokeKey } from "../../src/actions/revoke-key.ts";
import { ApiError } from "../../src/core/errors.ts";
import type { Deps } from "../../src/deps.ts";
import { addAccount } from "../../src/ops/add-account.ts";
import { storeApproval } from "../../src/ops/approve-agent.ts";
import { backUp } from "../../src/ops/back-up.ts";
import { believeNothingYet, believeRows } from "../../src/ops/believe-rows.ts";
import { blockKey } from "../../src/ops/block-key.ts";
import { compareWithAudit } from "../../src/ops/compare-with-audit.ts";
import { placesIn } from "../../src/ops/data-directory.ts";
import { keepKey } from "../../src/ops/keep-key.ts";
import { openKeyring } from "../../src/ops/keyring.ts";
import { newAgent } from "../../src/ops/new-agent.ts";
import { OperatorError } from "../../src/ops/operator.ts";
import { restore } from "../../src/ops/restore.ts";
import { retireOwnAgent } from "../../src/ops/retire-agent.ts";
import { auditFaultSinceSeal, sealAudit } from "../../src/ops/seal-audit.ts";
import { resumeTrading, stopByOperator } from "../../src/ops/stop-trading.ts";
import { listAccounts } from "../../src/store/accounts.ts";
import { listAgents } from "../../src/store/agents.ts";
import { findApiKey, insertApiKey, setKeyState } from "../../src/store/api-keys.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertInstance } from "../../src/store/instance.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { isRevoked } from "../../src/store/revocations.ts";
import { listRowFaults } from "../../src/store/row-faults.ts";
import { grantTypedData, revocationTypedData } from "../../src/wire/grant-data.ts";
import { walletOf } from "../cli/wallet.ts";
import { asTypedData } from "../support/machine.ts";
import { SLEEPLESS } from "../support/sleeping-timer.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { NOW_MS } from "./operator.ts";

const OWNER = walletOf(new Uint8Array(32).fill(0x51));
const HASHES = ["aa", "bb", "cc"].map((digits) => digits.repeat(32));
const AUDIENCE = "testnet+http://127.0.0.1:8787";
const SCOPES = ["trading:read", "trading:write"] as const;

type Life = {
  store: Store;
  directory: string;
  /** Directories made so far. */
  made: number;
  nowMs: number;
};

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

function clockOf(life: Life) {
  return { nowMs: () => life.nowMs, elapsedMs: () => life.nowMs, ...SLEEPLESS };
}

/** Signatures take the most time here, and few are different. */
const signed = new Map<string, string>();

function sign(data: Parameters<typeof asTypedData>[0]): string {
  const name = JSON.stringify(data);
  const signature = signed.get(name) ?? OWNER.sign(asTypedData(data));
  signed.set(name, signature);
  return signature;
}

function operatorOf(life: Life) {
  const { store } = life;
  const network = "testnet" as const;
  const keyring = openKeyring({ store, network, vaultKey: { bytes: new Uint8Array(32).fill(5) }, randomBytes });
  return { store, clock: clockOf(life), randomBytes, network, exchangeUrl: "", keyring };
}

/** All that these two verbs need of a gateway. */
function depsOf(life: Life): Deps {
  return { store: life.store, clock: clockOf(life), settings: { audience: AUDIENCE } } as unknown as Deps;
}

function accountIn({ store }: Life): string {
  return listAccounts(store)[0]?.id ?? "";
}

type Deed = (life: Life, hash: string) => void;

const DEEDS: Readonly<Record<string, Deed>> = {
  register(life, keyHash) {
    const about = { accountId: accountIn(life), network: "exchange_mainnet", keyHash, scopes: SCOPES } as const;
    const grant = { ...about, issuedAtMs: life.nowMs, audience: AUDIENCE, expiresAtMs: null };
    registerKey(depsOf(life), { ...grant, signature: sign(grantTypedData(grant)) });
  },
  revoke(life, keyHash) {
    const revocation = { accountId: accountIn(life), keyHash, audience: AUDIENCE };
    revokeKey(depsOf(life), { ...revocation, signature: sign(revocationTypedData(revocation)) });
  },
  block: (life, hash) => void blockKey(operatorOf(life), hash),
  keep: (life, hash) => void keepKey(operatorOf(life), hash),
  account: (life) => {
    const address = `0x${Buffer.from(randomBytes(20)).toString("hex")}`;
    addAccount(operatorOf(life), { label: "more", kind: "main", address, parentId: null });
  },
  agent: (life) => void newAgent(operatorOf(life), OWNER.address),
  approve(life) {
    const waiting = listAgents(life.store).find(({ state }) => state === "new");
    if (waiting !== undefined) storeApproval(operatorOf(life), waiting, life.nowMs + 1_000_000_000);
  },
  retire(life) {
    const living = listAgents(life.store).find(({ state }) => state !== "retired");
    if (living !== undefined) retireOwnAgent(operatorOf(life), living.address);
  },
  stop: (life) => void stopByOperator(operatorOf(life), stopIn(life)),
  resume: (life) => void resumeTrading(operatorOf(life), { accountId: accountIn(life), stopId: null }),
  "stop without the passphrase": (life) =>
    withoutPassphrase(life, (store) => void stopByOperator(operatorOf({ ...life, store }), stopIn(life, store))),
  seal: (life) => void sealAudit(operatorOf(life)),
  restart: (life) => reopen(life, life.directory),
  "block without the passphrase": (life, hash) => withoutPassphrase(life, (store) => blockIn(life, store, hash)),
  restore(life) {
    life.made += 1;
    const [places, file] = [placesIn(`${life.directory}-${life.made}`), `${life.directory}-${life.made}.backup`];
    backUp(placesIn(life.directory).database, file);
    closeStore(life.store);
    const plain = { network: null, processId: 1, isUnofficialAllowed: true, isChangedAllowed: false };
    restore({ places, file, ...plain, clock: clockOf(life) });
    reopen(life, places.directory, false);
  },
};

function stopIn(life: Life, store = life.store) {
  return { accountId: accountIn({ ...life, store }), keyHash: null, keepsProtection: true };
}

function blockIn(life: Life, store: Store, hash: string): void {
  blockKey({ ...operatorOf({ ...life, store }), store }, hash);
}

/** A command that opens the directory itself, while no gateway runs. */
function withoutPassphrase(life: Life, work: (store: Store) => void): void {
  closeStore(life.store);
  const store = openStore(placesIn(life.directory).database);
  try {
    work(store);
  } finally {
    closeStore(store);
    reopen(life, life.directory, false);
  }
}

function reopen(life: Life, directory: string, isOpen = true): void {
  if (isOpen) closeStore(life.store);
  life.directory = directory;
  life.store = openStore(placesIn(directory).database);
  const told: string[] = [];
  believeRows({ ...operatorOf(life), tell: ({ what }) => void told.push(what) });
  expect(told).toEqual([]);
}

function begin(directory: string): Life {
  const places = placesIn(directory);
  const life = { store: openStore(places.database), directory, made: 0, nowMs: NOW_MS };
  const { store } = life;
  const made = { network: "testnet", exchangeUrl: "http://127.0.0.1:1", tag: 1, vault: "{}" } as const;
  believeNothingYet({ ...operatorOf(life), tell: () => undefined });
  inTransaction(store, () => insertInstance(store, { ...made, secret: new Uint8Array(32), createdAtMs: NOW_MS }));
  believeRows({ ...operatorOf(life), tell: () => undefined });
  addAccount(operatorOf(life), { label: "main", kind: "main", address: OWNER.address, parentId: null });
  return life;
}

/** What a key must never be again. */
function endsOf(life: Life): string[] {
  return HASHES.filter((hash) => {
    const state = findApiKey(life.store, hash)?.state;
    return state === "blocked" || isRevoked(life.store, accountIn(life), hash);
  });
}

const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(DEEDS)), fc.constantFrom(...HASHES)), {
  minLength: 5,
  maxLength: 16,
});

/** What the exchange says of an agent is known to the next start. */
const AN_APPROVAL = ["agent", "approve", "restart"].map((name): [string, string] => [name, HASHES[0] ?? ""]);

test("whatever owner and operator do, nothing of it is taken for an attack, and no key that ended opens again", async () => {
  await inTemporaryDirectory((path) => {
    let run = 0;
    fc.assert(
      fc.property(steps, (trace) => {
        run += 1;
        const directory = join(path, String(run));
        mkdirSync(directory);
        const life = begin(directory);
        let ended: string[] = [];
        for (const [name, hash] of trace) {
          life.nowMs += 1_000;
          attempt(() => DEEDS[name]?.(life, hash));
          const now = endsOf(life);
          expect(now).toEqual(expect.arrayContaining(ended));
          ended = now;
          expect([listRowFaults(life.store), compareWithAudit(life.store)]).toEqual([[], []]);
          expect(auditFaultSinceSeal(operatorOf(life))).toBeNull();
        }
        closeStore(life.store);
      }),
      { numRuns: 12, examples: [[AN_APPROVAL]] },
    );
  });
});

/** What a rule of ours refuses is part of it. */
function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof OperatorError)) throw error;
  }
}

test("what a transaction takes back is not believed, and the next change is sealed as ever", async () => {
  await inTemporaryDirectory((path) => {
    const life = begin(path);
    const key = {
      keyHash: HASHES[0] ?? "",
      accountId: accountIn(life),
      scopes: SCOPES,
      issuedAtMs: 1,
      registeredAtMs: 1,
    };
    const failing = () =>
      inTransaction(life.store, (store) => {
        insertApiKey(store, key);
        setKeyState(store, key.keyHash, "held", 1);
        throw new Error("the disk is full");
      });
    expect(failing).toThrow("the disk is full");
    expect(findApiKey(life.store, key.keyHash)).toBeNull();
    expect(listRowFaults(life.store)).toEqual([]);
    DEEDS["register"]?.(life, HASHES[1] ?? "");
    reopen(life, path);
    expect(findApiKey(life.store, HASHES[1] ?? "")?.state).toBe("active");
    closeStore(life.store);
  });
});

test("a sealed key whose signature is another's, or was given for another network, opens nothing", async () => {
  await inTemporaryDirectory((path) => {
    const life = begin(path);
    const stranger = walletOf(new Uint8Array(32).fill(0x52));
    for (const [index, [wallet, audience]] of [
      [stranger, AUDIENCE],
      [OWNER, "http://127.0.0.1:8787"],
      [OWNER, AUDIENCE],
    ].entries() as ArrayIterator<[number, [typeof OWNER, string]]>) {
      const keyHash = HASHES[index] ?? "";
      const about = { accountId: accountIn(life), network: "exchange_mainnet", keyHash, scopes: SCOPES } as const;
      const grant = { ...about, issuedAtMs: 1, audience, expiresAtMs: null };
      const signature = wallet.sign(asTypedData(grantTypedData(grant)));
      insertApiKey(life.store, { ...about, issuedAtMs: 1, registeredAtMs: 1 }, { ...grant, signature, limited: null });
      expect(findApiKey(life.store, keyHash)?.fault === null).toBe(index === 2);
    }
    closeStore(life.store);
  });
});
