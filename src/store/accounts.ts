import { asc, eq, sql } from "drizzle-orm";
import type { Account } from "../core/account.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { forget, rememberedAsSettled } from "./remembered.ts";
import { accounts } from "./schema.ts";
import { findSealed, hasSealedRows, listSealed, vouch } from "./sealed-rows.ts";

const byId = prepared((store) =>
  store
    .select()
    .from(accounts)
    .where(eq(accounts.id, sql.placeholder("id")))
    .prepare(),
);

const accountOf = rememberedAsSettled<Account>((store, id) => {
  if (!hasSealedRows(store)) return byId(store).get({ id }) ?? null;
  const content = findSealed(store, "account", id);
  return content === null ? null : asAccount(content);
});

/** As it was sealed, where this process has the passphrase: see `account-faults.ts` for whether its row says so. */
export function findAccount(store: Store, id: string): Account | null {
  return accountOf.find(store, id);
}

const all = prepared((store) =>
  store.select().from(accounts).orderBy(asc(accounts.createdAtMs), asc(accounts.id)).prepare(),
);

const accountsOf = rememberedAsSettled<readonly Account[]>((store) => {
  if (!hasSealedRows(store)) return listAccountRows(store);
  const sealed = listSealed(store, "account").map(([, content]) => asAccount(content));
  return sealed.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
});

/** Oldest first; as they were sealed. */
export function listAccounts(store: Store): readonly Account[] {
  return accountsOf.find(store, "") ?? [];
}

/** Those that trade at an address, as they were sealed. */
export function listAccountsAt(store: Store, address: string): readonly Account[] {
  return listAccounts(store).filter(({ tradingAddress }) => tradingAddress === address);
}

/** The rows, whoever wrote them; oldest first. */
export function listAccountRows(store: Store): Account[] {
  return all(store).all();
}

export function findAccountRow(store: Store, id: string): Account | null {
  return byId(store).get({ id }) ?? null;
}

/** What is sealed of an account: all of it. */
export function contentOfAccount(account: Account): string {
  const { id, label, kind, ownerAddress, tradingAddress, parentId, createdAtMs } = account;
  return JSON.stringify({ id, label, kind, ownerAddress, tradingAddress, parentId, createdAtMs });
}

function asAccount(content: string): Account {
  // Only `contentOfAccount` makes what the seal covers.
  return JSON.parse(content) as Account;
}

export function insertAccount(store: Store, account: Account): void {
  store.insert(accounts).values(account).run();
  vouch(store, "account", account.id, contentOfAccount(account));
  forget(store);
}

/** Only for one that never traded and that nobody has a key to. */
export function deleteAccount(store: Store, id: string): void {
  store.delete(accounts).where(eq(accounts.id, id)).run();
  vouch(store, "account", id, null);
  forget(store);
}
