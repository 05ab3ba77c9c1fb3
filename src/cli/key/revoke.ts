import { revocationTypedData } from "../../wire/grant-data.ts";
import { ACCOUNT, chosenAccount } from "../account-choice.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT, required } from "../command.ts";
import { networkWords, places, reading } from "../directory.ts";
import { audience, GATEWAY, post } from "../gateway-client.ts";
import { present, signable, signableLines } from "../output.ts";
import { ownersSignature, SIGNATURE } from "../signature.ts";
import { KEY_HASH, keyHashOf } from "./key-options.ts";
import { ordersOfEndedKey } from "./orders-of-ended-key.ts";
import { onlyAccount } from "./register.ts";

export const keyRevoke: Command = {
  name: "key revoke",
  summary: "revoke an API key with the owner's signature; without --signature, print what the owner signs",
  options: {
    "key-hash": KEY_HASH,
    account: ACCOUNT,
    signature: { ...SIGNATURE, help: "the owner's signature; - reads it from standard input, or asks for it" },
    "cancel-orders": { value: null, help: "what it has placed and could still make a position larger goes as well" },
    listen: GATEWAY,
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    const hash = keyHashOf(required(input, "key-hash"));
    const signed = input.value("signature");
    if (signed === null) return show(hash);
    const account = input.value("account") ?? onlyAccount(at, input);
    const signature = await ownersSignature(input, outside);
    const body = { account, key_hash: hash, signature };
    const about = { command: keyRevoke, input, outside };
    if (!input.isSet("cancel-orders")) {
      const answer = await post(about, "/v1/api-keys/revoke", body);
      return present({ input, outside }, answer, [
        `Revoked for account ${account}, for good.`,
        ...ordersOfEndedKey(null),
      ]);
    }
    const answer = await post(about, "/v1/api-keys/revocations", { ...body, cancel_orders: true });
    const words = [`Revoked for account ${account}, for good.`, ...ordersOfEndedKey(String(answer["stop"]))];
    present({ input, outside }, answer, words);

    async function show(keyHash: string): Promise<void> {
      const { account: owned, instance } = reading(at, ({ store, instance }) => ({
        account: chosenAccount(store, input),
        instance,
      }));
      const revocation = {
        audience: await audience({ command: keyRevoke, input, outside }, at),
        accountId: owned.id,
        keyHash,
      };
      const typedData = revocationTypedData(revocation);
      present(
        { input, outside },
        { account: owned.id, key_hash: keyHash, network: instance.network, ...signable(typedData) },
        [
          `Sign this with the wallet of ${owned.ownerAddress} (${networkWords(instance)}):`,
          "",
          ...signableLines(typedData),
          "",
          "Then hand the signature to the running gateway; it is asked for, or read from standard input:",
          `  postern key revoke --account ${owned.id} --key-hash ${keyHash} --signature -`,
        ],
      );
    }
  },
};
