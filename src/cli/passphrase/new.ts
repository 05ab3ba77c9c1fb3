import { type Command, JSON_OUTPUT } from "../command.ts";
import { present } from "../output.ts";

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
