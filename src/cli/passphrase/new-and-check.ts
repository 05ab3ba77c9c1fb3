import { weaknessOf } from "../../vault/passphrase-strength.ts";
import { type Command, Failure, JSON_OUTPUT } from "../command.ts";
import { present } from "../output.ts";
import { foundPassphrase, MAKE_ONE, PASSPHRASE_FILE } from "../passphrase-input.ts";

/** 128 bits: nobody guesses them, whatever a guess costs. */
const BYTES = 16;
const BASE_32 = "abcdefghijklmnopqrstuvwxyz234567";
const BASE_32_BITS = 5;
/** Characters between two dashes: what one types without looking up. */
const GROUP = 4;

export const passphraseNew: Command = {
  name: "passphrase new",
  summary: "make a passphrase of 128 random bits for the agent keys; nothing is stored and it is shown once",
  options: { json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const made = newPassphrase(outside.randomBytes(BYTES));
    // Alone on its line, so that it can go into a file or a pipe as it is.
    present({ input, outside }, { passphrase: made }, [made]);
  },
};

/** Lower case without 0, 1, 8 and 9, in groups: it can be read out and typed. */
export function newPassphrase(randomBytes: Uint8Array): string {
  const bits = [...randomBytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const characters = Array.from({ length: Math.ceil(bits.length / BASE_32_BITS) }, (_, at) => {
    const part = bits.slice(at * BASE_32_BITS, (at + 1) * BASE_32_BITS).padEnd(BASE_32_BITS, "0");
    return BASE_32[Number.parseInt(part, 2)];
  });
  return characters.map((character, at) => (at > 0 && at % GROUP === 0 ? `-${character}` : character)).join("");
}

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
