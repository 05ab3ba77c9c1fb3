import { type Draw, draw, type Rate } from "../core/rate.ts";
import { openLevels } from "./levels.ts";

/** Buckets of keys that have proven who they are: as many as there are keys, and none is forgotten before it is full. */
export type KeyBuckets = { draw(keyHash: string, nowMs: number): Draw };

/** Below so many nobody looks for full ones. */
const FEW = 1_024;

export function openKeyBuckets(rate: Rate): KeyBuckets {
  const levels = openLevels(rate);
  let enough = FEW;
  return {
    draw(keyHash, nowMs) {
      const drawn = draw(rate, levels.get(keyHash), nowMs);
      levels.set(keyHash, drawn.level);
      if (levels.size > enough) {
        levels.forgetFull(nowMs);
        // Twice what is left, so that looking costs no request more than a few of them.
        enough = Math.max(FEW, 2 * levels.size);
      }
      return drawn;
    },
  };
}
