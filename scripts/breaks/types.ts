/** Which breaks the compiler would see: those show nothing of the tests. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changedTexts, copyTree } from "../mutants/plant.ts";
import type { Break } from "./break.ts";

/** What a break leaves unused is no fault of it. */
const COMPILE = ["node_modules/typescript/bin/tsc", "--noUnusedLocals", "false", "--noUnusedParameters", "false"];

/** Breaks whose files are all different are compiled in one go. */
export async function typeFaults(clean: string, breaks: readonly Break[]): Promise<string[]> {
  const faults: string[] = [];
  for (const batch of batchesOf(breaks)) {
    const directory = copyTree(clean);
    try {
      const owners = new Map<string, Break>();
      for (const planted of batch) {
        for (const [file, text] of changedTexts(clean, planted.changes).texts) {
          writeFileSync(join(directory, file), text);
          owners.set(file, planted);
        }
      }
      const child = Bun.spawn([process.execPath, ...COMPILE], { cwd: directory, stdout: "pipe", stderr: "pipe" });
      const [output] = await Promise.all([child.stdout.text(), child.exited]);
      for (const line of output.split("\n").filter((line) => line.includes("error TS"))) {
        const owner = owners.get(line.split("(", 1)[0] ?? "");
        faults.push(`${owner === undefined ? "a break of" : `${owner.row} ${owner.name}:`} ${line}`);
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  return faults;
}

function batchesOf(breaks: readonly Break[]): Break[][] {
  const batches: { files: Set<string>; breaks: Break[] }[] = [];
  for (const planted of breaks) {
    const files = planted.changes.map(({ file }) => file).filter((file) => file.endsWith(".ts"));
    const found = batches.find((batch) => files.every((file) => !batch.files.has(file)));
    const batch = found ?? { files: new Set<string>(), breaks: [] };
    if (found === undefined) batches.push(batch);
    for (const file of files) batch.files.add(file);
    batch.breaks.push(planted);
  }
  return batches.map((batch) => batch.breaks);
}
