/**
 * `bun run test [words]`: every test, or those whose path holds one of the words; no network but loopback, no root. The
 * options are those of `bun test`.
 */
import { join } from "node:path";

const command = [
  process.execPath,
  "test",
  "--parallel=3",
  "--no-isolate",
  "--timeout",
  "30000",
  ...process.argv.slice(2),
];
const child = Bun.spawn(command, {
  cwd: join(import.meta.dir, ".."),
  stdin: "ignore",
  stdout: "inherit",
  stderr: "inherit",
});
process.exit(await child.exited);
