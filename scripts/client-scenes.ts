/**
 * `bun run client-scenes`: the scenes and golden rows by which the client of TypeScript is tested, with that of Python, and in Node.js with
 * what `/llms/postern.js` serves.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readHandout } from "../src/http/handout-texts.ts";
import { tryElsewhere } from "./examples/scenes-elsewhere.ts";

const directory = mkdtempSync(join(tmpdir(), "postern-client-"));
try {
  const served = join(directory, "postern.mjs");
  await Bun.write(served, readHandout("postern.js"));
  const commands = [
    ["python3", "-B", "test/clients/drive.py", "clients/python"],
    ["node", "test/clients/drive.mjs", served],
  ];
  let failures = 0;
  for (const command of commands) {
    const { tried, failed } = await tryElsewhere(command);
    console.log(`${command[0]}: ${tried} scenes and golden rows, ${failed} failed`);
    failures += failed;
  }
  process.exitCode = failures === 0 ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
