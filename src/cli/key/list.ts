import { lossBoundWords } from "../../core/rails/loss-bound.ts";
import { listAccounts } from "../../store/accounts.ts";
import { listApiKeys, type StoredKey } from "../../store/api-keys.ts";
import { railsOfKey } from "../../store/narrowings.ts";
import type { Store } from "../../store/open.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { columns, isoTime, present } from "../output.ts";

export const keyList: Command = {
  name: "key list",
  summary: "registered API keys by their hashes, whose bots they are, and what a thief of each could lose",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const keys = reading(places(input, outside), ({ store }) =>
      listAccounts(store).flatMap(({ id }) => listApiKeys(store, id).map((key) => factsOf(store, key))),
    );
    const rows = keys.map((key) => [
      key.key_hash,
      key.account,
      key.bot ?? "none",
      key.scopes.join(","),
      key.state,
      key.registered_at,
      key.expires_at ?? "never",
    ]);
    present({ input, outside }, { keys }, [
      ...columns([["KEY HASH", "ACCOUNT", "BOT", "SCOPES", "STATE", "SINCE", "ENDS"], ...rows]),
      ...keys.flatMap(({ key_hash: hash, bot, bound }) => (bound === null ? [] : ["", `${bot} (${hash}):`, bound])),
    ]);
  },
};

/** `bot` and `bound` are null for a plain key, which nothing holds. */
function factsOf(store: Store, key: StoredKey) {
  const rails = railsOfKey(store, key.keyHash);
  const expiresAtMs = key.limited?.expiresAtMs ?? key.grant?.expiresAtMs ?? null;
  return {
    key_hash: key.keyHash,
    account: key.accountId,
    bot: rails?.bot ?? null,
    scopes: key.scopes,
    state: key.state,
    registered_at: isoTime(key.registeredAtMs),
    expires_at: expiresAtMs === null ? null : isoTime(expiresAtMs),
    bound: rails === null ? null : lossBoundWords(rails),
  };
}
