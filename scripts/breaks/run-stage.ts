/** Runs a stage on a clone that has the break committed: what builds twice builds what is committed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Change } from "../mutants/mutant.ts";
import { plant } from "../mutants/plant.ts";

const ROOT = join(import.meta.dir, "../..");
/** Milliseconds for one command. */
const MAX_COMMAND_MS = 600_000;
/** Characters of an output that says why. */
const SHOWN = 300;

type Ended = { exitCode: number; output: string };

/** Stages that have passed on the tree as it is committed. */
const passed = new Map<string, Promise<Ended>>();

export async function runStage(
  changes: readonly Change[],
  command: readonly string[],
): Promise<{ isSeen: boolean; verdict: string }> {
  const key = JSON.stringify(command);
  const whole = passed.get(key) ?? inClone([], command);
  passed.set(key, whole);
  const clean = await whole;
  if (clean.exitCode !== 0) return { isSeen: false, verdict: `FAILS WITHOUT IT: ${clean.output.slice(-SHOWN)}` };
  const broken = await inClone(changes, command);
  const verdict = broken.output.trim().slice(-SHOWN);
  return { isSeen: broken.exitCode !== 0, verdict: broken.exitCode === 0 ? `SURVIVED: ${verdict}` : verdict };
}

async function inClone(changes: readonly Change[], command: readonly string[]): Promise<Ended> {
  const parent = mkdtempSync(join(tmpdir(), "postern-stage-"));
  const directory = join(parent, "clone");
  try {
    await demand(parent, ["git", "clone", "--quiet", "--no-hardlinks", ROOT, directory]);
    // Its own packages: what is built of linked ones is another executable.
    await demand(directory, [process.execPath, "install", "--frozen-lockfile", "--ignore-scripts", "--silent"]);
    const fault = plant(directory, changes);
    if (fault !== null) throw new Error(fault);
    const author = ["-c", "user.name=breaks", "-c", "user.email=breaks@localhost"];
    await demand(directory, ["git", ...author, "commit", "--quiet", "--allow-empty", "--all", "--message", "break"]);
    return await end(directory, command);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

async function demand(cwd: string, command: readonly string[]): Promise<void> {
  const { exitCode, output } = await end(cwd, command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${output}`);
}

async function end(cwd: string, command: readonly string[]): Promise<Ended> {
  const child = Bun.spawn([...command], {
    cwd,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: MAX_COMMAND_MS,
  });
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode, output: `${out}${err}` };
}
