import { API_NETWORK } from "../../core/account.ts";
import { grantTypedData } from "../../wire/grant-data.ts";
import { ACCOUNT, chosenAccount } from "../account-choice.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT, Misuse, required } from "../command.ts";
import { networkWords, places, reading } from "../directory.ts";
import { audience, GATEWAY } from "../gateway-client.ts";
import { present, signable, signableLines } from "../output.ts";
import { KEY_HASH, keyHashOf, SCOPES, scopesOf } from "./key-options.ts";
import { RAILS_OPTIONS, showLimitedGrant } from "./limited-grant.ts";

export const keyGrant: Command = {
  name: "key grant",
  summary: "print what the owner's wallet signs to grant an API key; with --bot, one that is held to rails",
  options: {
    "key-hash": KEY_HASH,
    scopes: SCOPES,
    account: ACCOUNT,
    ...RAILS_OPTIONS,
    listen: GATEWAY,
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: [],
  async run(input, outside) {
    if (input.value("bot") !== null) return showLimitedGrant({ command: keyGrant, input, outside });
    const given = Object.keys(RAILS_OPTIONS).find((name) => input.value(name) !== null);
    if (given !== undefined) throw new Misuse(`--${given} is a rail of a bot: name it with --bot`);
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
