/** Where a process of a run dies. */
import type { Chance } from "./chance.ts";
import type { Doom } from "./process.ts";

export function drawDoom(chance: Chance): Doom {
  const byStatement = chance.isLucky(0.5);
  return {
    atStatement: byStatement ? chance.between(1, chance.pick([60, 200, 600])) : null,
    atPoint: byStatement ? null : chance.between(1, chance.pick([4, 12, 40])),
    pointName: null,
    kind: chance.isLucky(0.35) ? "power_cut" : "kill",
    cut: chance.pick([0, chance.fraction(), 1]),
  };
}
