import { Database } from "bun:sqlite";
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Held by the process that may change a data directory; dies with it. */
export type Lock = {
  release(): void;
  /** Of a directory that this process has made and leaves empty: takes it away. */
  discard(): void;
};

/** Another process holds the data directory. */
export class DirectoryInUse extends Error {
  override readonly name = "DirectoryInUse";
}

/** Keeps held locks from the garbage collector: a connection that it closes has let go, and nobody was told. */
const held = new Set<Database>();

/** Takes the data directory for this process, or throws `DirectoryInUse` naming the one that has it. */
export function takeLock(dataDirectory: string, processId: number): Lock {
  const path = join(dataDirectory, "lock.db");
  const holderPath = join(dataDirectory, "lock.pid");
  const client = new Database(path, { create: true, strict: true });
  try {
    client.run("PRAGMA busy_timeout = 0");
    client.run("BEGIN EXCLUSIVE");
  } catch {
    client.close();
    const holder = existsSync(holderPath) ? readFileSync(holderPath, "utf8").trim() : "unknown";
    throw new DirectoryInUse(`${dataDirectory} is in use by process ${holder}`);
  }
  held.add(client);
  writeFileSync(holderPath, `${processId}\n`, { mode: 0o600 });
  const release = () => {
    held.delete(client);
    client.run("ROLLBACK");
    client.close();
  };
  return {
    release,
    discard() {
      for (const file of [path, holderPath]) rmSync(file, { force: true });
      release();
      // What somebody else has put there meanwhile stays.
      if (readdirSync(dataDirectory).length === 0) rmdirSync(dataDirectory);
    },
  };
}
