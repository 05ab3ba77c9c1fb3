import type { Network } from "../core/account.ts";
import { type FoundPassphrase, readPassphrase, readPassphraseFile } from "../vault/passphrase.ts";
import { weaknessOf } from "../vault/passphrase-strength.ts";
import { DATA_DIRECTORY, Failure, type Input, JSON_OUTPUT, type Option } from "./command.ts";
import type { Outside } from "./outside.ts";

export const PASSPHRASE_FILE: Option = {
  value: "FILE",
  help: "file with the passphrase of the agent keys, mode 0400 or 0600",
  variable: "POSTERN_PASSPHRASE_FILE",
};

/** Options of what works on a data directory, and opens what is sealed there: in the order in which each shows them. */
export const OPERATING = { "passphrase-file": PASSPHRASE_FILE, "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT };

/** Variables that make the runtime open itself to a debugger or run other code: no key is opened beside them. */
const UNSAFE_VARIABLES = /^(BUN_INSPECT.*|BUN_OPTIONS|BUN_BE_BUN|NODE_OPTIONS)$/;

/** Before the first secret is in memory. */
function secure({ environment, protectMemory, warn }: Outside): void {
  const found = Object.keys(environment).find((name) => UNSAFE_VARIABLES.test(name) && environment[name] !== "");
  if (found !== undefined) throw new Failure(`${found} is set, and lets others into this process: unset it`);
  if (!protectMemory()) warn("postern: this system may write core dumps with keys in them: set LimitCORE=0\n");
}

/** The passphrase of the agent keys: systemd credential, file or prompt, in this order. */
export async function passphrase(input: Input, outside: Outside): Promise<string> {
  return (await foundPassphrase(input, outside)).passphrase;
}

/** The passphrase of the agent keys, and where it came from: systemd credential, file or prompt, in this order. */
export async function foundPassphrase(input: Input, outside: Outside): Promise<FoundPassphrase> {
  secure(outside);
  const found = await readPassphrase(sources(input, outside));
  if (found.kind === "refused") throw new Failure(found.reason);
  return found;
}

/** True when `passphrase` would find one without asking at the keyboard. */
export function hasPassphraseAtHand(input: Input, outside: Outside): boolean {
  const given = sources(input, outside);
  return given.credentialsDirectory !== null || given.file !== null;
}

/** A new one, typed twice when it is typed: it cannot be found again. Throws for one that is easily guessed. */
export async function newPassphrase(input: Input, outside: Outside, network: Network): Promise<string> {
  const found = await foundPassphrase(input, outside);
  // What is signed on paper is worth nothing: the demo's friends may take what they like.
  const weakness = network === "paper" ? null : weaknessOf(found.passphrase);
  if (weakness !== null) throw new Failure(`${weakness}. ${MAKE_ONE}`);
  if (found.source === "prompt" && (await outside.askHidden?.("The same again: ")) !== found.passphrase) {
    throw new Failure("the two differ");
  }
  return found.passphrase;
}

export const MAKE_ONE =
  "A good one: postern passphrase new. Or six words that dice have chosen; no sentence out of a book";

/** The passphrase of a key file that comes from elsewhere. */
export async function keystorePassphrase(input: Input, outside: Outside): Promise<string> {
  secure(outside);
  const file = input.value("keystore-passphrase-file");
  if (file === null) {
    if (outside.askHidden === null) throw new Failure("no passphrase: give --keystore-passphrase-file or a terminal");
    return outside.askHidden("Passphrase of the keystore: ");
  }
  const found = readPassphraseFile(file, outside.uid);
  if (found.kind === "refused") throw new Failure(found.reason);
  return found.passphrase;
}

function sources(input: Input, outside: Outside) {
  const { askHidden, environment, uid } = outside;
  const prompt = askHidden === null ? null : () => askHidden("Passphrase of the agent keys: ");
  const credentialsDirectory = environment["CREDENTIALS_DIRECTORY"] ?? null;
  return { credentialsDirectory, file: input.value("passphrase-file"), uid, prompt };
}
