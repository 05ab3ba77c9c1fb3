import type { Change } from "../mutants/mutant.ts";

/** The test that has to fail: a file, and the beginning of a title in it, both as SECURITY.md names them. */
export type NamedTest = { test: string; title: string };

/** A command that has to fail: for what is shown on the executable, or of the tree as a whole, and takes its time. */
export type NamedStage = { stage: readonly string[] };

/** One way to weaken what is promised: it compiles, and nothing but a test tells. */
export type Break = {
  /** Row of SECURITY.md's table, `S17`, or of the promises beside it, `P03`. */
  row: string;
  /** What is broken, in words. */
  name: string;
  changes: readonly Change[];
  seenBy: NamedTest | NamedStage;
};

/** One text in one file; what most breaks are. */
export function inFile(file: string, find: string, put: string): readonly Change[] {
  return [{ file, find, put }];
}
