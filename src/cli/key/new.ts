import { bytesToHex } from "@noble/hashes/utils.js";
import type { Account } from "../../core/account.ts";
import { hasDatabase } from "../../ops/data-directory.ts";
import { listAccounts } from "../../store/accounts.ts";
import { keyHash } from "../../wire/grant.ts";
import { type Command, DATA_DIRECTORY, type Input, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { present } from "../output.ts";
import type { Outside } from "../outside.ts";

const KEY_BYTES = 32;

export const keyNew: Command = {
  name: "key new",
  summary: "make an API key and its hash; nothing is stored and the key is shown once",
  options: {
    "data-dir": { ...DATA_DIRECTORY, help: "repeated in the next command; nothing is stored" },
    json: JSON_OUTPUT,
  },
  positionals: [],
  needsNoDirectory: true,
  async run(input, outside) {
    const apiKey = newApiKey(outside.randomBytes);
    const hash = keyHash(apiKey);
    present({ input, outside }, { api_key: apiKey, key_hash: hash }, [
      `API key   ${apiKey}`,
      `Key hash  ${hash}`,
      "",
      "Keep the key; nobody can show it again. Next, the owner grants it:",
      ...grants(accountsOf(input, outside), hash),
    ]);
  },
};

/** With one account it need not be named, and with none it is not known yet. */
function grants(accounts: readonly Account[], hash: string): string[] {
  if (accounts.length < 2) return [`  postern key grant --key-hash ${hash}`];
  return accounts.flatMap(({ id, label }) => [
    `for the account ${label}`,
    `  postern key grant --account ${id} --key-hash ${hash}`,
  ]);
}

/** A key can be made where no gateway is, or where its directory is another user's. */
function accountsOf(input: Input, outside: Outside): readonly Account[] {
  try {
    const at = places(input, outside);
    return hasDatabase(at) ? reading(at, ({ store }) => listAccounts(store)) : [];
  } catch {
    return [];
  }
}

export function newApiKey(randomBytes: (count: number) => Uint8Array): string {
  return `api_trade_${bytesToHex(randomBytes(KEY_BYTES))}`;
}
