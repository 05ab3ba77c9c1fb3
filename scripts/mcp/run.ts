/** Programs of others, each a process of its own. */
import { join } from "node:path";

export const PACKAGES = join(import.meta.dir, "node_modules");
/** Milliseconds for one of them. */
const DEADLINE_MS = 300_000;

export type Run = { name: string; command: readonly string[]; cwd: string };

/** What it printed; throws with that when it failed. */
export async function mustRun(run: Run): Promise<string> {
  const { output, exitCode } = await runToEnd(run);
  if (exitCode !== 0) throw new Error(`mcp: ${run.name} failed\n${output}`);
  return output;
}

/** `output`: what it printed, and where it failed what it complained of. */
export async function runToEnd({ command, cwd }: Run): Promise<{ output: string; exitCode: number }> {
  const streams = { stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const;
  const child = Bun.spawn([...command], { cwd, ...streams, timeout: DEADLINE_MS });
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { output: exitCode === 0 ? out : out + err, exitCode };
}
