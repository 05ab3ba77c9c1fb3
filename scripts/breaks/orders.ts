/** P01 to P05 and P12: what README promises of orders. */
import { type Break, inFile } from "./break.ts";

const AS_WRITTEN = {
  test: "test/wire/order-terms.test.ts",
  title: "a price and a size go on the wire as the number that was asked for, whatever it is",
};
const RULE = {
  test: "test/actions/place-order.test.ts",
  title: "an order against a rule that we are sure of is refused without being sent: %p",
};
const NEAREST = { test: "test/core/market.test.ts", title: "the nearest valid price of a refused one is itself taken" };
const HUNDRED = {
  test: "test/actions/repeated-key.test.ts",
  title: "a hundred requests under one key at once are one order and ninety-nine replays of its answer",
};
const ONE_TURN = {
  test: "test/actions/repeated-key.test.ts",
  title: "two requests of one turn under one key are one order, also while the intent's own step takes long",
};
const ANOTHER = {
  test: "test/actions/repeated-key.test.ts",
  title: "another request under a used key is refused, and nothing of it is sent or stored",
};
const REPLAY = {
  test: "test/actions/repeated-key.test.ts",
  title: "a replay is the first answer byte for byte, whatever became of the order since",
};
const DOOR = {
  test: "test/actions/place-order.test.ts",
  title: "%s an order is refused, nothing is stored and the key is not used",
};
const DISK = {
  test: "test/actions/place-order.test.ts",
  title: "an intent that the disk refuses is told as such and nothing is sent",
};
const LATE = {
  test: "test/actions/place-order.test.ts",
  title: "a disk that ate half of the action's life gives the intent back instead of sending it late",
};
const LISTED = {
  test: "test/settle/place.test.ts",
  title: "whatever is answered, reading it never throws, and only a listed text says rejected",
};
const NO_READS = {
  test: "test/settle/settlement.test.ts",
  title: "without a noop's answer nothing is concluded while",
};

const TOLD_IS_SHOWN = {
  test: "test/store/delayed.test.ts",
  title: "no look shows less than was told, whatever is written, fails or is taken back in between",
};
const COMMITTED_SOON = {
  test: "test/store/delayed.test.ts",
  title: "what is delayed is committed within five milliseconds, and again later where that fails",
};
const COMMITTED_NEXT = {
  test: "test/store/delayed.test.ts",
  title: "what is delayed goes with whatever is committed next, and with the end of the process",
};

