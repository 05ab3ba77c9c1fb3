import { listAccounts } from "../../store/accounts.ts";
import { listApiKeys } from "../../store/api-keys.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { columns, isoTime, present } from "../output.ts";

export const keyList: Command = {
  name: "key list",
  summary: "registered API keys by their hashes",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const keys = reading(places(input, outside), ({ store }) =>
      listAccounts(store).flatMap((account) => listApiKeys(store, account.id)),
    );
    const facts = keys.map((key) => ({
      key_hash: key.keyHash,
      account: key.accountId,
      scopes: key.scopes,
      state: key.state,
      registered_at: isoTime(key.registeredAtMs),
    }));
    const rows = facts.map((key) => [key.key_hash, key.account, key.scopes.join(","), key.state, key.registered_at]);
    present(
      { input, outside },
      { keys: facts },
      columns([["KEY HASH", "ACCOUNT", "SCOPES", "STATE", "SINCE"], ...rows]),
    );
  },
};
