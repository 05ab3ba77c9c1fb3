import { lstatSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { Network } from "../core/account.ts";
import type { CredentialSeal } from "../vault/credential-seal.ts";
import type { FoundPassphrase } from "../vault/passphrase.ts";
import { weaknessOf } from "../vault/passphrase-strength.ts";
import { type Finding, ok, warning } from "./finding.ts";

/** Where a passphrase file lies, seen from the data directory. */
export type FilePlace = "in_data_directory" | "same_disk" | "other_disk";

/** What whoever has the passphrase tells of it; nothing by which it could be found. */
export type PassphraseFacts = {
  source: FoundPassphrase["source"];
  /** Null unless it came from a file. */
  filePlace: FilePlace | null;
  /** Why it is easily guessed, or null. */
  weakness: string | null;
};

export function passphraseFacts(
  { source, passphrase }: FoundPassphrase,
  { file, directory }: { file: string | null; directory: string },
): PassphraseFacts {
  const filePlace = source === "file" && file !== null ? placeOf(file, directory) : null;
  return { source, filePlace, weakness: weaknessOf(passphrase) };
}

function placeOf(file: string, directory: string): FilePlace {
  if (!relative(resolve(directory), resolve(file)).startsWith("..")) return "in_data_directory";
  return statSync(dirname(resolve(file))).dev === lstatSync(directory).dev ? "same_disk" : "other_disk";
}

export type PassphraseQuestions = {
  network: Network;
  /** `not_given`: the gateway that runs was given none. Null: none runs, and nobody else who has it was asked. */
  facts: PassphraseFacts | "not_given" | null;
  /** What the credential's own header says; `plain` where systemd hands a file on, null where that was not looked at. */
  seal: CredentialSeal | "plain" | null;
  /** Whether this machine has a TPM 2. */
  hasTpm: boolean;
};

/** What a stolen disk would hold, and whether the passphrase could be guessed by whoever has it. */
export function examinePassphrase(questions: PassphraseQuestions): Finding[] {
  const { facts, network } = questions;
  if (facts === null) return [ok("passphrase", "not looked at: no gateway runs, and none was given")];
  if (facts === "not_given")
    return [ok("passphrase", "not looked at: the gateway that runs was given none, as a demo is")];
  const place = examineSource(questions, facts);
  if (network === "paper") return [ok(place.check, place.found)];
  return [place, ...(facts.weakness === null ? [] : [warning("passphrase_strength", facts.weakness, STRONGER)])];
}

const STRONGER =
  "guard the disk and every backup as if they were open, and go over to a new directory with a passphrase of: postern passphrase new";
const SEAL = "seal it: docs/operating.md, Passphrase";

function examineSource({ seal, hasTpm }: PassphraseQuestions, { source, filePlace }: PassphraseFacts): Finding {
  if (source === "prompt") return ok("passphrase", "typed at the start: it is on no disk, and nobody else starts this");
  if (source === "credential") return examineCredential(seal, hasTpm);
  if (filePlace === "in_data_directory") {
    const found = "in a file in the data directory: a copy of the directory holds both";
    return warning("passphrase", found, "move it elsewhere, or use a systemd credential");
  }
  if (filePlace === "other_disk") return ok("passphrase", "in a file on another disk than the data");
  return warning("passphrase", "in a file on the disk of the data: a stolen disk holds both", SEAL);
}

function examineCredential(seal: PassphraseQuestions["seal"], hasTpm: boolean): Finding {
  switch (seal) {
    case "tpm2":
    case "host_and_tpm2":
      return ok(
        "passphrase",
        "a systemd credential bound to this machine's TPM 2, as its header says: a stolen disk opens nothing",
      );
    case "host": {
      const found =
        "a systemd credential under the host key, as its header says, and that key is on the same disk: a stolen disk holds both; backups and other users do not";
      return hasTpm ? warning("passphrase", found, `this machine has a TPM 2; ${SEAL}`) : ok("passphrase", found);
    }
    case "nothing":
    case "plain":
      return warning(
        "passphrase",
        "in a file for root alone, in the clear: a stolen disk, and a copy of /etc, hold it",
        SEAL,
      );
    case "unknown":
      return ok("passphrase", "a systemd credential of a kind that this version does not know");
    case null:
      return ok("passphrase", "from systemd; what seals it is told by: sudo postern-operator doctor");
  }
}
