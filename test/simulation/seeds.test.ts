import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runSeed } from "./run-seed.ts";

const directory = mkdtempSync(join(tmpdir(), "postern-seeds-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("a dozen seeds break no promise", async () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const { findings } = await runSeed({ seed, directory, isLogged: false });
    expect({ seed, findings }).toEqual({ seed, findings: [] });
  }
}, 60_000);

test("a seed gives the same events every time, and another one others", async () => {
  const [first, second, other] = [
    await runSeed({ seed: 7, directory, isLogged: true }),
    await runSeed({ seed: 7, directory, isLogged: true }),
    await runSeed({ seed: 8, directory, isLogged: true }),
  ];
  expect(second.history).toEqual(first.history);
  expect(second.hash).toBe(first.hash);
  expect(other.hash).not.toBe(first.hash);
});
