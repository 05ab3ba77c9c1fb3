/** Bugs that are planted to see the simulation find them can still be planted. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MUTANTS } from "../scripts/mutants/list.ts";

const ROOT = join(import.meta.dir, "..");

test.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))("%s", (_name, { changes }) => {
  const texts = new Map<string, string>();
  for (const { file, find, put } of changes) {
    const text = texts.get(file) ?? readFileSync(join(ROOT, file), "utf8");
    expect({ file, find, times: text.split(find).length - 1 }).toEqual({ file, find, times: 1 });
    texts.set(
      file,
      text.replace(find, () => put),
    );
  }
});
