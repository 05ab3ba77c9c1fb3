/** The same commit in another directory: for building it a second time. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { ROOT } from "./bundle.ts";

/** Seconds for one command. */
const DEADLINE_S = 300;

/** Runs a command to its end; throws when it fails, with what it said. */
export async function run(directory: string, command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], {
    cwd: directory,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: DEADLINE_S * 1_000,
  });
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: exit code ${exitCode}\n${out}${err}`);
}

/** What is committed and nothing else, with the packages that the executable needs, or all; none of their scripts run. */
export async function cloneAndInstall(directory: string, which: "production" | "all" = "production"): Promise<void> {
  await run(ROOT, ["git", "clone", "--quiet", "--no-hardlinks", ROOT, directory]);
  await run(directory, [
    process.execPath,
    "install",
    "--frozen-lockfile",
    "--ignore-scripts",
    ...(which === "production" ? ["--production"] : []),
    "--silent",
  ]);
}

export async function sha256(path: string): Promise<string> {
  const sum = createHash("sha256");
  for await (const piece of createReadStream(path)) sum.update(piece);
  return sum.digest("hex");
}
