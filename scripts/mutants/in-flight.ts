import type { Mutant } from "./mutant.ts";

/** Bugs in how many actions of one signer may be under way. */
export const IN_FLIGHT: readonly Mutant[] = [
  {
    name: "a thousand actions may be under way",
    changes: [
      { file: "src/core/in-flight.ts", find: "MAX_IN_FLIGHT = 60;", put: "MAX_IN_FLIGHT = 1000;" },
      { file: "src/core/in-flight.ts", find: "MAX_ABOVE = 99;", put: "MAX_ABOVE = 1000;" },
    ],
  },
  {
    name: "a slow action may be overtaken by a hundred",
    changes: [{ file: "src/core/in-flight.ts", find: "MAX_ABOVE = 99;", put: "MAX_ABOVE = 100;" }],
  },
  {
    name: "what has its turn and no number yet is not counted among those that will overtake",
    changes: [
      { file: "src/core/in-flight.ts", find: 'if (each.kind === "reserved") reserved += 1;', put: "reserved += 0;" },
    ],
  },
  {
    name: "what was lost is no longer under way",
    changes: [
      {
        file: "src/settle/send/send.ts",
        find: "if (mayBeUnderWay(result)) world",
        put: "if (!mayBeUnderWay(result)) world",
      },
    ],
  },
  {
    name: "what an earlier process left open is not under way",
    changes: [
      {
        file: "src/settle/send/flights.ts",
        find: "attempt.seal !== null) continue;",
        put: "attempt.id > 0) continue;",
      },
    ],
  },
  {
    name: "orders do not let cancels go first",
    changes: [{ file: "src/settle/send/flight-queue.ts", find: "noop: 1, order: 2 }", put: "noop: 0, order: 0 }" }],
  },
  {
    name: "rows that cannot be read for a moment end the watch over who waits",
    changes: [
      { file: "src/settle/send/flight-queue.ts", find: "        onFault(error);", put: "        throw error;" },
    ],
  },
];
