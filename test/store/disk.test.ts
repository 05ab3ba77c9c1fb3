import { expect, test } from "bun:test";
import fc from "fast-check";
import { openDisk, type Sync } from "../../src/store/disk.ts";

type Step = "commit" | "wait" | "wait beside" | "end" | "fail" | "turn";

const STEPS = fc.array(
  fc.constantFrom<Step>("commit", "commit", "wait", "wait beside", "wait beside", "end", "end", "fail", "turn", "turn"),
  { maxLength: 60 },
);

/** A disk whose waits end when the test says so, which knows what is on it and tells a failure once to each opening. */
function openModel() {
  let written = 0;
  let safe = 0;
  let hasFailed = false;
  const told = { here: false, beside: false };
  const under: { covers: number; end(error?: Error): void }[] = [];

  /** What a failure has lost no later wait brings there, though it is told that all is well. */
  function reach(covers: number): void {
    if (!hasFailed) safe = Math.max(safe, covers);
  }

  const sync: Sync = {
    now() {
      if (hasFailed && !told.here) {
        told.here = true;
        throw new Error("EIO");
      }
      reach(written);
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
    commit() {
      written += 1;
    },
    end() {
      const first = under.shift();
      const isTold = hasFailed && !told.beside && first !== undefined;
      if (isTold) told.beside = true;
      else if (first !== undefined) reach(first.covers);
      first?.end(isTold ? new Error("EIO") : undefined);
    },
    fail() {
      hasFailed = true;
    },
    written: () => written,
    safe: () => safe,
    underWay: () => under.length,
  };
}

test("whoever is told that a commit is on the disk is told the truth, one wait at a time", async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const model = openModel();
      const disk = openDisk(model.sync);
      const lies: string[] = [];
      const waits: Promise<void>[] = [];
      const tell = (commit: number, how: Step) => {
        if (model.safe() < commit) lies.push(`commit ${commit}, by ${how}`);
        else if (!isOnDisk(commit)) lies.push(`commit ${commit} is on the disk, and not said to be`);
      };
      const isOnDisk = (commit: number) => {
        try {
          disk.requireOnDisk(commit);
          return true;
        } catch {
          return false;
        }
      };
      const wait = () => {
        try {
          disk.wait();
        } catch {
          return;
        }
        tell(model.written(), "wait");
      };
      for (const step of steps) {
        if (step === "commit") {
          model.commit();
          disk.committed();
        }
        if (step === "wait") wait();
        if (step === "wait beside") {
          const commit = model.written();
          waits.push(
            disk.waitBeside().then(
              () => tell(commit, "wait beside"),
              () => undefined,
            ),
          );
        }
        if (step === "end") model.end();
        if (step === "fail") model.fail();
        // Every order in which what has ended and what begins may meet.
        if (step === "turn") await Promise.resolve();
        expect(model.underWay()).toBeLessThanOrEqual(1);
        if (model.safe() < model.written()) expect(isOnDisk(model.written())).toBe(false);
      }
      let areToldAll = false;
      const all = Promise.all(waits).then(() => {
        areToldAll = true;
      });
      while (!areToldAll) {
        model.end();
        await Promise.resolve();
        expect(model.underWay()).toBeLessThanOrEqual(1);
      }
      await all;
      expect(lies).toEqual([]);
    }),
    { numRuns: 3_000 },
  );
});

test("a commit that nothing has waited for is on no disk", () => {
  const disk = openDisk({ now: () => undefined, beside: () => Promise.resolve(), close: () => undefined });
  const commit = disk.committed();
  expect(() => disk.requireOnDisk(commit)).toThrow("bug: commits do not wait for the disk");
  disk.wait();
  disk.requireOnDisk(commit);
});
