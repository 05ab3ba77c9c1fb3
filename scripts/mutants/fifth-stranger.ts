import { type Mutant, one } from "./mutant.ts";

const TRACELESS = "src/settle/stop/traceless.ts";
const FLATTENER = "src/settle/stop/flattener.ts";
const EVIDENCE = "src/core/setting-evidence.ts";
const LEVERAGE = "src/settle/operation/leverage.ts";
const OPERATION = "src/settle/operation/operation.ts";
const READING = "src/settle/operation/reading.ts";

/** What the fifth stranger has found, and what stands in its way now. */
export const FIFTH_STRANGER: readonly Mutant[] = [
  one(
    "what was told of the fills of an order of elsewhere is forgotten when it is changed",
    "src/actions/told-outside.ts",
    "return isZero(indexed.size) ? null : indexed;",
    "return isWhole(order, indexed) ? indexed : null;",
  ),
  one(
    "a command does not wait for a gateway that starts",
    "src/cli/change.ts",
    "if (!isStarting) throw error;",
    "throw error;",
  ),
  one(
    "what a server that may be behind shows open was left open by its modify",
    "src/core/modify-evidence.ts",
    " || sinceSignedMs > BEHIND_MS",
    " || sinceSignedMs > 0",
  ),
  one(
    "in a quiet account an original is never known to be left open",
    "src/core/modify-evidence.ts",
    " || sinceSignedMs > BEHIND_MS",
    "",
  ),
  one(
    "what is held waits for the proof that what was lost left nothing",
    TRACELESS,
    "if (out === null) return false;",
    "if (out === null || out.length > 0) return false;",
  ),
  one(
    "what is held is closed while what was lost may still come",
    TRACELESS,
    "return exchangeMs > endsAtMs(attempt) && (",
    "return exchangeMs > 0 && (",
  ),
  one(
    "what was not shown before its end is not looked for again",
    TRACELESS,
    "return world.exchange.nowMs() > endsAtMs(attempt) && !isEnough;",
    "return !isEnough;",
  ),
  one("nobody is asked for what was lost", TRACELESS, "?.silent ?? 0) >= WITNESSES_NEEDED);", "?.silent ?? 0) >= 0);"),
  one(
    "what rests holds no closing back",
    TRACELESS,
    "if (!legs.every((leg) => isTraceless(world, leg))) return null;",
    "",
  ),
  one(
    "flat is told while what was lost may turn up",
    FLATTENER,
    "if (isFlat && stop.stoppedAtMs !== null) return",
    "if (isFlat) return",
  ),
  one(
    "what turns up is closed at no worse than the price of what was held before",
    FLATTENER,
    "memory.stepsBefore += steps.length;",
    "memory.stepsBefore += 0 * steps.length;",
  ),
  one(
    "a setting is not in force because a server from before it does not show it",
    EVIDENCE,
    "otherwise: Math.max(shown, endsAtMs + BEHIND_MS + 1)",
    "otherwise: Math.max(shown, endsAtMs + 1)",
  ),
  one(
    "a setting that is not shown as asked is never settled",
    EVIDENCE,
    "trace.otherwise < W",
    "trace.otherwise < 999 * W",
  ),
  one("a setting that was in force for a while was refused", EVIDENCE, "trace.mayHaveBeenShown || ", ""),
  one("a setting that another change of ours has replaced was refused", EVIDENCE, " || trace.mayBeReplaced", ""),
  one("what was set while nobody looked was not", LEVERAGE, " || pursuit.wasUnwatched", ""),
  one(
    "two readings of a setting leave no room between them",
    LEVERAGE,
    "clock.elapsedMs() - last > W",
    "clock.elapsedMs() - last > 99 * W",
  ),
  one(
    "a change of leverage soon before another one cannot have come after it",
    LEVERAGE,
    "expiresAtMs - 2 * settings",
    "expiresAtMs + 2 * settings",
  ),
  one(
    "a server from before a cancel says that its TWAP was left running",
    READING,
    "world.exchange.nowMs() - BEHIND_MS)",
    "world.exchange.nowMs())",
  ),
  one(
    "in a quiet account a cancel of a TWAP is never known to have come too late",
    "src/settle/operation/twap-cancel.ts",
    "completeToMs(tools, attempt, newestAtMs)",
    "newestAtMs",
  ),
  one(
    "time alone says that a cancel whose number is not known came too late",
    READING,
    'return seal === "nonce_taken" ?',
    'return seal !== "noop" ?',
  ),
  one(
    "an operation that is unknown does not say what it waits for",
    OPERATION,
    "if (error === waiting ||",
    "if (error !== null ||",
  ),
  one("what is waited for is told in the place of an alarm", OPERATION, " || error?.startsWith(ALARM) === true", ""),
  one(
    "what is waited for is told of what is settled",
    OPERATION,
    '    if (openAttempt(world.store, attempt.id) === null) return;\n    note(world, attempt, "waiting"',
    '    note(world, attempt, "waiting"',
  ),
];
