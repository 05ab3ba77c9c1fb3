/**
 * `bun run test [words]`: every test, or those whose path holds one of the words; no network but loopback, no root. The
 * options are those of `bun test`. The program that some of them start is built first.
 */
import { KEPT_MEMORY } from "./kept-memory.ts";
import { buildProgramOfTests } from "./program-of-tests.ts";
import { ROOT } from "./release/bundle.ts";

/** For one test, milliseconds: what takes longer has hung, on a machine that has other things to do as well. */
const LONGEST_MS = "180000";

const words = process.argv.slice(2);
const program = await buildProgramOfTests();
const child = Bun.spawn([process.execPath, "test", "--parallel=3", "--no-isolate", "--timeout", LONGEST_MS, ...words], {
  cwd: ROOT,
  env: { ...process.env, ...KEPT_MEMORY, ...program },
  stdin: "ignore",
  stdout: "inherit",
  stderr: "inherit",
});
process.exitCode = await child.exited;
