/** What a bun.lock says: packages with their versions and the sums of their contents. */
import { readFileSync } from "node:fs";

export type Locked = {
  /** Where it would lie below node_modules: `viem`, `viem/ox` for one that only viem gets. */
  place: string;
  name: string;
  version: string;
  /** `sha512-…`; empty where the lockfile has none. */
  integrity: string;
};

export type Lockfile = {
  packages: ReadonlyMap<string, Locked>;
  /** Packages that may run scripts of theirs when they are installed. */
  trusted: readonly string[];
};

/** Packages of one lockfile; far above any of ours. */
const MAX_PACKAGES = 5_000;

export function readLockfile(path: string): Lockfile {
  // Written by Bun; each entry is checked below.
  const lock = Bun.JSONC.parse(readFileSync(path, "utf8")) as {
    packages: Readonly<Record<string, readonly unknown[]>>;
    trustedDependencies?: readonly string[];
  };
  const entries = Object.entries(lock.packages);
  if (entries.length === 0 || entries.length > MAX_PACKAGES)
    throw new Error(`${path} names ${entries.length} packages`);
  return {
    packages: new Map(entries.map(([place, entry]) => [place, locked(place, entry)])),
    trusted: lock.trustedDependencies ?? [],
  };
}

function locked(place: string, entry: readonly unknown[]): Locked {
  const [id] = entry;
  if (typeof id !== "string") throw new Error(`${place} has no name in the lockfile`);
  const at = id.lastIndexOf("@");
  const integrity = entry.findLast((field) => typeof field === "string" && field.startsWith("sha512-"));
  // What `findLast` found is a string that starts so.
  return {
    place,
    name: id.slice(0, at),
    version: id.slice(at + 1),
    integrity: (integrity as string | undefined) ?? "",
  };
}
