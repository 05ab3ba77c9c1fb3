import type { Account } from "../core/account.ts";
import { findAccount, listAccounts } from "../store/accounts.ts";
import type { Store } from "../store/open.ts";
import { Failure, type Input, Misuse, type Option } from "./command.ts";

export const ACCOUNT: Option = { value: "ID", help: "account; the only one there is when left out" };

/** The account that `--account` names, or the only one. */
export function chosenAccount(store: Store, input: Input): Account {
  const id = input.value("account");
  if (id !== null) {
    const found = findAccount(store, id.toLowerCase());
    if (found === null) throw new Failure(`there is no account ${id}: see "postern account list"`);
    return found;
  }
  const accounts = listAccounts(store);
  const [only] = accounts;
  if (only === undefined) throw new Failure('there is no account: see "postern account add"');
  if (accounts.length > 1) throw new Misuse("there are several accounts: choose one with --account");
  return only;
}
