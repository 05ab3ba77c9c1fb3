import type { Account } from "../../core/account.ts";
import { listAccounts } from "../../store/accounts.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { columns, present } from "../output.ts";

export const accountList: Command = {
  name: "account list",
  summary: "accounts with their owners and trading addresses",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const accounts = reading(places(input, outside), ({ store }) => listAccounts(store).map(accountFacts));
    const rows = accounts.map((account) => [
      account.id,
      account.label,
      account.kind,
      account.owner,
      account.trading_address,
    ]);
    const table = columns([["ACCOUNT", "LABEL", "KIND", "OWNER", "TRADING ADDRESS"], ...rows]);
    present({ input, outside }, { accounts }, table);
  },
};

export function accountFacts(account: Account) {
  return {
    id: account.id,
    label: account.label,
    kind: account.kind,
    owner: account.ownerAddress,
    trading_address: account.tradingAddress,
    parent: account.parentId,
    created_at: new Date(account.createdAtMs).toISOString(),
  };
}
