/** Builds the executable that dies or stops at a named step, and is otherwise the shipped one. */
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");

/** Path of the executable, in this directory. */
export async function buildDoomed(directory: string): Promise<string> {
  const outfile = join(directory, "postern-that-dies");
  const entrypoint = join(ROOT, "test", "crash", "main-child.ts");
  const build = join(ROOT, "scripts", "build.ts");
  const child = Bun.spawn([process.execPath, build, "--entrypoint", entrypoint, "--outfile", outfile], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await child.exited) !== 0) throw new Error("the executable that dies could not be built");
  return outfile;
}
