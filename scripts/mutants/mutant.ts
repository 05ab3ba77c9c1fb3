/** One text in the tree, replaced once. */
export type Change = { file: string; find: string; put: string };

/** A bug that somebody could have written. */
export type Mutant = { name: string; changes: readonly Change[] };
