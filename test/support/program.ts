import { join } from "node:path";

const built = process.env["POSTERN_TEST_PROGRAM"];

/** How tests start the program as a process: the executable that their script has built, which starts in a quarter of the time, else the source. */
export const PROGRAM_COMMAND: readonly [string, ...string[]] =
  built === undefined ? [process.execPath, join(import.meta.dir, "../../src/main.ts")] : [built];
