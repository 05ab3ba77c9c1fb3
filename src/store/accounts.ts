import { asc, eq, sql } from "drizzle-orm";
import type { Account } from "../core/account.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { forget, remembered } from "./remembered.ts";
import { accounts } from "./schema.ts";

const byId = prepared((store) =>
  store
    .select()
    .from(accounts)
    .where(eq(accounts.id, sql.placeholder("id")))
    .prepare(),
);

const accountOf = remembered<Account>((store, id) => byId(store).get({ id }) ?? null);

export function findAccount(store: Store, id: string): Account | null {
  return accountOf.find(store, id);
}

const all = prepared((store) =>
  store.select().from(accounts).orderBy(asc(accounts.createdAtMs), asc(accounts.id)).prepare(),
);

/** Oldest first. */
export function listAccounts(store: Store): Account[] {
  return all(store).all();
}

export function insertAccount(store: Store, account: Account): void {
  store.insert(accounts).values(account).run();
  forget(store);
}

/** Only for one that never traded and that nobody has a key to. */
export function deleteAccount(store: Store, id: string): void {
  store.delete(accounts).where(eq(accounts.id, id)).run();
  forget(store);
}
