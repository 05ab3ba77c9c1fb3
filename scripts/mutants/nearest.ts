/** Which tests are asked first about a bug: those that lie nearest to where it is planted, by what imports what. */

import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Glob } from "bun";

/** Files of tests in one run: few at first, as most bugs are seen next door. */
const GROUP_SIZES = [4, 16, 64, 256] as const;
/** Tests of the tree itself lie outside the rooms, and are about a bug's text and not about what it does. */
const TESTS = "test/*/**/*.test.ts";

export type Tree = { importers: ReadonlyMap<string, readonly string[]>; tests: readonly string[] };

/** Who imports whom among the files of a tree, by paths below it; what is imported for its types alone is not. */
export function readTree(directory: string): Tree {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const importers = new Map<string, string[]>();
  for (const file of new Glob("{src,test}/**/*.ts").scanSync(directory)) {
    for (const { path } of transpiler.scanImports(readFileSync(join(directory, file)))) {
      if (!path.startsWith(".")) continue;
      const imported = relative(directory, join(directory, dirname(file), path));
      const known = importers.get(imported);
      if (known === undefined) importers.set(imported, [file]);
      else known.push(file);
    }
  }
  return { importers, tests: [...new Glob(TESTS).scanSync(directory)].sort() };
}

/** Files of tests that reach one of these files, nearest first, in groups to be run one after the other. */
export function nearestTests(tree: Tree, files: readonly string[]): readonly (readonly string[])[] {
  const steps = stepsFrom(tree.importers, files);
  const words = new Set(files.flatMap(wordsOf));
  const ranked = tree.tests
    .flatMap((test) => {
      const away = steps.get(test);
      return away === undefined ? [] : [{ test, away, shared: wordsOf(test).filter((word) => words.has(word)).length }];
    })
    .sort((a, b) => a.away - b.away || b.shared - a.shared);
  return grouped(ranked.map(({ test }) => test));
}

/** Imports between each file and the nearest of these. */
function stepsFrom(importers: Tree["importers"], files: readonly string[]): ReadonlyMap<string, number> {
  const steps = new Map(files.map((file) => [file, 0]));
  // A map hands out as well what is added while it is walked: nearest first.
  for (const [file, away] of steps) {
    for (const importer of importers.get(file) ?? []) if (!steps.has(importer)) steps.set(importer, away + 1);
  }
  return steps;
}

function wordsOf(path: string): string[] {
  return path.split(/[/.-]/).filter((word) => word.length > 2);
}

function grouped(tests: readonly string[]): string[][] {
  const groups: string[][] = [];
  let start = 0;
  for (const size of [...GROUP_SIZES, tests.length]) {
    if (start < tests.length) groups.push(tests.slice(start, start + size));
    start += size;
  }
  return groups;
}
