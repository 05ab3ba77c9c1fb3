import { readFileSync, statSync } from "node:fs";
import { MAX_KEYSTORE_CHARACTERS, openKeystore } from "../../vault/keystore-v3.ts";
import { toHex } from "../../wire/hex.ts";
import { ACCOUNT, chosenAccount } from "../account-choice.ts";
import { change } from "../change.ts";
import { type Command, Failure } from "../command.ts";
import { places, reading } from "../directory.ts";
import { present } from "../output.ts";
import { keystorePassphrase, OPERATING } from "../passphrase-input.ts";

export const agentImport: Command = {
  name: "agent import",
  summary: "take in an agent key from a keystore file (version 3); never the key of an account",
  options: {
    account: ACCOUNT,
    "keystore-passphrase-file": { value: "FILE", help: "file with the keystore's own passphrase, mode 0400 or 0600" },
    ...OPERATING,
  },
  positionals: ["FILE"],
  async run(input, outside) {
    const at = places(input, outside);
    const { ownerAddress } = reading(at, ({ store }) => chosenAccount(store, input));
    const keystore = readKeystore(input.positionals[0] ?? "");
    const opened = await openKeystore(keystore, await keystorePassphrase(input, outside));
    if (opened.kind === "refused") throw new Failure(opened.reason);
    const facts = { ownerAddress, privateKey: toHex(opened.privateKey) };
    opened.privateKey.fill(0);
    const made = await change({ input, outside, at }, "import_agent", facts, { keys: true, exchange: true });
    const { address, name, state } = made;
    present({ input, outside }, { address, name, owner: ownerAddress, state }, [
      `Agent ${address} (${name}) for ${ownerAddress}`,
      ...(state === "approved"
        ? [
            "The exchange knows it: it signs from now on. Nobody else may sign with it any more: two at once lose numbers.",
          ]
        : ["", "Next, the owner approves it:", `  postern agent approval --agent ${address}`]),
      "Remove the keystore file: the key is sealed in the data directory now.",
    ]);
  },
};

function readKeystore(path: string): string {
  try {
    if (statSync(path).size > MAX_KEYSTORE_CHARACTERS) throw new Failure(`${path} is too large for a keystore`);
    return readFileSync(path, "utf8");
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(`${path} cannot be read`);
  }
}
