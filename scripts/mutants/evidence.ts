import type { Mutant } from "./mutant.ts";

/** Bugs in what is concluded from what the exchange's stores show, each of which may be behind. */
export const EVIDENCE: readonly Mutant[] = [
  {
    name: "one history that goes past the end of an action is enough",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: "export const WITNESSES_NEEDED = 2;",
        put: "export const WITNESSES_NEEDED = 1;",
      },
    ],
  },
  {
    name: "a history is believed whatever it holds",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: "return answer.reachesBack && answer.newestAtMs !== null && answer.newestAtMs > endsAtMs;",
        put: "return answer.reachesBack || endsAtMs < 0;",
      },
    ],
  },
  {
    name: "a history that has dropped the time of the action is a witness",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: "return answer.reachesBack && answer.newestAtMs !== null",
        put: "return answer.newestAtMs !== null",
      },
    ],
  },
  {
    name: "a trace of the order does not outweigh the stores that lack it",
    changes: [{ file: "src/core/evidence.ts", find: "  if (trace.isNamed || trace.hasFills) return null;\n", put: "" }],
  },
  {
    name: "a duplicate number is taken for the noop's own",
    changes: [
      {
        file: "src/core/attempt.ts",
        find: 'if (answer === "ok") return { seal: "noop"',
        put: 'if (answer !== "too_low") return { seal: "noop"',
      },
    ],
  },
  {
    name: "a refusal in new words is believed though its number is free",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: 'const isRefusal = refusal !== null && attempt.seal === "nonce_taken" && attempt.hasLanded;',
        put: "const isRefusal = refusal !== null;",
      },
    ],
  },
  {
    name: "a refusal of an order in new words is believed after one reading",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: "if (isRefusal && trace.sweeps >= WITNESSES_NEEDED)",
        put: "if (isRefusal && trace.sweeps >= 1)",
      },
    ],
  },
  {
    name: "two readings of one moment say that an order was refused in new words",
    changes: [
      {
        file: "src/settle/pursuit.ts",
        find: "pursuit.lastRefusalElapsedMs;\n  if (last !== null && nowMs - last < WITNESS_SPACING_MS) return;",
        put: "pursuit.lastRefusalElapsedMs;\n  if (last !== null && nowMs < last) return;",
      },
    ],
  },
  {
    name: "a fill in another market, of what its answer said was filled, alarms nobody",
    changes: [
      {
        file: "src/settle/fills/index-fills.ts",
        find: "fills.find(({ coin, side }) => coin !== order?.market ||",
        put: "fills.find(({ coin, side }) => coin === order?.market &&",
      },
    ],
  },
  {
    name: "what may be ours in another market hides no absence",
    changes: [
      {
        file: "src/settle/place/look-for-placed.ts",
        find: "sight.difference.mayBeOurs ? null : swept.history",
        put: "swept.history",
      },
    ],
  },
  {
    name: "nothing is filled as soon as one answer says so",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: "last !== undefined && last.elapsedMs - first.elapsedMs >= spacingMs;",
        put: "last !== undefined && spacingMs > 0;",
      },
    ],
  },
  {
    name: "a position from before the close says that nothing was filled",
    changes: [
      {
        file: "src/settle/evidence/position-check.ts",
        find: "about.sinceMs === undefined || state.timeMs > about.sinceMs",
        put: "about.sinceMs === undefined || state.timeMs > 0",
      },
    ],
  },
  {
    name: "a position that is behind leaves the word to the fills",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: 'if (last.position !== "unknown") return false;',
        put: 'if (last.position === "moved") return false;',
      },
      {
        file: "src/core/evidence.ts",
        find: 'filter(({ position }) => position === "unknown")',
        put: 'filter(({ position }) => position !== "moved")',
      },
    ],
  },
  {
    name: "nothing newer is waited for on a quiet account",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: "sinceCloseMs - CLOCK_DOUBT_MS) >= QUIET_AFTER_MS",
        put: "sinceCloseMs - CLOCK_DOUBT_MS) >= -QUIET_AFTER_MS",
      },
    ],
  },
  {
    name: "a part is the whole as soon as the position shows as much",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: 'if (last.agreement === "short") return',
        put: 'if (last.agreement === "short" && same.length === 0) return',
      },
    ],
  },
  {
    name: "fills that are missing from the list are no fills",
    changes: [
      {
        file: "src/core/evidence.ts",
        find: 'last.agreement === "silent" || last.agreement === "missing"',
        put: 'last.agreement === "silent"',
      },
    ],
  },
  {
    name: "an order that its record calls filled may be empty",
    changes: [{ file: "src/core/evidence.ts", find: 'return "silent";', put: 'return "untouched";' }],
  },
  {
    name: "a position that moved contradicts nothing",
    changes: [
      {
        file: "src/settle/evidence/closed-size.ts",
        find: 'agreement === "untouched" && position !== "moved" ? "untouched" : "not_yet"',
        put: '"untouched"',
      },
    ],
  },
  {
    name: "a market that is shown is not compared",
    changes: [
      { file: "src/settle/evidence/difference.ts", find: "if (shown.coin !== market)", put: 'if (shown.coin === "")' },
    ],
  },
  {
    name: "a side that is shown is not compared",
    changes: [
      {
        file: "src/settle/evidence/difference.ts",
        find: '  if ((shown.side === "B") !== (side === "buy"))',
        put: '  if (shown.side === "B" && side === "buy" && market === "")',
      },
    ],
  },
  {
    name: "a size that is shown is not compared",
    changes: [
      {
        file: "src/settle/evidence/difference.ts",
        find: "reduceOnly ? order > 0 : order !== 0",
        put: "reduceOnly && order > 9",
      },
    ],
  },
  {
    name: "whether what is shown only reduces is not compared",
    changes: [
      {
        file: "src/settle/evidence/difference.ts",
        find: "shown.reduceOnly !== reduceOnly)",
        put: "shown.reduceOnly === null)",
      },
    ],
  },
  {
    name: "an answer without our client order id is ours",
    changes: [
      {
        file: "src/settle/place/place.ts",
        find: "  return answered === cloid;",
        put: "  return answered === null || answered === cloid;",
      },
    ],
  },
  {
    name: "one reading of the clock is believed",
    changes: [{ file: "src/exchange/clock.ts", find: "const WORDS_NEEDED = 3;", put: "const WORDS_NEEDED = 1;" }],
  },
  {
    name: "numbers start over with each process",
    changes: [
      {
        file: "src/store/nonces.ts",
        find: "nextNonce(lastInReach(store, signer, exchangeNowMs + MAX_AHEAD_MS - 1), exchangeNowMs)",
        put: "nextNonce(null, exchangeNowMs)",
      },
    ],
  },
  {
    name: "a trigger that fired in the moment of its placing was never taken",
    changes: [{ file: "src/settle/look/ended.ts", find: " || status === ONLY_WHEN_FIRED", put: "" }],
  },
  {
    name: "the record of an order that was open tells what was left of it at its end",
    changes: [
      {
        file: "src/settle/evidence/closed-size.ts",
        find: "rest: isEndUnsaid ? null : order.size",
        put: "rest: order.size",
      },
    ],
  },
  {
    name: "an order of which the record has a new word ended when that was written",
    changes: [
      {
        file: "src/settle/look/look.ts",
        find: "{ ...seen, statusTimestampMs: overByMs, isEndUnsaid: true }",
        put: "{ ...seen, statusTimestampMs: Math.min(overByMs, seen.statusTimestampMs), isEndUnsaid: true }",
      },
    ],
  },
  {
    name: "a new word from after what the feed told is one for an open order",
    changes: [{ file: "src/settle/look/look.ts", find: " && told.timeMs >= statusTimestampMs", put: "" }],
  },
  {
    name: "a cancel by a client order id that something else bears is the end of ours",
    changes: [
      {
        file: "src/settle/cancel/cancel.ts",
        find: "(attempt.targetOid !== null || !isShared)",
        put: "(attempt.targetOid !== null || !isShared || true)",
      },
    ],
  },
  {
    name: "a history that is cut short is taken for whole",
    changes: [{ file: "src/settle/look/sweep.ts", find: "HISTORY_ROWS && !hasTradedBefore", put: "HISTORY_ROWS" }],
  },
  {
    name: "that fills were missing is forgotten with the record that told it",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "if (!wereFillsMissing(leg)) return",
        put: "if (leg !== null) return",
      },
    ],
  },
  {
    name: "a position that hidden fills have moved there and back proves",
    changes: [
      { file: "src/settle/evidence/position-check.ts", find: 'return "behind";\n', put: 'return "unmoved";\n' },
    ],
  },
  {
    name: "an end of its own is forgotten with the record that told it",
    changes: [
      {
        file: "src/settle/modify/original.ts",
        find: 'attempt.isTargetClosed ? "yes" : await borneOut',
        put: "await borneOut",
      },
    ],
  },
  {
    name: "a list that is newer than an order says nothing of it where its word is new",
    changes: [
      {
        file: "src/settle/look/look.ts",
        find: "sinceMs: seen.order.timestampMs }",
        put: "sinceMs: seen.statusTimestampMs }",
      },
    ],
  },
];
