/** Programs of others, each a process of its own. */

export const TOOLS = import.meta.dir;
/** Milliseconds for one of them. */
const DEADLINE_MS = 180_000;

export type Run = {
  name: string;
  command: readonly string[];
  cwd: string;
  environment?: Readonly<Record<string, string>>;
};

/** What it printed; throws with that when it failed. */
export async function mustRun({ name, command, cwd, environment = {} }: Run): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: DEADLINE_MS,
  });
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (exitCode !== 0) throw new Error(`clients: ${name} failed\n${out}${err}`);
  return out;
}
