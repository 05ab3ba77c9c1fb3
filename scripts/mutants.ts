/**
 * Proves that the simulation can fail: plants one bug at a time in a copy of the tree and counts the seeds that it takes
 * until the auditor finds it.
 *
 *   bun run mutants [--only NAME] [--seeds N]
 *
 * Fails when a bug survives all its seeds, or cannot be planted any more.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MUTANTS, type Mutant } from "./mutants/list.ts";

const ROOT = join(import.meta.dir, "..");
const COPIED = ["src", "test", "scripts", "drizzle", "package.json", "tsconfig.json", "bunfig.toml"];
/** Seeds after which a bug has survived. */
const MAX_SEEDS = "4000";
/** Characters of a finding that are shown. */
const SHOWN = 160;
/** Minutes for one bug. */
const MAX_MINUTES = "15";

type Outcome = { name: string; foundBy: string | null; finding: string };

function plant(directory: string, mutant: Mutant): string | null {
  for (const { file, find, put } of mutant.changes) {
    const path = join(directory, file);
    const text = readFileSync(path, "utf8");
    if (text.split(find).length !== 2) return `${file} does not hold exactly once: ${find}`;
    writeFileSync(
      path,
      text.replace(find, () => put),
    );
  }
  return null;
}

function copyTree(from: string): string {
  const directory = mkdtempSync(join(tmpdir(), "postern-mutant-"));
  for (const name of COPIED) cpSync(join(from, name), join(directory, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  return directory;
}

async function hunt(mutant: Mutant, clean: string, seeds: string): Promise<Outcome> {
  const directory = copyTree(clean);
  try {
    const fault = plant(directory, mutant);
    if (fault !== null) return { name: mutant.name, foundBy: null, finding: fault };
    const child = Bun.spawn(
      [process.execPath, "scripts/simulate.ts", "--seeds", seeds, "--minutes", MAX_MINUTES, "--quiet"],
      { cwd: directory, stdout: "pipe", stderr: "pipe" },
    );
    const output = await child.stdout.text();
    await child.exited;
    const found = /^seed (\d+) failed: (.*)$/m.exec(output);
    if (found === null) return { name: mutant.name, foundBy: null, finding: output.trim().split("\n").at(-1) ?? "" };
    return { name: mutant.name, foundBy: found[1] ?? null, finding: found[2] ?? "" };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { only: { type: "string" }, seeds: { type: "string", default: MAX_SEEDS } },
  });
  const chosen = MUTANTS.filter(({ name }) => values.only === undefined || name.includes(values.only));
  let survivors = 0;
  // The tree may be edited meanwhile: every bug is planted in the same one.
  const clean = copyTree(ROOT);
  try {
    for (const mutant of chosen) {
      const { name, foundBy, finding } = await hunt(mutant, clean, values.seeds);
      if (foundBy === null) survivors += 1;
      const verdict = foundBy === null ? "SURVIVED" : `found by seed ${foundBy.padStart(4)}`;
      console.log(`${verdict}  ${name}\n             ${finding.slice(0, SHOWN)}`);
    }
  } finally {
    rmSync(clean, { recursive: true, force: true });
  }
  console.log(`${chosen.length - survivors} of ${chosen.length} planted bugs were found`);
  return survivors === 0 && chosen.length > 0;
}

if (import.meta.main) process.exit((await main()) ? 0 : 1);
