import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "./open.ts";

export type DatabaseSize = {
  databaseBytes: number;
  /** Of the write-ahead log: it grows while a reader sleeps on it. */
  logBytes: number;
  /** Null where it cannot be told. */
  diskFreeBytes: number | null;
};

export function databaseSize(store: Store): DatabaseSize {
  const path = store.$client.filename;
  return { databaseBytes: bytesOf(path), logBytes: bytesOf(`${path}-wal`), diskFreeBytes: diskFreeBytes(path) };
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Bytes left for us where this file is; null where it cannot be told. */
export function diskFreeBytes(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return null;
  }
}
