import { type Mutant, one } from "./mutant.ts";

const COVERED = "src/settle/stop/covered.ts";
const CANCEL = "src/settle/stop/cancel-covered.ts";
const STOPPER = "src/settle/stop/stopper.ts";
const UNUSED = "src/settle/copies/unused-numbers.ts";
const WITHDRAW = "src/settle/stop/withdraw.ts";

/** Bugs in what a stop refuses, in what it withdraws, and in when it is told to be done. */
export const STOPS: readonly Mutant[] = [
  one(
    "a stop is not looked at inside the intent's transaction",
    "src/write/commit.ts",
    "      requireNotStopped(store, caller, increasesFor);\n",
    "",
  ),
  one(
    "a modify passes a stop",
    "src/actions/modify-order.ts",
    "? [caller.key.keyHash, target.keyHash] : []",
    "? [] : []",
  ),
  one("a TWAP passes a stop", "src/actions/create-twap.ts", "isIncrease: !reduceOnly", "isIncrease: false"),
  one("a stop refuses what can only reduce", "src/core/stop.ts", "return !reduceOnly &&", "return"),
  one(
    "what is unsettled is not burnt",
    CANCEL,
    "unsettledPlacings(world, canceling.orderId).map(({ id }) => settling.burn(id))",
    "[] as Promise<void>[]",
  ),
  one(
    "a stop cancels what protects",
    COVERED,
    "  if (!stop.keepsProtection) return true;\n",
    "  if (stop.id !== null) return true;\n",
  ),
  one(
    "a stop is told to be done while something is left",
    STOPPER,
    "  return isNothing(remainingOf(world, stop, endedTwaps));\n",
    "  return stop.id !== null || endedTwaps.size === -1;\n",
  ),
  one(
    "what was placed elsewhere is not waited for",
    STOPPER,
    '  if (stop.scope === "account" && stop.outsideAtMs === null) return false;\n',
    "",
  ),
  one(
    "a start does not go on with a stop",
    "src/gateway.ts",
    "    workers.stopper.heed();\n    return lookAtInterrupted(deps, settler);",
    "    return lookAtInterrupted(deps, settler);",
  ),
  one(
    "TWAPs that run are left running",
    COVERED,
    "    if (endedTwaps.has(operation.id) || !isTwapToGo(store, stop, operation)) return false;\n",
    "    if (operation.id !== null) return false;\n",
  ),
  one(
    "a TWAP whose answer was lost is forgotten",
    COVERED,
    'kind === "twap" && accountId === stop.accountId',
    'kind === "leverage" && accountId === stop.accountId',
  ),
  one(
    "an order that is over while a modify of it is out counts as over",
    COVERED,
    "  return [...live, ...behind].filter",
    "  return [...live, ...behind.slice(0, 0)].filter",
  ),
  one(
    "a parent that is filled in part is canceled with its children",
    "src/actions/cancel-outside.ts",
    "if (children.length === 0) return false;",
    "if (children.length >= 0) return false;",
  ),
  one("what was kept is canceled by an older list", "src/actions/cancel-outside.ts", "!kept.has(order.oid) && ", ""),
  one(
    "an order of elsewhere goes before a stop stands in for its own",
    "src/actions/stand-in.ts",
    'return all.find((each) => each === "none") ?? all.find((each) => each === "pending") ?? "stands";',
    'return all.find((each) => each === "none") ?? "stands";',
  ),
  one(
    "a stop that stands in goes although its order has filled",
    "src/actions/stand-in.ts",
    ": isZero(parent.filledSize);",
    ": true;",
  ),
  one(
    "what was placed elsewhere is canceled as often as it comes",
    WITHDRAW,
    '  const isOutsideDue = stop.scope === "account" && stop.outsideAtMs === null;\n',
    "  const isOutsideDue = stop.scope !== null;\n",
  ),
  one(
    "a key that ends with its orders leaves them",
    "src/settle/stop/begin-stop.ts",
    "  return running ?? beginStop(store, tools, wanted);",
    '  return running ?? beginStop(store, tools, { ...wanted, keyHash: "nobody" });',
  ),
  one(
    "a TWAP that the history shows running counts as ended",
    "src/settle/stop/cancel-twaps.ts",
    "if (exchangeId !== null && running.has(exchangeId)) return [];",
    "if (exchangeId !== null && running.has(exchangeId)) return [id];",
  ),
  one(
    "positions of a server that is behind say that nothing is held",
    "src/settle/stop/flattener.ts",
    "const isCurrent = shown.holdsTold && shown.timeMs > memory.sinceMs;",
    "const isCurrent = true;",
  ),
  one(
    "positions of after the stop are current, whatever was told since",
    "src/settle/stop/flattener.ts",
    "const isCurrent = shown.holdsTold && shown.timeMs > memory.sinceMs;",
    "const isCurrent = shown.timeMs > memory.sinceMs;",
  ),
  one(
    "positions of after what was told are current, though of before the stop",
    "src/settle/stop/flattener.ts",
    "const isCurrent = shown.holdsTold && shown.timeMs > memory.sinceMs;",
    "const isCurrent = shown.holdsTold;",
  ),
  one(
    "while positions are behind a market is closed again and again",
    "src/settle/stop/flattener.ts",
    "filter(([market]) => !begun.has(market))",
    "filter(([market]) => !begun.has(market) || begun.has(market))",
  ),
  one(
    "while positions are behind nothing is closed",
    "src/settle/stop/flattener.ts",
    "filter(([market]) => !begun.has(market))",
    "filter(([market]) => begun.has(market))",
  ),
  one(
    "one list says what was placed elsewhere, however far behind",
    WITHDRAW,
    "const OUTSIDE_READINGS = 2;",
    "const OUTSIDE_READINGS = 1;",
  ),
  one(
    "orders of a flattening are counted by a clock that may be set back",
    "src/settle/stop/flattener.ts",
    "    steps: steps.slice(memory.stepsBefore),\n",
    "    steps: steps.filter(({ createdAtMs }) => createdAtMs >= flatten.askedAtMs),\n",
  ),
  one(
    "a number that a refusal left unused is not waited for",
    COVERED,
    "    unusedNumbers: unusedNumbersOf(world, stop),\n",
    "    unusedNumbers: unusedNumbersOf(world, stop).slice(0, 0),\n",
  ),
  one(
    "a number that something has taken is told to be free of copies",
    UNUSED,
    '  if (answer === "ok") inTransaction',
    '  if (answer !== "no_information") inTransaction',
  ),
  one(
    "what has ended is not looked for",
    UNUSED,
    'const sight = await lookForCopy(world, account, refused, "cancel");',
    'const sight = account.id === "" ? await lookForCopy(world, account, refused, "cancel") : ("silent" as CopySight);',
  ),
  one(
    "what was refused with its number unused stays refused, whatever shows it",
    "src/settle/place/place.ts",
    "!mayLeaveNumber(reply.text)",
    "mayLeaveNumber(reply.text) || reply.text.length > 0",
  ),
  one(
    "every refusal is waited for",
    "src/settle/place/place.ts",
    "!mayLeaveNumber(reply.text)",
    "reply.text.length === 0",
  ),
  one(
    "a flattening goes by what is booked, whatever is in doubt",
    "src/settle/stop/flattener.ts",
    "[...contradicted, ...listInDoubt(world.store, stop, positions)]",
    "contradicted",
  ),
  one(
    "what no server shows is flat, whatever the fills say",
    "src/settle/stop/flattener.ts",
    "[...contradicted, ...listInDoubt(world.store, stop, positions)]",
    "listInDoubt(world.store, stop, positions)",
  ),
  one(
    "a market that was settled without a fill is waited for for ever",
    "src/settle/stop/still-held.ts",
    " && clock.elapsedMs() - seen.sinceMs < SETTLED_AFTER_MS",
    "",
  ),
  one(
    "what others hold keeps a bot from being flat",
    "src/settle/stop/still-held.ts",
    "closableIn(store, stop, heldByFills(store, stop.accountId))",
    "heldByFills(store, stop.accountId)",
  ),
  one(
    "a doubt waits for what the index cannot lack any more",
    "src/store/bot-doubts.ts",
    "if (isAwaited && !isAllToldUpTo(store, doubt, trades)) return;",
    "if (isAwaited) return;",
  ),
  one(
    "an index that is behind ends a doubt",
    "src/store/bot-doubts.ts",
    "if (isAwaited && !isAllToldUpTo(store, doubt, trades)) return;",
    "",
  ),
  one(
    "a stop does not name what nobody knows of",
    "src/settle/stop/waits.ts",
    'if (placing !== undefined) return { reason: "outcome_unknown"',
    'if (placing === null) return { reason: "outcome_unknown"',
  ),
  one(
    "a stop that nobody can sign for names a cancel that waits its turn",
    "src/settle/stop/waits.ts",
    'signingAgent(world, account).kind === "obstacle"',
    'signingAgent(world, account).kind !== "agent" && account.id === ""',
  ),
  one(
    "a cancel that is sent again is waited for anew",
    "src/settle/stop/waits.ts",
    "firstMs ?? last?.createdAtMs ??",
    "last?.createdAtMs ??",
  ),
  one(
    "lists that cannot be read are not named",
    "src/settle/stop/waits.ts",
    'if (scope === "account" && outsideAtMs === null)',
    'if (scope === "bot" && outsideAtMs !== null)',
  ),
  one(
    "what is waited for is told at every step",
    "src/core/wait.ts",
    "return namesOf(waits) !== told.names;",
    "return true;",
  ),
  one("a wait that is named anew begins anew", "src/core/wait.ts", "known.get(nameOf(wait)) ?? ", ""),
  one(
    "a flattening that waits for its stop is silent",
    "src/settle/stop/flattener.ts",
    '[{ reason: stop.stoppedAtMs === null ? "not_stopped" : "gateway_opening" }]',
    "[]",
  ),
  one("a flattening does not name its order", "src/settle/stop/flattener.ts", "out.map(stepWait)", "[]"),
  one(
    "a flattening does not name a TWAP that closes the same",
    "src/settle/stop/flattener.ts",
    'reason: "twap_reducing", operationId, market',
    'reason: "twap_reducing", market',
  ),
];
