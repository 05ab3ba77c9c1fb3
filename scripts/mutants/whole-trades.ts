import { type Mutant, one } from "./mutant.ts";

/** Orders at market, closes, batches, cancel-alls and trades: what the auditor of whole trades has to see. */
export const WHOLE_TRADES: readonly Mutant[] = [
  one(
    "the entry of a trade does not wait for its stop",
    "src/core/trade-step.ts",
    "if (ready.length === 0) return guard",
    'if (stops.length === 0) return [{ kind: "place_entry" }];\n  if (ready.length === 0) return guard',
  ),
  one(
    "an entry goes behind a stop that the feed has told gone",
    "src/settle/trade/trade-facts.ts",
    "(told?.isOver === true || told?.hasFired === true)",
    "(told?.isOver === true && told?.hasFired === null)",
  ),
  one(
    "an entry goes behind a stop that was shown to wait at any time",
    "src/core/trade-step.ts",
    "return shownAtMs !== null && nowMs >= shownAtMs && nowMs - shownAtMs <= TRUST_STOP_MS;",
    "return shownAtMs !== null;",
  ),
  one(
    "while no feed is live nobody asks whether the stop of an entry waits still",
    "src/settle/trade/trader.ts",
    "else if (!isTold) await askForStop(",
    "else if (!isTold && entry === undefined) await askForStop(",
  ),
  one(
    "a stop that is larger than what is held stays as it is",
    "src/core/trade-step.ts",
    "compare(part.remaining, wanted.size) === 0 && hasTerms",
    "compare(part.remaining, wanted.size) >= 0 && hasTerms",
  ),
  one(
    "a trade that is flat leaves its triggers",
    "src/core/trade-step.ts",
    "  if (guards.some(isLive)) return cancelOf(guards, facts);\n",
    "",
  ),
  one(
    "a cancel-all is done before its orders are",
    "src/settle/cancel-all/canceler.ts",
    "    if (remainingOf(world, row).length > 0) return false;\n",
    "",
  ),
  one(
    "an order at market takes any price within five percent",
    "src/core/worst-price.ts",
    "multiply(decimal(String(maxSlippageBps)), BASIS_POINTS)",
    "multiply(decimal(String(Math.max(maxSlippageBps, 500))), BASIS_POINTS)",
  ),
  one(
    "a close takes more than the part that was asked for",
    "src/core/closing.ts",
    "isBelowMinimum ? all : multiply(all, fraction)",
    "isBelowMinimum || fraction !== null ? all : multiply(all, fraction)",
  ),
  one(
    "the last order of a batch is left out of its action",
    "src/wire/action/order.ts",
    "orders: all.flatMap(({ orders }) => orders) };",
    "orders: all.slice(0, Math.max(1, all.length - 1)).flatMap(({ orders }) => orders) };",
  ),
  one(
    "a batch is told as known while the size of one of its orders is being read",
    "src/settle/record/batch.ts",
    '  if (orders.some(({ status }) => status === "unknown")) return null;\n',
    "",
  ),
  one(
    "a stop of which nothing ever tells is waited for",
    "src/core/guard-tries.ts",
    "const LOST_GUARD_MS = 20_000;",
    "const LOST_GUARD_MS = 2_000_000_000;",
  ),
  one(
    "a stop goes beside one that may just have fired",
    "src/core/guard-tries.ts",
    "return wasTaken ? LOST_TAKEN_GUARD_MS : LOST_GUARD_MS;",
    "return wasTaken ? 0 : LOST_GUARD_MS;",
  ),
  one(
    "what a stop has closed is told to have been the trade's own before all fills of its entry are known",
    "src/core/trade-step.ts",
    "if (!isClosingUnclear) return heldOf(facts);",
    "if (!isClosingUnclear || isClosingUnclear) return heldOf(facts);",
  ),
  one(
    "a close takes the triggers beside a TWAP that runs",
    "src/settle/stop/cancel-twaps.ts",
    "|| exchange.nowMs() <= endMs",
    "&& exchange.nowMs() <= endMs",
  ),
  one(
    "a TWAP that was canceled keeps the triggers of a close",
    "src/settle/close/running-twap.ts",
    "if (exchangeId !== null && canceled.has(exchangeId)) return false;",
    "",
  ),
  one(
    "nobody asks for a stop that a look has shown to be ending",
    "src/settle/trade/trader.ts",
    "if (!isTold) await askForLost(",
    "if (isTold && !isTold) await askForLost(",
  ),
  one(
    "a stop of which nothing is known, and that is for less than is held, is waited for as long as a whole one",
    "src/core/guard-tries.ts",
    "(isEnough ? lostMsOf(guard) : LOST_SMALLER_GUARD_MS)",
    "lostMsOf(guard)",
  ),
  one(
    "what is held beyond its stop is closed together with what a stop may have closed of which nothing is known",
    "src/core/trade-step.ts",
    "isAwaited(parts, ZERO) ? subtract(open, unknownOf(parts)) : open",
    "open",
  ),
  one(
    "a stop goes beside one that a list holds, because its record says that it is over",
    "src/core/guard-tries.ts",
    "  if (isListed) return LISTED_GUARD_MS;\n",
    "",
  ),
  one(
    "of one that a list holds and its record does not it is told that nothing holds it",
    "src/settle/look/look.ts",
    'isListed ? "contradicted" : "record_alone"',
    'isListed ? "record_alone" : "record_alone"',
  ),
  one(
    "that a list holds what its record says is over is told as it was first",
    "src/core/advance-leg.ts",
    "perhaps: doubts,",
    "perhaps: stays,",
  ),
  one(
    "a close of which nothing ever tells stands in the way",
    "src/settle/unsettled.ts",
    "  if (!isUnsettled(world, order)) return false;\n  const { id,",
    "  if (isUnsettled(world, order)) return true;\n  const { id,",
  ),
  one(
    "an order that may still execute stands in no way",
    "src/settle/unsettled.ts",
    "endsAtMs(attempt) >= exchangeMs);",
    "endsAtMs(attempt) < 0);",
  ),
  one(
    "a bot's close that can execute no more stands in no way, whatever it has filled",
    "src/actions/close-position.ts",
    "return isByPosition && !mayStillExecute",
    "return !mayStillExecute",
  ),
  one(
    "a stop goes first whatever the account was told to hold",
    "src/actions/create-trade.ts",
    "isFree && holdsTold && isOfNow",
    "isFree && isOfNow",
  ),
  one(
    "a stop goes first by what was held long ago",
    "src/actions/create-trade.ts",
    "isFree && holdsTold && isOfNow",
    "isFree && holdsTold",
  ),
  one(
    "a stop stands behind the answer of another step",
    "src/settle/trade/trader.ts",
    "    begin(memory.taking, step, () => take(",
    "    await begin(memory.taking, step, () => take(",
  ),
  one(
    "an order that was answered, and of which nothing is known, can do nothing more at once",
    "src/settle/unsettled.ts",
    'filter(({ kind }) => kind !== "cancel")',
    'filter(({ kind, state }) => kind !== "cancel" && state !== "done")',
  ),
  {
    name: "what a trade wants to go counts as gone, although the exchange refused that",
    changes: [
      {
        file: "src/settle/trade/trade-facts.ts",
        find: "cancels.some((cancel) => !wasRefused(cancel))",
        put: "cancels.length > 0",
      },
    ],
  },
  {
    name: "a cancel of a trade that was refused is sent again at every look",
    changes: [
      {
        file: "src/core/trade-step.ts",
        find: " && !isJustNow(part.cancelRefusedAtMs, nowMs, RETRY_GUARD_MS)",
        put: "",
      },
    ],
  },
  one(
    "what was refused waits for as long as the clock was set back",
    "src/core/kept-moment.ts",
    "atMs !== null && nowMs >= atMs && nowMs",
    "atMs !== null && nowMs",
  ),
  one(
    "a trade is rejected where the exchange takes no stop without a position",
    "src/core/trade-step.ts",
    '  if (needsPosition(refusal)) return [{ kind: "follow_fills" }];\n',
    "",
  ),
  one(
    "what is filled waits because a stop was refused before it",
    "src/core/trade-step.ts",
    " && !isOfBeforeEntry(newest, facts)",
    "",
  ),
  one(
    "an entry goes whatever its stop was refused for",
    "src/core/trade-step.ts",
    "return NEEDS_POSITION.some((words) => refusal?.includes(words) === true);",
    "return refusal !== null;",
  ),
  one(
    "a take-profit that was outgrown stands beside the new one",
    "src/core/trade-step.ts",
    'as === "profit" && parts.length < MAX_GUARDS ? outgrownOf',
    'as === "stop" && parts.length < 0 ? outgrownOf',
  ),
];
