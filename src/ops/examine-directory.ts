import { lstatSync, readdirSync, type Stats, statfsSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "./data-directory.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
import { OperatorError } from "./operator.ts";

/** Less than this stops writes soon, bytes. */
const FULL_BYTES = 100_000_000;
const NEARLY_FULL_BYTES = 1_000_000_000;
/** Files that are looked at; ours are a dozen. */
const MAX_FILES = 1_000;

/** File systems on which locks and write-ahead logs are not what they are on a disk, by their number in Linux. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9P"],
]);

/** Whose the data directory is, who may read it, and how much room there is. Root looks at it as its owner would. */
export function examineDirectory({ directory }: Places, reader: number): Finding[] {
  const uid = reader === ROOT ? lstatSync(directory).uid : reader;
  return [examineAccess(directory, uid), examineFiles(directory, uid), examineRoom(directory), examineKind(directory)];
}

const ROOT = 0;

/**
 * Throws unless the directory is this user's own and nobody else can open it. For whoever writes there: root as well, for
 * files that root leaves behind would keep the owner out.
 */
export function requireOwnDirectory({ directory }: Places, uid: number): void {
  const { level, found, todo } = examineAccess(directory, uid);
  if (level === "fault") throw new OperatorError(`${found}: ${todo}`);
}

function examineAccess(directory: string, uid: number): Finding {
  const stats = lstatSync(directory);
  if (stats.isSymbolicLink()) {
    return fault("directory", `${directory} is a link`, "name the directory itself with --data-dir");
  }
  const reason = accessFault(stats, uid, 0o700);
  if (reason === null) return ok("directory", `${directory}, mode 700`);
  return fault("directory", `${directory} ${reason}`, `chown -R $(id -un) ${directory} && chmod 700 ${directory}`);
}

function examineFiles(directory: string, uid: number): Finding {
  const names = readdirSync(directory).slice(0, MAX_FILES);
  const open = names.flatMap((name) => {
    const stats = lstatSync(join(directory, name), { throwIfNoEntry: false });
    if (stats === undefined || stats.isDirectory()) return [];
    const reason = stats.isSymbolicLink() ? "is a link" : accessFault(stats, uid, 0o600);
    return reason === null ? [] : [`${name} ${reason}`];
  });
  if (open.length === 0) return ok("files", `${names.length} files, nobody else's and nobody else reads them`);
  return fault("files", open.join("; "), `chmod -R go= ${directory}`);
}

/** What is wrong with owner or mode, or null. Stricter than `mode` is fine. */
function accessFault({ uid: owner, mode }: Stats, uid: number, allowed: number): string | null {
  if (owner !== uid) return `belongs to user ${owner}`;
  const permissions = mode & 0o777;
  return (permissions & 0o077) === 0 ? null : `has mode ${permissions.toString(8)}, not ${allowed.toString(8)}`;
}

function examineRoom(directory: string): Finding {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  const words = `${(free / 1e9).toFixed(1)} GB free`;
  const todo = "make room on the disk of the data directory: a full one stops writes";
  if (free < FULL_BYTES) return fault("disk", words, todo);
  return free < NEARLY_FULL_BYTES ? warning("disk", words, todo) : ok("disk", words);
}

function examineKind(directory: string): Finding {
  return findingOfKind(statfsSync(directory).type);
}

/** @param type of a file system, as Linux numbers them in <linux/magic.h> */
export function findingOfKind(type: number): Finding {
  const name = NETWORK_FILE_SYSTEMS.get(type);
  if (name === undefined) return ok("file_system", "local");
  return fault("file_system", `${name}, on which a database loses writes`, "move the data directory to a local disk");
}
