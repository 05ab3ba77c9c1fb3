/** A directory whose rows are sealed, and who writes it from outside. */
import { storeAccount } from "../../src/ops/add-account.ts";
import { believeNothingYet, believeRows } from "../../src/ops/believe-rows.ts";
import { openKeyring } from "../../src/ops/keyring.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertInstance } from "../../src/store/instance.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { SLEEPLESS } from "../support/sleeping-timer.ts";
import { NOW_MS } from "./operator.ts";

export const ACCOUNT = "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90";

export function operatorOf(store: Store) {
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const vaultKey = { bytes: new Uint8Array(32).fill(5) };
  const keyring = openKeyring({ store, network: "testnet", vaultKey, randomBytes });
  const clock = { nowMs: () => NOW_MS, elapsedMs: () => NOW_MS, ...SLEEPLESS };
  return { store, clock, randomBytes, network: "testnet" as const, keyring };
}

export function makeDirectory(path: string): Store {
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
export function fromOutside(path: string, sql: string): void {
  const other = openStore(path);
  other.$client.run(sql);
  closeStore(other);
}

export function restarted(store: Store, path: string): { store: Store; told: string[] } {
  closeStore(store);
  const next = openStore(path);
  const told: string[] = [];
  believeRows({ ...operatorOf(next), tell: ({ what }) => void told.push(what) });
  return { store: next, told };
}
