import { expect, test } from "bun:test";
import fc from "fast-check";
import { DiskFault, openDisk, type Sync } from "../../src/store/disk.ts";

type Step = "commit" | "wait" | "wait beside" | "end" | "fail";

const STEPS = fc.array(
  fc.constantFrom<Step>("commit", "commit", "wait", "wait beside", "wait beside", "end", "end", "fail"),
  {
    maxLength: 40,
  },
);

/** A disk whose waits end when the test says so, and that knows which commits each of them covers. */
function openModel() {
  let written = 0;
  let safe = 0;
  const under: { covers: number; end(error?: Error): void }[] = [];
  const sync: Sync = {
    now() {
      safe = written;
    },
    beside() {
      const covers = written;
      return new Promise((resolve, reject) => {
        under.push({ covers, end: (error) => (error === undefined ? resolve() : reject(error)) });
      });
    },
    close: () => undefined,
  };
  return {
    sync,
    under,
    commit() {
      written += 1;
    },
    end() {
      const first = under.shift();
      if (first === undefined) return;
      safe = Math.max(safe, first.covers);
      first.end();
    },
    fail: () => under.shift()?.end(new Error("EIO")),
    written: () => written,
    safe: () => safe,
  };
}

test("whoever is told that a commit is on the disk is told the truth, and after one failure nobody is", async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const model = openModel();
      const disk = openDisk(model.sync);
      const lies: number[] = [];
      let hasFailed = false;
      const waits: Promise<void>[] = [];
      for (const step of steps) {
        if (step === "commit") {
          model.commit();
          disk.committed();
        }
        if (step === "wait") {
          if (hasFailed) expect(() => disk.wait()).toThrow(DiskFault);
          else disk.wait();
        }
        if (step === "wait beside") {
          const commit = model.written();
          const told = () => void (model.safe() < commit || hasFailed ? lies.push(commit) : disk.requireOnDisk(commit));
          waits.push(disk.waitBeside().then(told, () => undefined));
        }
        if (step === "end") model.end();
        if (step === "fail" && model.under.length > 0) {
          model.fail();
          hasFailed = true;
        }
        for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
        expect(model.under.length).toBeLessThanOrEqual(1);
      }
      while (model.under.length > 0) {
        model.end();
        for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
      }
      await Promise.all(waits);
      expect(lies).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("a commit that nothing has waited for is on no disk", () => {
  const disk = openDisk({ now: () => undefined, beside: () => Promise.resolve(), close: () => undefined });
  const commit = disk.committed();
  expect(() => disk.requireOnDisk(commit)).toThrow("bug: commits do not wait for the disk");
  disk.wait();
  disk.requireOnDisk(commit);
});
