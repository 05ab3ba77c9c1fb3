import { bytesToHex } from "@noble/hashes/utils.js";
import { keyHash } from "../../wire/grant.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { present } from "../output.ts";

const KEY_BYTES = 32;

export const keyNew: Command = {
  name: "key new",
  summary: "make an API key and its hash; nothing is stored and the key is shown once",
  options: {
    "data-dir": { ...DATA_DIRECTORY, help: "repeated in the next command; nothing is stored" },
    json: JSON_OUTPUT,
  },
  positionals: [],
  async run(input, outside) {
    const apiKey = newApiKey(outside.randomBytes);
    const hash = keyHash(apiKey);
    present({ input, outside }, { api_key: apiKey, key_hash: hash }, [
      `API key   ${apiKey}`,
      `Key hash  ${hash}`,
      "",
      "Keep the key; nobody can show it again. Next, the owner grants it:",
      `  postern key grant --key-hash ${hash}`,
    ]);
  },
};

export function newApiKey(randomBytes: (count: number) => Uint8Array): string {
  return `api_trade_${bytesToHex(randomBytes(KEY_BYTES))}`;
}
