import { join } from "node:path";

/** The program that tests start as a process: bundled once by `bun run test`, which starts in half the time; else the source. */
export const PROGRAM_FILE = process.env["POSTERN_TEST_PROGRAM"] ?? join(import.meta.dir, "../../src/main.ts");
