/**
 * `bun run test [words]`: every test, or those whose path holds one of the words; no network but loopback, no root. The
 * options are those of `bun test`. The program that some of them start is bundled first, as the executable is: it starts in
 * half the time of its source.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleOptions, ROOT } from "./release/bundle.ts";

const directory = mkdtempSync(join(tmpdir(), "postern-test-program-"));
try {
  const options = await bundleOptions(join(ROOT, "src/main.ts"), { version: "development", commit: "unknown" });
  await Bun.build({ ...options, outdir: directory });
  const words = process.argv.slice(2);
  const child = Bun.spawn([process.execPath, "test", "--parallel=3", "--no-isolate", "--timeout", "90000", ...words], {
    cwd: ROOT,
    env: { ...process.env, POSTERN_TEST_PROGRAM: join(directory, "main.js") },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  process.exitCode = await child.exited;
} finally {
  rmSync(directory, { recursive: true });
}
