import { weaknessOf } from "../../vault/passphrase-strength.ts";
import { type Command, Failure, JSON_OUTPUT } from "../command.ts";
import { present } from "../output.ts";
import { foundPassphrase, MAKE_ONE, PASSPHRASE_FILE } from "../passphrase-input.ts";

export const passphraseCheck: Command = {
  name: "passphrase check",
  summary: "whether a passphrase is good enough to seal agent keys for real money",
  options: { "passphrase-file": PASSPHRASE_FILE, json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const { passphrase } = await foundPassphrase(input, outside);
    const weakness = weaknessOf(passphrase);
    if (weakness !== null) throw new Failure(`${weakness}. ${MAKE_ONE}`);
    present({ input, outside }, { ok: true }, ["It is good enough, as far as a rule can tell."]);
  },
};
