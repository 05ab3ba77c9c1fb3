import { API_NETWORK } from "../../core/account.ts";
import { ACCOUNT, chosenAccount } from "../account-choice.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT, Misuse, required } from "../command.ts";
import { places, reading } from "../directory.ts";
import { GATEWAY, post } from "../gateway-client.ts";
import { present } from "../output.ts";
import { ownersSignature, SIGNATURE } from "../signature.ts";
import { KEY_HASH, keyHashOf, SCOPES, scopesOf } from "./key-options.ts";

export const keyRegister: Command = {
  name: "key register",
  summary: "register an API key with the owner's signature, through the running gateway",
  options: {
    "key-hash": KEY_HASH,
    scopes: SCOPES,
    account: ACCOUNT,
    "issued-at": { value: "MS", help: "as printed by key grant" },
    grant: { value: "JSON", help: "of a key with rails: all of its grant, as printed by key grant --bot" },
    signature: SIGNATURE,
    listen: GATEWAY,
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: [],
  async run(input, outside) {
    const limited = input.value("grant");
    if (limited !== null) {
      const signed = { grant: grantIn(limited), signature: await ownersSignature(input, outside) };
      const made = await post({ command: keyRegister, input, outside }, "/v1/api-keys/limited", signed);
      return present({ input, outside }, made, [`Registered for the bot ${String(made["bot"])}, held to its rails.`]);
    }
    const accountId = input.value("account") ?? onlyAccount(places(input, outside), input);
    const consent = {
      account: accountId,
      network: API_NETWORK,
      key_hash: keyHashOf(required(input, "key-hash")),
      policy: { scopes: scopesOf(input) },
      issued_at: milliseconds(required(input, "issued-at")),
      expires_at: null,
    };
    const signature = await ownersSignature(input, outside);
    const key = await post({ command: keyRegister, input, outside }, "/v1/api-keys", { consent, signature });
    present({ input, outside }, key, [`Registered for account ${accountId}: ${scopesOf(input).join(", ")}`]);
  },
};

/** `--account` spares the look at the data directory, which may be another user's. */
export function onlyAccount(at: ReturnType<typeof places>, input: Parameters<typeof places>[0]): string {
  return reading(at, ({ store }) => chosenAccount(store, input).id);
}

function grantIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Misuse("--grant is the JSON object that key grant --bot prints, in single quotes");
  }
}

function milliseconds(text: string): number {
  if (!/^[0-9]{1,16}$/.test(text)) throw new Misuse("--issued-at is unix milliseconds, as printed by key grant");
  return Number(text);
}
