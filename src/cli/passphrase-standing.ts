/** What the doctor learns of the passphrase: from the gateway that has it, else from itself, and what seals it from its file. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Network } from "../core/account.ts";
import type { Places } from "../ops/data-directory.ts";
import { examinePassphrase, type PassphraseQuestions, passphraseFacts } from "../ops/examine-passphrase.ts";
import type { Finding } from "../ops/finding.ts";
import { credentialSealOf } from "../vault/credential-seal.ts";
import type { Input } from "./command.ts";
import { askGateway } from "./control.ts";
import type { Outside } from "./outside.ts";
import { foundPassphrase, hasPassphraseAtHand } from "./passphrase-input.ts";

type PassphraseLook = { input: Input; outside: Outside; at: Places; config: Pick<Config, "passphraseFile"> };

export async function lookAtPassphrase(looking: PassphraseLook, network: Network): Promise<Finding[]> {
  const { environment } = looking.outside;
  const seal = sealIn(environment["CREDENTIALS_DIRECTORY"] ?? null);
  return examinePassphrase({ network, facts: await factsOf(looking), seal, hasTpm: existsSync(TPM) });
}

/** There where the kernel knows a TPM 2. */
const TPM = "/sys/class/tpmrm/tpmrm0";

async function factsOf({ input, outside, at, config }: PassphraseLook): Promise<PassphraseQuestions["facts"]> {
  const told = await askGateway(at, "tell_passphrase", {});
  if (told.isRunning) return told.result.facts ?? "not_given";
  // The doctor has no option for it, and looks where the settings say.
  const { passphraseFile: file } = config;
  const set = { ...input, value: (name: string) => (name === "passphrase-file" ? file : input.value(name)) };
  if (!hasPassphraseAtHand(set, outside)) return null;
  return passphraseFacts(await foundPassphrase(set, outside), { file, directory: at.directory });
}

/** `postern-operator` hands the sealed file on beside the open one: as it is, or `plain` where there is none. */
const SEALED_NAME = "passphrase-sealed";
const PLAIN = "plain";

function sealIn(credentialsDirectory: string | null): PassphraseQuestions["seal"] {
  const path = credentialsDirectory === null ? null : join(credentialsDirectory, SEALED_NAME);
  if (path === null || !existsSync(path)) return null;
  const file = readFileSync(path, "latin1");
  return file.trim() === PLAIN ? PLAIN : credentialSealOf(file);
}
