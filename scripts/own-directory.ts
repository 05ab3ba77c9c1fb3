/** Directories that nothing of stays. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where files lie that nobody has to wait for: memory, where the system has a directory that is. */
export const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** What ends a process that does not say otherwise, and then nothing is cleared away. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** A new directory below another one, gone when this process ends, by a signal too. */
export function openOwnDirectory(parent: string, prefix: string): string {
  const path = mkdtempSync(join(parent, prefix));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  for (const [name, number] of Object.entries(SIGNALS)) process.on(name, () => process.exit(128 + number));
  return path;
}
