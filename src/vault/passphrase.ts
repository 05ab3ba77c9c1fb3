import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";

/**
 * Where the passphrase of a data directory may come from: a systemd credential, a file that nobody else can read, or
 * the keyboard. Never the environment or the command line, which other processes and shell histories can see.
 */

export type PassphraseSources = {
  /** `$CREDENTIALS_DIRECTORY`, or null when systemd gave none. */
  credentialsDirectory: string | null;
  /** Path of a passphrase file, or null. */
  file: string | null;
  /** Uid that must own the file. */
  uid: number;
  /** Asks at the keyboard with echo off; null when there is no terminal. */
  prompt: (() => Promise<string>) | null;
};

export type FoundPassphrase = { kind: "found"; passphrase: string; source: "credential" | "file" | "prompt" };

export type Passphrase =
  | FoundPassphrase
  /** Plain words that say what to do; they never hold any of the passphrase. */
  | { kind: "refused"; reason: string };

/** Longest passphrase, bytes. */
const MAX_BYTES = 1024;
/** Shortest passphrase, characters. */
const MIN_CHARACTERS = 8;
const CREDENTIAL_NAME = "passphrase";

/** The passphrase of something else, from a file that nobody else can read. */
export function readPassphraseFile(path: string, uid: number): Passphrase {
  const text = readSecret(path, uid);
  if (text.kind === "missing") return refused(`the passphrase file ${path} cannot be read`);
  return text.kind === "unfit"
    ? refused(text.reason)
    : { kind: "found", passphrase: withoutLineEnd(text.text), source: "file" };
}

/** The first source that exists decides: a bad file is refused, and no later source is asked instead. */
export async function readPassphrase(sources: PassphraseSources): Promise<Passphrase> {
  if (sources.credentialsDirectory !== null) {
    const text = readSecret(join(sources.credentialsDirectory, CREDENTIAL_NAME), null);
    if (text.kind !== "missing") return checked(text, "credential");
  }
  if (sources.file !== null) {
    const text = readSecret(sources.file, sources.uid);
    return text.kind === "missing"
      ? refused(`the passphrase file ${sources.file} cannot be read`)
      : checked(text, "file");
  }
  if (sources.prompt !== null) return checked({ kind: "read", text: await sources.prompt() }, "prompt");
  return refused("no passphrase: give a systemd credential named `passphrase`, a passphrase file, or a terminal");
}

type Secret = { kind: "read"; text: string } | { kind: "missing" } | { kind: "unfit"; reason: string };

/** `ownerUid` null: systemd's own directory, whose files it has locked already. */
function readSecret(path: string, ownerUid: number | null): Secret {
  let descriptor: number;
  try {
    // No links: who made one is unknown. Not blocking: a pipe in its place would hold up the start for ever.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return { kind: "missing" };
  }
  try {
    const fault = ownerUid === null ? null : fileFault(descriptor, path, ownerUid);
    if (fault !== null) return { kind: "unfit", reason: fault };
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    const length = readSync(descriptor, buffer, 0, buffer.length, 0);
    const text = buffer.toString("utf8", 0, length);
    buffer.fill(0);
    return length > MAX_BYTES
      ? { kind: "unfit", reason: "the passphrase is over 1024 bytes long" }
      : { kind: "read", text };
  } finally {
    closeSync(descriptor);
  }
}

/** Checked on the open file, so that it cannot be exchanged between the check and the reading. */
function fileFault(descriptor: number, path: string, ownerUid: number): string | null {
  const { mode, uid } = fstatSync(descriptor);
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) return `${path} is not a plain file`;
  if (uid !== ownerUid) return `${path} belongs to another user; it has to belong to the user that runs this`;
  const permissions = mode & 0o777;
  if (permissions !== 0o400 && permissions !== 0o600) {
    return `${path} has mode ${permissions.toString(8)}; make it readable by its owner alone: chmod 600 ${path}`;
  }
  return null;
}

function checked(secret: Exclude<Secret, { kind: "missing" }>, source: "credential" | "file" | "prompt"): Passphrase {
  if (secret.kind === "unfit") return refused(secret.reason);
  const passphrase = withoutLineEnd(secret.text);
  if (passphrase.length < MIN_CHARACTERS) return refused(`the passphrase has fewer than ${MIN_CHARACTERS} characters`);
  return { kind: "found", passphrase, source };
}

/** Editors end a file with a line feed that is not meant. */
function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

function refused(reason: string): Passphrase {
  return { kind: "refused", reason };
}
