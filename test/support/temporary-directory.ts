import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory of its own for one work, gone afterwards. */
export async function inTemporaryDirectory<T>(work: (path: string) => T | Promise<T>): Promise<T> {
  const path = mkdtempSync(join(tmpdir(), "postern-test-"));
  try {
    return await work(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