export const ORDER_BREAKS: readonly Break[] = [
  {
    row: "P01",
    name: "a price is cut to five figures",
    changes: inFile(
      "src/wire/action/order.ts",
      "p: wireDecimal(input.price),",
      "p: wireDecimal(String(Number(Number(input.price).toPrecision(5)))),",
    ),
    seenBy: AS_WRITTEN,
  },
  {
    row: "P01",
    name: "a size goes through a float",
    changes: inFile(
      "src/wire/action/order.ts",
      "s: wireDecimal(input.size),",
      "s: wireDecimal(Number(input.size).toFixed(8)),",
    ),
    seenBy: AS_WRITTEN,
  },
  {
    row: "P01",
    name: "a trigger's price is rounded to whole numbers",
    changes: inFile(
      "src/wire/action/order.ts",
      "triggerPx: wireDecimal(trigger.price),",
      "triggerPx: wireDecimal(Math.round(Number(trigger.price)).toString()),",
    ),
    seenBy: AS_WRITTEN,
  },
  {
    row: "P01",
    name: "a size that is too fine is cut and sent",
    changes: inFile(
      "src/core/market.ts",
      "if (decimalPlaces(size) <= market.sizeDecimals) return null;",
      "if (decimalPlaces(size) <= market.sizeDecimals + 8) return null;",
    ),
    seenBy: RULE,
  },
  {
    row: "P02",
    name: "the nearest value that is told has too many figures",
    changes: inFile(
      "src/core/market.ts",
      "return Math.max(0, Math.min(allowed, MAX_SIGNIFICANT_FIGURES - wholeFigures));",
      "return Math.max(0, Math.min(allowed, MAX_SIGNIFICANT_FIGURES + 1 - wholeFigures));",
    ),
    seenBy: NEAREST,
  },
  {
    row: "P02",
    name: "a rule is not told",
    changes: inFile(
      "src/core/market.ts",
      "`${field} ${size} has more decimals than ${market.name} allows (${market.sizeDecimals}). ` +",
      "`${field} is not valid. ` +",
    ),
    seenBy: RULE,
  },
  {
    row: "P03",
    name: "the intent's transaction does not look for its key",
    changes: inFile(
      "src/write/commit.ts",
      'if (earlier !== null) return { kind: "earlier", record: earlier };',
      'if (earlier !== null && earlier.answer !== null) return { kind: "earlier", record: earlier };',
    ),
    seenBy: ONE_TURN,
  },
  {
    row: "P03",
    name: "a repeat that comes while the first runs places another",
    changes: [
      {
        file: "src/write/key.ts",
        find: "  if (record === null) return null;\n  write.caller.charge",
        put: "  if (record === null || record.answer === null) return null;\n  write.caller.charge",
      },
      {
        file: "src/write/commit.ts",
        find: 'if (earlier !== null) return { kind: "earlier", record: earlier };',
        put: 'if (earlier !== null && earlier.answer !== null) return { kind: "earlier", record: earlier };',
      },
    ],
    seenBy: HUNDRED,
  },
  {
    row: "P03",
    name: "another order under a used key is answered as the first",
    changes: inFile(
      "src/core/idempotency.ts",
      'if (record.fingerprint !== fingerprint) return "reused";',
      'if (record.fingerprint === "") return "reused";',
    ),
    seenBy: ANOTHER,
  },
  {
    row: "P03",
    name: "a replay tells the order as it is now",
    changes: inFile(
      "src/write/key.ts",
      "?? { ...storedAnswer(record), isReplay: true };",
      "?? { ...storedAnswer(record), body: asItStands(deps.store, record.resource).body, isReplay: true };",
    ),
    seenBy: REPLAY,
  },
  {
    row: "P04",
    name: "orders are taken while the gateway starts",
    changes: inFile(
      "src/settle/pre-trade/obstacles.ts",
      'if (phase === "opening" || (phase === "starting" && !isCancel))',
      'if (phase === "opening")',
    ),
    seenBy: DOOR,
  },
  {
    row: "P04",
    name: "orders are taken while writes are stopped",
    changes: inFile(
      "src/settle/pre-trade/obstacles.ts",
      "if (broken === null && (writesStoppedBecause === null || isCancel)) return null;",
      "if (broken === null) return null;",
    ),
    seenBy: DOOR,
  },
  {
    row: "P04",
    name: "an order is sent before its intent is on the disk",
    changes: inFile(
      "src/write/commit.ts",
      'return new ApiError("storage_unavailable", NOT_WRITTEN);',
      'return new ApiError("internal_error", "The database could not be written.");',
    ),
    seenBy: DISK,
  },
  {
    row: "P04",
    name: "an order is sent however late",
    changes: inFile(
      "src/settle/send/send.ts",
      "world.settings.timings.actionLifeMs / 2;",
      "world.settings.timings.actionLifeMs / 2_000;",
    ),
    seenBy: LATE,
  },
  {
    row: "P05",
    name: "an answer that nobody knows says rejected",
    changes: inFile(
      "src/wire/answer/reply.ts",
      "if (isListedRefusal(response)) return refused(response, false);",
      'if (isListedRefusal(response) || response.includes("Invalid")) return refused(response, false);',
    ),
    seenBy: LISTED,
  },
  {
    row: "P05",
    name: "a noop that nobody answered has burnt the number",
    changes: inFile(
      "src/wire/answer/reply.ts",
      'if (reply.kind !== "ambiguous" || reply.reason !== "nonce") return "no_information";',
      'if (reply.kind === "ambiguous" && reply.reason === "no_answer") return "ok";\n  if (reply.kind !== "ambiguous" || reply.reason !== "nonce") return "no_information";',
    ),
    seenBy: NO_READS,
  },
  {
    row: "P12",
    name: "a market order may pay a little more than was said",
    changes: inFile(
      "src/wire/action/order.ts",
      "p: wireDecimal(input.price),",
      'p: wireDecimal(input.timeInForce === "ioc" && input.side === "buy" ? String(Number(input.price) * 1.001) : input.price),',
    ),
    seenBy: AS_WRITTEN,
  },
  {
    row: "P12",
    name: "an ioc order rests",
    changes: inFile(
      "src/wire/action/order.ts",
      '{ gtc: "Gtc", ioc: "Ioc", alo: "Alo" }',
      '{ gtc: "Gtc", ioc: "Gtc", alo: "Alo" }',
    ),
    seenBy: AS_WRITTEN,
  },
  {
    row: "P12",
    name: "an order that may only reduce may open",
    changes: inFile(
      "src/wire/action/order.ts",
      "r: input.reduceOnly,",
      "r: input.reduceOnly && input.trigger !== null,",
    ),
    seenBy: AS_WRITTEN,
  },
  {
    row: "P12",
    name: "a sell is a buy where it is a trigger",
    changes: inFile(
      "src/wire/action/order.ts",
      'b: input.side === "buy",',
      'b: input.side === "buy" || input.trigger !== null,',
    ),
    seenBy: AS_WRITTEN,
  },
  {
    row: "P17",
    name: "what was told is not shown again after a transaction that failed",
    changes: inFile("src/store/commit.ts", "    for (const work of memory.delayed) work(store);\n", ""),
    seenBy: TOLD_IS_SHOWN,
  },
  {
    row: "P17",
    name: "a kept statement reads while what was told is not shown",
    changes: inFile("src/store/prepared.ts", "    store.memory.showAgain?.();\n", ""),
    seenBy: TOLD_IS_SHOWN,
  },
  {
    row: "P17",
    name: "a statement that is built each time reads while what was told is not shown",
    changes: inFile("src/store/open.ts", "      memory.showAgain?.();\n", ""),
    seenBy: TOLD_IS_SHOWN,
  },
  {
    row: "P17",
    name: "what is delayed is forgotten before it is committed",
    changes: [
      {
        file: "src/store/commit.ts",
        find: "  const result = within(store, work);\n  try {\n    writeLast",
        put: "  const result = within(store, work);\n  store.memory.delayed.length = 0;\n  try {\n    writeLast",
      },
    ],
    seenBy: TOLD_IS_SHOWN,
  },
  {
    row: "P17",
    name: "what is delayed waits for the next intent, however long that takes",
    changes: inFile(
      "src/store/commit-queue.ts",
      "    if (store.memory.delayed.length > 0) commitWithin(COMMIT_WITHIN_MS);\n",
      "",
    ),
    seenBy: COMMITTED_SOON,
  },
  {
    row: "P17",
    name: "a database that is closed takes what is delayed along",
    changes: inFile(
      "src/store/commit.ts",
      "    commitDelayed(store);\n  } catch {\n    store.",
      "  } catch {\n    store.",
    ),
    seenBy: COMMITTED_NEXT,
  },
];
