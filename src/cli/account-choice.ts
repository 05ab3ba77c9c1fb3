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
    if (found === null) throw new Failure(`there is no account ${id}. Those there are:\n  postern account list`);
    return found;
  }
  const accounts = listAccounts(store);
  const [only] = accounts;
  if (only === undefined)
    throw new Failure("there is no account. Add one:\n  postern account add --label main --address 0xOWNER");
  if (accounts.length > 1)
    throw new Misuse("there are several accounts: choose one with --account. They are in\n  postern account list");
  return only;
}
