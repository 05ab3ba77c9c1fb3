import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DirectoryInUse, takeLock } from "../../src/store/lock.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

const HOLDER = join(import.meta.dir, "lock-child.ts");

test("a second opener is refused and told who holds the directory, until it is released", async () => {
  await inTemporaryDirectory((path) => {
    const lock = takeLock(path, 4711);
    expect(() => takeLock(path, 4712)).toThrow(DirectoryInUse);
    expect(() => takeLock(path, 4712)).toThrow("in use by process 4711");
    lock.release();
    takeLock(path, 4712).release();
  });
});

test("a directory that is discarded goes, unless somebody has put something there", async () => {
  await inTemporaryDirectory((path) => {
    const [empty, used] = [join(path, "empty"), join(path, "used")];
    for (const directory of [empty, used]) mkdirSync(directory);
    const locks = [takeLock(empty, 1), takeLock(used, 1)];
    writeFileSync(join(used, "postern.db"), "something of value");
    for (const lock of locks) lock.discard();
    expect(readdirSync(path)).toEqual(["used"]);
    expect(readdirSync(used)).toEqual(["postern.db"]);
    takeLock(used, 2).release();
  });
});

test("another process is refused while one holds it, and let in as soon as that one is killed", async () => {
  await inTemporaryDirectory(async (path) => {
    const holder = Bun.spawn([process.execPath, HOLDER, path], { stdout: "pipe", stderr: "inherit" });
    try {
      const reader = holder.stdout.getReader();
      await reader.read();
      expect(() => takeLock(path, 1)).toThrow(`in use by process ${holder.pid}`);
    } finally {
      holder.kill("SIGKILL");
      await holder.exited;
    }
    takeLock(path, 1).release();
  });
});

test("two directories are held apart", async () => {
  await inTemporaryDirectory(async (first) => {
    await inTemporaryDirectory((second) => {
      const locks = [takeLock(first, 1), takeLock(second, 1)];
      for (const lock of locks) lock.release();
    });
  });
});
