import { readPassphrase } from "../vault/passphrase.ts";
import { Failure, type Input, type Option } from "./command.ts";
import type { Outside } from "./outside.ts";

export const PASSPHRASE_FILE: Option = {
  value: "FILE",
  help: "file with the passphrase of the agent keys, mode 0400 or 0600",
  variable: "POSTERN_PASSPHRASE_FILE",
};

/** The passphrase of the agent keys: systemd credential, file or prompt, in this order. */
export async function passphrase(input: Input, outside: Outside): Promise<string> {
  const found = await readPassphrase(sources(input, outside));
  if (found.kind === "refused") throw new Failure(found.reason);
  return found.passphrase;
}

/** True when `passphrase` would find one without asking at the keyboard. */
export function hasPassphraseAtHand(input: Input, outside: Outside): boolean {
  const given = sources(input, outside);
  return given.credentialsDirectory !== null || given.file !== null;
}

/** A new one, typed twice when it is typed: it cannot be found again. */
export async function newPassphrase(input: Input, outside: Outside): Promise<string> {
  const found = await readPassphrase(sources(input, outside));
  if (found.kind === "refused") throw new Failure(found.reason);
  if (found.source === "prompt" && (await outside.askHidden?.("The same again: ")) !== found.passphrase) {
    throw new Failure("the two differ");
  }
  return found.passphrase;
}

function sources(input: Input, outside: Outside) {
  const { askHidden, environment, uid } = outside;
  const prompt = askHidden === null ? null : () => askHidden("Passphrase of the agent keys: ");
  const credentialsDirectory = environment["CREDENTIALS_DIRECTORY"] ?? null;
  return { credentialsDirectory, file: input.value("passphrase-file"), uid, prompt };
}
