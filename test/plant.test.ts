import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyTree } from "../scripts/mutants/plant.ts";
import { inTemporaryDirectory } from "./support/temporary-directory.ts";

test("a copy to plant in leaves out the packages of a script, which may be installed meanwhile", async () => {
  await inTemporaryDirectory(async (directory) => {
    mkdirSync(join(directory, "scripts/contract/node_modules/package"), { recursive: true });
    writeFileSync(join(directory, "scripts/contract/run.ts"), "run");
    const copy = copyTree(directory);
    try {
      expect(readFileSync(join(copy, "scripts/contract/run.ts"), "utf8")).toBe("run");
      expect(existsSync(join(copy, "scripts/contract/node_modules"))).toBe(false);
    } finally {
      rmSync(copy, { recursive: true });
    }
  });
});
