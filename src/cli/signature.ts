import { normalisedSignature } from "../wire/signature.ts";
import { type Input, Misuse, type Option } from "./command.ts";
import type { Outside } from "./outside.ts";

/** What stands on a command line is seen by every user of the machine, and kept by shells and by sudo. */
export const SIGNATURE: Option = {
  value: "0x…",
  help: "the owner's signature, 65 bytes in hex; - reads it from standard input; left out, it is asked for",
};

/** The owner's signature in one spelling: from the command line, from standard input, or asked for at the terminal. */
export async function ownersSignature(input: Input, outside: Outside): Promise<string> {
  const given = input.value("signature");
  return normaliseSignature(given === null || given === "-" ? await askedSignature(outside) : given);
}

async function askedSignature({ askHidden, readLine }: Outside): Promise<string> {
  const text = askHidden === null ? await readLine() : await askHidden("The owner's signature (0x…): ");
  if (text.trim() !== "") return text.trim();
  throw new Misuse("--signature is missing: give it by standard input, or at a terminal");
}

/** One spelling of what wallets give. */
export function normaliseSignature(text: string): string {
  const signature = normalisedSignature(text);
  if (signature !== null) return signature;
  throw new Misuse("a signature is 65 bytes in hex that end in 1b or 1c (or 00 or 01), or 64 (EIP-2098), with a low s");
}
