import type { LifeKind } from "../../test/simulation/bot-life.ts";
import type { WrongKind } from "../../test/simulation/worlds/wrong.ts";

/** One text in the tree, replaced once. */
export type Change = { file: string; find: string; put: string };

/** A bug that somebody could have written. */
export type Mutant = {
  name: string;
  changes: readonly Change[];
  /** Whose seeds look for it: the whole simulation's where it is left out, or the short runs of `rails-seeds`. */
  seeds?: "rails";
  /** Of the whole simulation only the seeds in which this is drawn. */
  world?: LifeKind | WrongKind | "quiet" | "wrong";
};

export function one(name: string, file: string, find: string, put: string): Mutant {
  return { name, changes: [{ file, find, put }] };
}
