import { API_NETWORK, type Scope } from "../../core/account.ts";
import { grantTypedData } from "../../wire/grant-data.ts";
import { ACCOUNT, chosenAccount } from "../account-choice.ts";
import { type Command, DATA_DIRECTORY, type Input, JSON_OUTPUT, Misuse, type Option, required } from "../command.ts";
import { networkWords, places, reading } from "../directory.ts";
import { audience, GATEWAY } from "../gateway-client.ts";
import { present, signable, signableLines } from "../output.ts";

export const KEY_HASH: Option = { value: "HASH", help: "64 hex digits, as printed by key new" };
export const SCOPES: Option = { value: "SCOPES", help: "trading:read,trading:write (default) or one of them" };

const ALL_SCOPES: readonly Scope[] = ["trading:read", "trading:write"];

export const keyGrant: Command = {
  name: "key grant",
  summary: "print what the owner's wallet signs to grant an API key",
  options: {
    "key-hash": KEY_HASH,
    scopes: SCOPES,
    account: ACCOUNT,
    listen: GATEWAY,
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    const hash = keyHashOf(required(input, "key-hash"));
    const scopes = scopesOf(input);
    const issuedAtMs = outside.clock.nowMs();
    const { account, instance } = reading(at, ({ store, instance }) => ({
      account: chosenAccount(store, input),
      instance,
    }));
    const grant = {
      audience: await audience({ command: keyGrant, input, outside }, at),
      accountId: account.id,
      network: API_NETWORK,
      keyHash: hash,
      scopes,
      issuedAtMs,
      expiresAtMs: null,
    };
    const typedData = grantTypedData(grant);
    const facts = { account: account.id, owner: account.ownerAddress, key_hash: hash, scopes, issued_at: issuedAtMs };
    present({ input, outside }, { ...facts, network: instance.network, ...signable(typedData) }, [
      `Sign this with the wallet of ${account.ownerAddress} (${networkWords(instance)}), within an hour:`,
      "",
      ...signableLines(typedData),
      "",
      "Then hand the signature to the running gateway; it is asked for, or read from standard input:",
      `  postern key register --account ${account.id} --key-hash ${hash} --scopes ${scopes.join(",")} --issued-at ${issuedAtMs}`,
    ]);
  },
};

export function keyHashOf(text: string): string {
  const hash = text.toLowerCase().replace(/^0x/, "");
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Misuse("a key hash is 64 hex digits");
  return hash;
}

/** Sorted, each once. */
export function scopesOf(input: Input): Scope[] {
  const words = (input.value("scopes") ?? ALL_SCOPES.join(",")).split(",").map((word) => word.trim());
  const unknown = words.find((word) => !ALL_SCOPES.some((scope) => scope === word));
  if (unknown !== undefined) throw new Misuse(`"${unknown}" is no scope: trading:read, trading:write`);
  return ALL_SCOPES.filter((scope) => words.includes(scope));
}
