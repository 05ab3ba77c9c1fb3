/** Bugs that are planted to see the simulation find them can still be planted. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { MUTANTS } from "../scripts/mutants/list.ts";
import { changedTexts } from "../scripts/mutants/plant.ts";

const ROOT = join(import.meta.dir, "..");

test.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))("can still be planted: %s", (_name, { changes }) => {
  expect(changedTexts(ROOT, changes).fault).toBeNull();
});
