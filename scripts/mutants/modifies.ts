import { type Mutant, one } from "./mutant.ts";

/** What may be said of an order that was modified, and what a modify may leave open. */
export const MODIFIES: readonly Mutant[] = [
  {
    name: "an original that is shown open is open",
    changes: [
      {
        file: "src/settle/modify/original.ts",
        find: "isShownSince: await isShownSince(tools, attempt, pursuit)",
        put: "isShownSince: pursuit.looksAtOpen >= LOOKS_AT_OPEN",
      },
    ],
  },
  {
    name: "a list of before a modify tells that its original is open",
    changes: [
      { file: "src/settle/modify/original.ts", find: "const endMs = endsAtMs(attempt);", put: "const endMs = 0;" },
    ],
  },
  {
    name: "words of the placing half say nothing of the cancel half",
    changes: [
      {
        file: "src/wire/answer/refusal.ts",
        find: '"Error placing new order during modify: ")) return "canceled";',
        put: '"Error placing new order during modify: ")) return "left";',
      },
    ],
  },
  {
    name: "whatever closed an order, its modify did",
    changes: [
      {
        file: "src/core/modify-evidence.ts",
        find: '  if (end.goneBefore !== "no" || end.isCanceledOtherwise) return false;\n  return facts.hasPlaced ||',
        put: '  if (end.goneBefore !== "no" && end.isCanceledOtherwise) return false;\n  return !facts.hasPlaced ||',
      },
    ],
  },
  {
    name: "a reason of the exchange is replaced by what a modify was told",
    changes: [
      {
        file: "src/settle/modify/whose-end.ts",
        find: "status === PLAIN_CANCEL",
        put: "status.length > 0",
      },
      {
        file: "src/settle/modify/modify.ts",
        find: "isRefused && isReplaced && isCanceledByIt && replaced.reason === null",
        put: "isRefused && isReplaced",
      },
    ],
  },
  {
    name: "what always_place placed is the order's at once",
    changes: [
      {
        file: "src/settle/record/record.ts",
        find: 'replacing.some(isAlwaysPlace) ? "in_any_case"',
        put: 'replacing.some(isAlwaysPlace) ? "if_canceled"',
      },
    ],
  },
  {
    name: "another's order under the client order id of a replacement was placed by the modify",
    changes: [
      {
        file: "src/settle/modify/original.ts",
        find: 'return answer.kind === "order" && difference === null ? answer.order : null;',
        put: 'return answer.kind === "order" ? answer.order : null;',
      },
    ],
  },
  {
    name: "an original without a record has no end",
    changes: [
      {
        file: "src/settle/look/look-beyond-record.ts",
        find: "const LOOKS_BEHIND = 5;",
        put: "const LOOKS_BEHIND = 10 ** 9;",
      },
    ],
  },
  {
    name: "the size of an original without a record is what is known of it at once",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: "completeToMs !== null && completeToMs >= overByMs",
        put: "completeToMs === null || completeToMs >= overByMs - 1",
      },
    ],
  },
  {
    name: "fills of the original that are shown late are no question of the replacement",
    changes: [
      {
        file: "src/settle/modify/reduce.ts",
        find: 'if (excess.kind !== "live" || modify === undefined) return;',
        put: "if (modify?.cloid !== null) return;",
      },
    ],
  },
  {
    name: "a reduction has one try",
    changes: [
      {
        file: "src/settle/modify/modify.ts",
        find: "if (isRefused ? isReduction : isReplaced) {",
        put: "if (!isRefused && isReplaced) {",
      },
      { file: "src/background.ts", find: "() => heedEveryExcess(deps, settler)", put: "async () => heedEveryExcess" },
      { file: "src/gateway.ts", find: "    onSettled: heed,", put: "    onSettled: () => void heed," },
    ],
  },
  {
    name: "a reduction that is refused for good is tried for ever",
    changes: [{ file: "src/core/excess.ts", find: "const MAX_REFUSALS = 3;", put: "const MAX_REFUSALS = 3_000;" }],
  },
  {
    name: "what is too much after a kill is looked for by nobody",
    changes: [
      { file: "src/background.ts", find: "() => heedEveryExcess(deps, settler)", put: "async () => heedEveryExcess" },
    ],
  },
  {
    name: "the excess of a modify is counted over one leg",
    changes: [
      {
        file: "src/core/excess.ts",
        find: "leg.ordinal < replacement.ordinal",
        put: "leg.ordinal === replacement.ordinal - 1",
      },
    ],
  },
  {
    name: "what cancels of an original did not find says the same of its replacement",
    changes: [
      {
        file: "src/settle/cancel/cancel.ts",
        find: 'findLast((attempt) => attempt.kind === "cancel" && isAimedAt(attempt, leg))',
        put: 'findLast((attempt) => attempt.kind === "cancel")',
      },
      {
        file: "src/settle/cancel/misses.ts",
        find: "  const known = misses.get(leg.cloid);",
        put: "  const known = [...misses.values()].toSorted((a, b) => b.times - a.times)[0];",
      },
    ],
  },
  {
    name: "cancels go to the oldest leg that is shown open, until it is not",
    changes: [
      {
        file: "src/settle/cancel/pursue-cancel.ts",
        find: "const live = alive[(lastTurn + 1) % alive.length];",
        put: "const live = alive[lastTurn * 0];",
      },
    ],
  },
  {
    name: "a modify had no part in any end of its original",
    changes: [
      {
        file: "src/settle/modify/whose-end.ts",
        find: "status === PLAIN_CANCEL",
        put: "status.length === 0",
      },
    ],
  },
  {
    name: "what was to be placed in any case was not where its original had another end",
    changes: [
      {
        file: "src/settle/modify/pursue-modify.ts",
        find: "if (!isAlwaysPlace(attempt)) return !isWhollyFilled(replaced);",
        put: "if (replaced.cloid !== null) return true;",
      },
    ],
  },
  {
    name: "an alarm about what stands apart is told by nobody",
    changes: [
      {
        file: "src/settle/record/record.ts",
        find: "error: withAlarms(own, all.filter(isApart))",
        put: "error: withAlarms(own, [])",
      },
    ],
  },
  {
    name: "an original that had ended before its modify is told by one reading of its fills",
    changes: [
      {
        file: "src/settle/modify/original.ts",
        find: 'const goesOn = wasTaken(replacement) && gone === "no";',
        put: "const goesOn = !isClosed(replaced);",
      },
    ],
  },
  {
    name: "a word that is not listed tells that no modify closed an original",
    changes: [
      {
        file: "src/wire/answer/status-words.ts",
        find: 'if (!WORDS.has(status)) return "unknown";',
        put: 'if (!WORDS.has(status) && !/Cancel/i.test(status)) return "unknown";',
      },
    ],
  },
  {
    name: "a word or a time of its record outweighs that an original was replaced",
    changes: [
      {
        file: "src/core/modify-evidence.ts",
        find: '(facts.isTaken || facts.refusal === "canceled")) return "no";',
        put: 'facts.isTaken && facts.refusal === "canceled") return "no";',
      },
    ],
  },
  {
    name: "the clock that signed a modify tells what was before it",
    changes: [
      {
        file: "src/core/modify-evidence.ts",
        find: "endedAtMs < signedAtMs - SIGNED_WRONGLY_BY_MS",
        put: "endedAtMs < signedAtMs - ONE_MOMENT_MS",
      },
    ],
  },
  {
    name: "what nothing tells to have been before a modify was not",
    changes: [
      {
        file: "src/settle/modify/pursue-modify.ts",
        find: 'look.goneBefore === "unclear" && look.facts.isTaken',
        put: 'look.goneBefore === "unclear" && !look.facts.isTaken',
      },
    ],
  },
  {
    name: "a cancel that was answered with success leaves its modify nothing to replace",
    changes: [
      {
        file: "src/settle/modify/pursue-modify.ts",
        find: "  if (!(await hadOwnEnd(tools, attempt))) return false;",
        put: "  if (isCarriedOut(world, legsOfModify(world, attempt).replaced)) return true;\n  if (!(await hadOwnEnd(tools, attempt))) return false;",
      },
    ],
  },
  {
    name: "an original that a server behind shows open was replaced, whatever else had canceled it",
    changes: [
      {
        file: "src/core/modify-evidence.ts",
        find: 'if (endedAtMs === null) return facts.isTaken ? "unclear" : "no";',
        put: 'if (endedAtMs === null) return "no";',
      },
    ],
  },
  {
    name: "what ended an original after always_place was signed was that",
    changes: [
      {
        file: "src/core/modify-evidence.ts",
        find: "return facts.isTaken || endedAtMs < signedAtMs",
        put: "return endedAtMs < signedAtMs",
      },
    ],
  },
  {
    name: "only the look-up by id tells when always_place placed",
    changes: [
      {
        file: "src/settle/modify/original.ts",
        find: "if (!isNeeded || attempt.isTargetClosed || pursuit.looks < LOOKS_BEHIND) return answer;",
        put: "if (!isNeeded || pursuit.looks >= 0) return answer;",
      },
    ],
  },
  {
    name: "an original that our own cancel closed was replaced, once its record is forgotten",
    changes: [
      {
        file: "src/settle/modify/original.ts",
        find: 'isCarriedOut(world, replaced) ? { kind: "own", endedAtMs: null } : null',
        put: "null",
      },
    ],
  },
  {
    name: "fills of a replacement that is told as the order count when its modify has ended",
    changes: [{ file: "src/core/order-of-legs.ts", find: "deciding === newest ? legs : own;", put: "own;" }],
  },
  {
    name: "what waits for its trigger is never too much",
    changes: [
      { file: "src/core/excess.ts", find: 'state === "resting" || state === "armed"', put: 'state === "resting"' },
    ],
  },
  {
    name: "of a trigger that is modified by its price nothing can have been filled",
    changes: [
      {
        file: "src/actions/modify-order.ts",
        find: "wanted.size === null && !isClosed",
        put: 'wanted.size === null && target.status === "open"',
      },
    ],
  },
  {
    name: "what is reduced after it has fired is a trigger again",
    changes: [
      {
        file: "src/settle/modify/reduce.ts",
        find: '    trigger: null,\n    state: "sent",',
        put: '    state: "sent",',
      },
    ],
  },
  {
    name: "a modify of which no record is kept has replaced its order",
    changes: [
      {
        file: "src/settle/place/pursue-place.ts",
        find: 'absence === "outlived" && attempt.kind === "modify"',
        put: 'absence === "outlived" && attempt.kind === "leverage"',
      },
    ],
  },
  {
    name: "of an order that has ended nothing is canceled, though a modify that places in any case is out",
    changes: [
      {
        file: "src/settle/cancel/cancel.ts",
        find: "open.has(attempt.cloid) && isAlwaysPlace(attempt)",
        put: "open.has(attempt.cloid) && isAlwaysPlace(attempt) && attempt.id < 0",
      },
    ],
  },
  {
    name: "what is reduced is told with the time in force that it had",
    changes: [{ file: "src/settle/modify/reduce.ts", find: '    timeInForce: "alo",\n', put: "" }],
  },
  {
    name: "what a modify places beside its original is dated back to its request",
    changes: [
      {
        file: "src/settle/modify/modify.ts",
        find: "    createdAtMs: nowMs,\n",
        put: "    createdAtMs: attempt.createdAtMs,\n",
      },
    ],
  },
  one(
    "a record that shows what a modify placed is taken for a word that it was refused",
    "src/settle/modify/original.ts",
    "const mayTellMore = isRefused(leg) || (wasTaken(leg) && leg.oid === null);",
    "const mayTellMore = wasTaken(leg) && leg.oid === null;",
  ),
  one(
    "what a modify was refused to place is asked for no more once the words say that its original was left",
    "src/settle/modify/original.ts",
    "if (!wasTaken(replacement)) return isRefused(replacement);",
    'if (!wasTaken(replacement)) return isRefused(replacement) && refusalOf(attempt, replacement) !== "left";',
  ),
  {
    name: "what a modify placed beside its original is told before what became of it",
    changes: [
      { file: "src/settle/modify/modify.ts", find: "insertUntold(store, fresh);", put: "insertOrder(store, fresh);" },
      {
        file: "src/settle/modify/modify.ts",
        find: "findOrder, insertUntold, type",
        put: "findOrder, insertOrder, type",
      },
    ],
  },
];
