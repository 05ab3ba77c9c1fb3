/** The program that tests start as a process, built once for all of them: as the executable it starts in a quarter of its source's time. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { openOwnDirectory } from "./own-directory.ts";

/** Variables that tell tests where it lies; it is gone when this script ends. */
export async function buildProgramOfTests(): Promise<Record<string, string>> {
  const program = join(openOwnDirectory(tmpdir(), "postern-test-program-"), "postern");
  const command = [
    process.execPath,
    join(import.meta.dir, "build.ts"),
    "--version",
    "development",
    "--outfile",
    program,
  ];
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error("the program that tests start could not be built");
  return { POSTERN_TEST_PROGRAM: program };
}
