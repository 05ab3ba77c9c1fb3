/** Status words that nobody has listed yet, for orders that are over and for orders that live. */
import type { Chance } from "../chance.ts";
import { eachRecord, type Lens } from "./lens.ts";

/** By the exchange's own word: what it says instead. */
export type Words = { readonly [status: string]: string };

const OF_OVER = ["canceled", "filled", "scheduledCancel"] as const;

export function drawWords(chance: Chance): Words {
  const words: Record<string, string> = {};
  if (chance.isLucky(0.5)) words["open"] = chance.pick(["working", "pendingCancel", "amendRejected"]);
  for (const status of OF_OVER)
    if (chance.isLucky(0.6)) words[status] = chance.pick(["retired", `${status}V2`, "swapCanceled"]);
  return words;
}

export function newWords(words: Words): Lens {
  return eachRecord((row) => ({ ...row, status: words[row.status] ?? row.status }));
}
