import { asc, eq } from "drizzle-orm";
import type { Account } from "../core/account.ts";
import type { Store } from "./open.ts";
import { accounts } from "./schema.ts";

export function findAccount(store: Store, id: string): Account | null {
  return store.select().from(accounts).where(eq(accounts.id, id)).get() ?? null;
}

/** Oldest first. */
export function listAccounts(store: Store): Account[] {
  return store.select().from(accounts).orderBy(asc(accounts.createdAtMs), asc(accounts.id)).all();
}

export function insertAccount(store: Store, account: Account): void {
  store.insert(accounts).values(account).run();
}
