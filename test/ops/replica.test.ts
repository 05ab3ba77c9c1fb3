/** What Litestream leaves beside the database: 0.3 as it was seen, 0.5 as its source has it (`db.go`, `LTXPath`). */
import { expect, test } from "bun:test";
import { mkdirSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Places, placesIn } from "../../src/ops/data-directory.ts";
import { examineReplica } from "../../src/ops/examine-replica.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

const NOW_MS = Date.UTC(2026, 10, 22);
const GENERATION = "a1b2c3d4e5f60718";

type Machine = {
  places: Places;
  /** Writes the log, `agoMs` before now. */
  commit(agoMs: number): void;
  copy05(number: number, agoMs: number): void;
  copy03(number: number, agoMs: number): void;
  /** What the doctor says; `during` runs at its first pause. */
  look(settings?: { hasExternalCheckpoints?: boolean; during?: () => void }): Promise<string[]>;
  texts: string[];
};

async function onMachine(work: (machine: Machine) => Promise<void>): Promise<void> {
  await inTemporaryDirectory(async (path) => {
    const places = placesIn(path);
    const texts: string[] = [];
    const put = (file: string, agoMs: number) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "x");
      utimesSync(file, new Date(NOW_MS), new Date(NOW_MS - agoMs));
    };
    const own = join(path, ".postern.db-litestream");
    const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0");
    await work({
      places,
      texts,
      commit: (agoMs) => put(`${places.database}-wal`, agoMs),
      copy05: (number, agoMs) => put(join(own, "ltx", "0", `${hex(number, 16)}-${hex(number, 16)}.ltx`), agoMs),
      copy03(number, agoMs) {
        put(join(own, "generations", GENERATION, "wal", `${hex(number, 8)}.wal`), agoMs);
        writeFileSync(join(own, "generation"), `${GENERATION}\n`);
      },
      async look({ hasExternalCheckpoints = true, during = () => undefined } = {}) {
        let pending = during;
        const sleep = async () => {
          pending();
          pending = () => undefined;
        };
        const findings = await examineReplica({ places, hasExternalCheckpoints, clock: { sleep } });
        texts.splice(0, texts.length, ...findings.map(({ found }) => found));
        for (const { level, todo } of findings) expect(todo === null).toBe(level === "ok");
        return findings.map(({ check, level }) => `${check} ${level}`);
      },
    });
  });
}

test("where neither files nor settings speak of Litestream there is nothing to say", async () => {
  await onMachine(async ({ commit, look }) => {
    commit(0);
    expect(await look({ hasExternalCheckpoints: false })).toEqual([]);
  });
});

test("a gateway that leaves its log to Litestream, which was never there, is told that it only grows", async () => {
  await onMachine(async ({ commit, look, texts }) => {
    commit(0);
    expect(await look()).toEqual(["replica warning"]);
    expect(texts[0]).toContain("only grows");
  });
});

test.each([
  ["copy05", []],
  ["copy03", ["replica_version warning"]],
] as const)("the age of a replica is told by the newest file of %s", async (copy, always) => {
  await onMachine(async (machine) => {
    const { commit, look, texts } = machine;
    const add = machine[copy];
    add(1, 900_000);
    add(15, 800_000);
    commit(700_000);
    expect(await look()).toEqual([...always, "replica fault"]);
    expect(texts.at(-1)).toContain("100 s behind");
    expect(texts.at(-1)).toContain("told by the times of files");
    add(16, 730_000);
    expect(await look()).toEqual([...always, "replica warning"]);
    // It follows once a second: what was written just now is waited for.
    expect(await look({ during: () => add(17, 699_500) })).toEqual([...always, "replica ok"]);
    expect(await look({ hasExternalCheckpoints: false })).toEqual(["replica_setting warning", ...always, "replica ok"]);
  });
});

test("a copy that holds nothing, a log that is empty and one that nobody moves are told apart", async () => {
  await onMachine(async ({ places, commit, copy05, look }) => {
    mkdirSync(join(dirname(places.database), ".postern.db-litestream", "ltx"), { recursive: true });
    expect(await look()).toEqual(["replica ok"]);
    commit(10_000);
    expect(await look()).toEqual(["replica fault"]);
    copy05(1, 0);
    truncateSync(`${places.database}-wal`, 65 * 1_048_576);
    utimesSync(`${places.database}-wal`, new Date(NOW_MS), new Date(NOW_MS - 1_000));
    expect(await look()).toEqual(["replica ok", "replica_log warning"]);
  });
});
