import type { Account } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";

/** Throws `account_not_found`. */
export function findAccountFor({ store }: With<"store">, id: string): Account {
  const account = findAccount(store, id.toLowerCase());
  if (account === null) throw new ApiError("account_not_found", "There is no account with this id.");
  return account;
}

/** The one that a body names which its owner has signed; `member` is where. Throws `account_not_found`. */
export function signedAccount({ store }: With<"store">, id: string, member = "account"): Account {
  const account = findAccount(store, id);
  if (account === null) throw new ApiError("account_not_found", `${member} is not an account of this gateway.`);
  return account;
}
