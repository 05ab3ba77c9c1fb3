/** In some seeds clients want several times as much: what is under way together is more than one order and its change. */
import { openChance } from "./chance.ts";
import { hasWhole } from "./whole-wishes.ts";

/** Bits by which the seed of this differs from the seed of everything else. */
const BUSY_STREAM = 0xb051_0000;
/** Share of the runs that ask for no whole trades. Each takes as long as four others. */
const SHARE = 0.04;

/** How many wishes, at least and at most. */
export type HowMany = { least: number; most: number };

export const FEW: HowMany = { least: 2, most: 9 };
/** So few that no price of one kind meets that of another (`wishes`), with what bots ask for beside. */
const MANY: HowMany = { least: 14, most: 30 };

export function isBusy(seed: number): boolean {
  // Prices of batches would meet those of so many others (`whole-wishes`).
  return openChance(seed ^ BUSY_STREAM).isLucky(SHARE) && !hasWhole(seed);
}

export function howMany(seed: number): HowMany {
  return isBusy(seed) ? MANY : FEW;
}
