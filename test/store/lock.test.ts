import { expect, test } from "bun:test";
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
