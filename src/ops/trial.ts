/**
 * After an upgrade the new version shows that it is well before it may take a write, because until then, and only until
 * then, the old one can be put back together with the snapshot made before. `upgrade.sh` leaves the file that says so;
 * the version under which writes were opened is kept in another, and nobody goes back behind that one.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import type { Places } from "./data-directory.ts";
import { OperatorError } from "./operator.ts";

export type Trial = {
  version: string;
  isOn(): boolean;
  /** Keeps for good that this version takes writes, and ends the trial. Safe to call again. */
  end(): void;
  /** Resolves when the trial has ended. */
  ended: Promise<void>;
};

const VERSION = /^([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})$/;
/** Bytes of the file that are read; a version is shorter. */
const MAX_VERSION_BYTES = 64;

/** Throws an `OperatorError` when a newer version has taken writes in this directory. */
export function openTrial(at: Places, version: string): Trial {
  const accepted = acceptedVersion(at);
  if (accepted !== null && isOlder(version, accepted)) {
    throw new OperatorError(
      `Postern ${accepted} has taken writes in ${at.directory}, and this is ${version}: use ${accepted} or a newer one`,
    );
  }
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  return {
    version,
    ended,
    isOn: () => existsSync(at.trial),
    end() {
      // In this order: between the two nobody can take the trial for undecided and the version for not accepted.
      if (VERSION.test(version) && acceptedVersion(at) !== version) writeDurably(at.acceptedBy, `${version}\n`);
      if (existsSync(at.trial)) removeDurably(at.trial, at.directory);
      resolve();
    },
  };
}

function acceptedVersion(at: Places): string | null {
  if (!existsSync(at.acceptedBy)) return null;
  const text = readFileSync(at.acceptedBy, "utf8").slice(0, MAX_VERSION_BYTES).trim();
  if (VERSION.test(text)) return text;
  throw new OperatorError(`${at.acceptedBy} is damaged; it holds the version that has taken writes last, like 1.2.3`);
}

/** False for a build without a version. */
function isOlder(version: string, other: string): boolean {
  const [own, theirs] = [VERSION.exec(version), VERSION.exec(other)];
  if (own === null || theirs === null) return false;
  for (const place of [1, 2, 3]) {
    const difference = Number(own[place]) - Number(theirs[place]);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** On the disk under its name, whole, or not at all. */
function writeDurably(path: string, text: string): void {
  const unfinished = `${path}.new`;
  const descriptor = openSync(unfinished, "w", 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, path);
}

function removeDurably(path: string, directory: string): void {
  // Names first: the file with the version must not be forgotten while the trial's is.
  syncDirectory(directory);
  rmSync(path);
  syncDirectory(directory);
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
