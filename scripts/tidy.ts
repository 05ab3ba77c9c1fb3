/** Checks the rules of the house that no tool knows: import directions, the "never" list, sizes and names. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkImports, type Finding } from "./tidy/imports.ts";
import { checkNevers } from "./tidy/nevers.ts";
import { checkOneMeaning } from "./tidy/one-meaning.ts";
import { checkPatterns } from "./tidy/patterns.ts";
import { checkShape } from "./tidy/shape.ts";
import { readFacts, type SourceFile } from "./tidy/source.ts";

const ROOMS = ["src", "test", "scripts"];
/** Files in one tree; far above what a person can keep in mind. */
const MAX_FILES = 2_500;

export function checkFiles(files: readonly SourceFile[]): Finding[] {
  const all = files.map(readFacts);
  const ofEach = all.flatMap((facts) => [
    ...checkShape(facts),
    ...checkImports(facts),
    ...checkNevers(facts),
    ...checkPatterns(facts),
  ]);
  return [...ofEach, ...checkOneMeaning(all)];
}

export function readTree(root: string): SourceFile[] {
  const paths = ROOMS.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: "utf8" }).map((path) => join(room, path)),
  );
  const sources = paths.filter((path) => /\.tsx?$/.test(path) && !path.includes("node_modules"));
  if (sources.length > MAX_FILES) throw new Error(`${sources.length} files, more than ${MAX_FILES}`);
  return sources.sort().map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

if (import.meta.main) {
  const files = readTree(process.cwd());
  const findings = checkFiles(files);
  for (const { file, line, rule, reason } of findings) console.log(`${file}:${line} ${rule}: ${reason}`);
  if (files.length === 0) console.log("no source file found: a check of nothing proves nothing");
  process.exit(findings.length === 0 && files.length > 0 ? 0 : 1);
}
