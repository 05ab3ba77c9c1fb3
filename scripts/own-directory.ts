/** Directories that nothing of stays. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** Where files lie that nobody has to wait for: memory, where the system has a directory that is. */
export const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Memory with less left than this is not taken for files, bytes: four programs of 125 MiB each, and databases. */
const LEAST_ROOM_BYTES = 4 * 1024 ** 3;
const MOUNTS = "/proc/self/mounts";

/** Of a machine, what says where files should lie: the directory that somebody has named, its mounts, and bytes of memory left. */
export type RoomForFiles = { named: string | undefined; mounts: string; freeBytes: number };

export function roomForFiles(): RoomForFiles {
  const mounts = existsSync(MOUNTS) ? readFileSync(MOUNTS, "utf8") : "";
  const { bavail, bsize } = statfsSync(MEMORY);
  return { named: process.env["TMPDIR"], mounts, freeBytes: Math.min(bavail * bsize, freemem()) };
}

/**
 * Where files lie of which no time is told and no cut of power is asked: a database in memory waits for no disk, and takes a
 * quarter less of the processor. Where somebody has named a directory it is that one.
 */
export function quickDirectory({ named, mounts, freeBytes }: RoomForFiles): string {
  if (named !== undefined && named !== "") return named;
  const options = optionsOf(MEMORY, mounts);
  // Containers often allow no program to be started from there, or leave 64 MiB.
  const isQuick = options.includes("rw") && !options.includes("noexec") && freeBytes >= LEAST_ROOM_BYTES;
  return isQuick ? MEMORY : tmpdir();
}

/** Of a directory where a file system begins; the last one that was put there counts. */
function optionsOf(directory: string, mounts: string): readonly string[] {
  const lines = mounts.split("\n").map((line) => line.split(" "));
  return lines.findLast(([, where]) => where === directory)?.[3]?.split(",") ?? [];
}

/** What ends a process that does not say otherwise, and then nothing is cleared away. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** A new directory below another one, gone when this process ends, by a signal too. */
export function openOwnDirectory(parent: string, prefix: string): string {
  const path = mkdtempSync(join(parent, prefix));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  for (const [name, number] of Object.entries(SIGNALS)) process.on(name, () => process.exit(128 + number));
  return path;
}
