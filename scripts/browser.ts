/**
 * `bun run browser [words]`: the owner's page in Debian's chromium, against gateways and paper exchanges of its own. Two
 * files run side by side; what is measured runs alone.
 */
import { join } from "node:path";
import { KEPT_MEMORY } from "./kept-memory.ts";
import { buildProgramOfTests } from "./program-of-tests.ts";

const ROOT = join(import.meta.dir, "..");
const AT_ONCE = 2;
const MEASURED = /speed/;

const program = await buildProgramOfTests();
const wanted = process.argv.slice(2);
const files = [...new Bun.Glob("test/browser/*.browser.ts").scanSync(ROOT)]
  .sort()
  .filter((file) => wanted.length === 0 || wanted.some((word) => file.includes(word)));

/** Runs one file, shows its output when it ends, and says whether it passed. */
async function run(file: string): Promise<boolean> {
  const child = Bun.spawn([process.execPath, "test", "--timeout", "60000", `./${file}`], {
    cwd: ROOT,
    env: { ...process.env, ...KEPT_MEMORY, ...program },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  console.log(`${out}${err}`.trim());
  return exitCode === 0;
}

const waiting = files.filter((file) => !MEASURED.test(file));
const passed: boolean[] = [];

async function work(): Promise<void> {
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) passed.push(await run(file));
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
for (const file of files.filter((one) => MEASURED.test(one))) passed.push(await run(file));
process.exit(passed.every((isGood) => isGood) ? 0 : 1);
