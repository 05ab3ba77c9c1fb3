/**
 * `bun run examples`: each of examples/ against dist/postern and its paper exchange, with the client that it serves, on a network that
 * loses an answer and cuts a stream, before an exchange whose answer is lost as well: one order each.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryExamples } from "./examples/run-examples.ts";

const directory = mkdtempSync(join(tmpdir(), "postern-examples-"));
try {
  const { tried, failed } = await tryExamples(directory);
  console.log(`examples: ${tried}, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
