import type { Mutant } from "./mutant.ts";

/** Bugs that every test and 2,000 seeds once let through. */
export const ONCE_SURVIVED: readonly Mutant[] = [
  {
    name: "a take-profit is sent as a stop-loss",
    changes: [
      {
        file: "src/wire/action/order.ts",
        find: 'tpsl: trigger.kind === "take_profit" ? "tp" : "sl",',
        put: 'tpsl: trigger.kind === "take_profit" && !(input.reduceOnly && trigger.market && input.side === "sell") ? "tp" : "sl",',
      },
    ],
  },
  {
    name: "fills on two pages are counted twice",
    changes: [
      {
        file: "src/settle/fills/fill-pages.ts",
        find: "for (const fill of fills) byKey.set(",
        put: "for (const fill of fills) byKey.set(byKey.size +",
      },
    ],
  },
  {
    name: "funding counts the other way in a margin change",
    changes: [
      {
        file: "src/core/margin-evidence.ts",
        find: "return add(subtract(after.rawUsd, before.rawUsd), paid);",
        put: "return subtract(subtract(after.rawUsd, before.rawUsd), paid);",
      },
    ],
  },
  {
    name: "a TWAP is recognised without its randomize flag",
    changes: [
      {
        file: "src/settle/operation/twap-terms.ts",
        find: "return randomize === asked.t ? null",
        put: "return randomize !== null ? null",
      },
    ],
  },
  {
    name: "a leverage is in force whatever its margin type",
    changes: [
      { file: "src/settle/operation/leverage.ts", find: ' && (shown.type === "cross") === action.isCross;', put: ";" },
    ],
  },
  {
    name: "a sweep goes back to the newest open attempt",
    changes: [
      {
        file: "src/settle/look/sweeps.ts",
        find: ".reduce((least, attempt) => Math.min(least, attempt.nonce), world.exchange.nowMs());",
        put: ".reduce((_, attempt) => attempt.nonce, world.exchange.nowMs());",
      },
    ],
  },
];
