import type { Mutant } from "./mutant.ts";

/** Bugs in what becomes of an order and its legs, written by somebody who had not written the code. */
export const ORDERS: readonly Mutant[] = [
  {
    name: "a part that an order which may rest was filled by is its end",
    changes: [
      {
        file: "src/settle/place/place.ts",
        find: "  if (isImmediate(leg)) {",
        put: "  if (leg.trigger === null) {",
      },
    ],
  },
  {
    name: "fills without a record are taken for the whole order",
    changes: [
      {
        file: "src/settle/place/look-for-placed.ts",
        find: "const isWhole = compare(filled.size, sought.leg.size) >= 0;",
        put: 'const isWhole = filled.size !== "0";',
      },
    ],
  },
  {
    name: "the oldest record of an order decides, not the newest",
    changes: [
      {
        file: "src/settle/look/sweep.ts",
        find: "b.statusTimestampMs - a.statusTimestampMs",
        put: "a.statusTimestampMs - b.statusTimestampMs",
      },
    ],
  },
  {
    name: "a conclusion is not weighed again when it is written",
    changes: [
      {
        file: "src/settle/evidence/absence.ts",
        find: "  if (weigh() === null) return false;\n",
        put: "  const first = weigh();\n  if (first === null) return false;\n",
      },
      { file: "src/settle/evidence/absence.ts", find: "const absence = weigh();", put: "const absence = first;" },
    ],
  },
  {
    name: "a kind of trigger that is shown is not compared",
    changes: [
      {
        file: "src/settle/evidence/difference.ts",
        find: 'return trigger.kind === "stop_loss" ? !isStop : !isTakeProfit;',
        put: 'return trigger.price === "" && !isTakeProfit;',
      },
    ],
  },
  {
    name: "an alarm is logged and not told with its order",
    changes: [
      {
        file: "src/settle/look/apply-sight.ts",
        find: "    recordLegEvent(world.store, leg.cloid, doubted, world.clock.nowMs());\n",
        put: "",
      },
    ],
  },
  {
    name: "an alarm stops no increase in its market",
    changes: [
      {
        file: "src/settle/look/apply-sight.ts",
        find: "  if (!isOfAnotherName) world.markets.doubt(order.market, { because: words, isCertain: isOtherMarket });\n",
        put: "",
      },
    ],
  },
  {
    name: "an order that may fall short closes as filled with a part",
    changes: [
      {
        file: "src/settle/look/ended.ts",
        find: "&& !mayFallShort({ ...leg, reduceOnly }, order)))",
        put: "&& mayFallShort({ ...leg, reduceOnly }, order)))",
      },
    ],
  },
  {
    name: "a trigger that was refused when it fired was never taken",
    changes: [
      {
        file: "src/core/order.ts",
        find: '  if (leg.state === "rejected") return leg.oid !== null;',
        put: '  if (leg.state === "rejected") return false;',
      },
    ],
  },
  {
    name: "an absence overrules what rests",
    changes: [
      {
        file: "src/core/advance-leg.ts",
        find: "proven_absent: { sent: absent,   lost: absent,   absent: stays,    armed: no,       resting: no,       perhaps: no, ",
        put: "proven_absent: { sent: absent,   lost: absent,   absent: stays,    armed: absent,   resting: absent,  perhaps: absent, ",
      },
    ],
  },
  {
    name: "an order that is closing is told as open",
    changes: [
      {
        file: "src/core/order-of-legs.ts",
        find: '    case "lost":\n    case "closing":\n      return "unknown";\n    case "resting":',
        put: '    case "lost":\n      return "unknown";\n    case "closing":\n    case "resting":',
      },
    ],
  },
  {
    name: "an order that is closing rests again by an older look",
    changes: [
      {
        file: "src/core/advance-leg.ts",
        find: "perhaps: rests,    over: named,",
        put: "perhaps: rests,    over: rests,",
      },
    ],
  },
  {
    name: "a total of fills shrinks with an older snapshot",
    changes: [
      {
        file: "src/core/advance-leg.ts",
        find: "if (growth <= 0 && !isExacter) return leg;",
        put: "if (growth === 0 && !isExacter) return leg;",
      },
    ],
  },
  {
    name: "what was filled too much is not said of a filled order",
    changes: [
      {
        file: "src/core/advance-leg.ts",
        find: "filled: doubted,",
        put: "filled: stays,",
      },
    ],
  },
  {
    name: "why an order was canceled gives way to what is wrong with it",
    changes: [
      {
        file: "src/core/advance-leg.ts",
        find: 'const isKept = (leg.state === "canceled" || wereFillsMissing(leg)) &&',
        put: "const isKept = wereFillsMissing(leg) &&",
      },
    ],
  },
  {
    name: "a modified order counts the fills of its newest leg alone",
    changes: [
      {
        file: "src/core/order-of-legs.ts",
        find: "const filledSize = sumOf(counted, (leg)",
        put: "const filledSize = sumOf(counted.slice(-1), (leg)",
      },
    ],
  },
  {
    name: "the last moment of an action is its expiry to the millisecond",
    changes: [
      { file: "src/core/attempt.ts", find: "return expiresAtMs + EXPIRY_MARGIN_MS;", put: "return expiresAtMs;" },
    ],
  },
  {
    name: "a duplicate of our own second noop is the action's number",
    changes: [
      {
        file: "src/core/attempt.ts",
        find: 'answer === "duplicate" && attempt.noops === 1 &&',
        put: 'answer === "duplicate" &&',
      },
    ],
  },
  {
    name: "a duplicate after the expiry is an action that landed",
    changes: [{ file: "src/core/attempt.ts", find: " && exchangeNowMs < attempt.expiresAtMs;", put: ";" }],
  },
  {
    name: "a noop is not counted before it is sent",
    changes: [{ file: "src/settle/send/seal.ts", find: "    updateNumber(world.store, now, { noops });\n", put: "" }],
  },
  {
    name: "of several words for one order the first is believed",
    changes: [{ file: "src/wire/answer/fitting.ts", find: " || statuses.length > things.length", put: "" }],
  },
  {
    name: "an answer to another kind of action is believed",
    changes: [{ file: "src/settle/send/send.ts", find: "return fitted(reply, action);", put: "return reply;" }],
  },
  {
    name: "an answer is believed by its kind, whatever its words are",
    changes: [
      {
        file: "src/wire/answer/fitting.ts",
        find: " && statuses.every(({ kind }) => words.includes(kind))",
        put: " && words.length >= 0",
      },
    ],
  },
  {
    name: "a modify that is answered under the native id of its original has replaced it",
    changes: [{ file: "src/settle/modify/modify.ts", find: "namesOriginal(said, replaced) ?", put: "false ?" }],
  },
  {
    name: "an order is filled by more than it asks for",
    changes: [{ file: "src/core/advance-leg.ts", find: "  if (isTooMuch(leg, event)) return null;\n", put: "" }],
  },
  {
    name: "times in seconds are taken for milliseconds",
    changes: [{ file: "src/wire/answer/read.ts", find: "return isOtherUnit ?", put: "return false ?" }],
  },
  {
    name: "what is under way of orders of which nothing was heard is not open",
    changes: [{ file: "src/store/schema-views.ts", find: "sql`'processing'`", put: "sql`'unknown'`" }],
  },
  {
    name: "what outlives the status of its order is open only while that is unknown",
    changes: [{ file: "src/store/schema-views.ts", find: " <> 'processing'`", put: " = 'unknown'`" }],
  },
  {
    name: "events that are in the list are told again from the log",
    changes: [
      { file: "src/store/account-events.ts", find: "after: Math.max(after, last), limit", put: "after, limit" },
    ],
  },
  {
    name: "events that are not in the list yet are told to nobody",
    changes: [
      {
        file: "src/store/account-events.ts",
        find: "return [...listed, ...notListedAfter(store).all(rest)];",
        put: "return [...listed, ...notListedAfter(store).all({ ...rest, limit: 0 })];",
      },
    ],
  },
];
