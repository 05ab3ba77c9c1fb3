/** Runs named tests in a copy of the tree, and reads how each ended. */
import type { NamedTest } from "./break.ts";

/** Milliseconds for one test, and for all that one run does. */
const MAX_TEST_MS = "60000";
const MAX_RUN_MS = 180_000;

export type Ran = { passed: string[]; failed: string[]; output: string };

export async function runTest(cwd: string, { test, title }: NamedTest): Promise<Ran> {
  const command = [process.execPath, "test", "--timeout", MAX_TEST_MS, test, "-t", patternOf(title)];
  const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe", timeout: MAX_RUN_MS });
  const [output] = await Promise.all([child.stderr.text(), child.stdout.text(), child.exited]);
  return { passed: namesAfter("(pass)", output), failed: namesAfter("(fail)", output), output };
}

/** A test of a table has its title with values in it. */
function patternOf(title: string): string {
  return title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/%[a-z]/g, ".*");
}

export function isNamed(name: string, { title }: NamedTest): boolean {
  return new RegExp(patternOf(title)).test(name);
}

/** Without those that ran out of time: a busy machine does that to a test as well. */
function namesAfter(mark: "(pass)" | "(fail)", output: string): string[] {
  const all = output.split("\n");
  const lines = all.filter((line, at) => line.startsWith(`${mark} `) && !all[at + 1]?.includes("this test timed out"));
  return lines.map((line) => line.slice(mark.length + 1).replace(/ \[[\d.]+m?s\]$/, ""));
}
