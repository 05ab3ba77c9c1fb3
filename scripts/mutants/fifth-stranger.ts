import { type Mutant, one } from "./mutant.ts";

const TWAP = "src/settle/operation/twap.ts";
const TRACELESS = "src/settle/stop/traceless.ts";
const FLATTENER = "src/settle/stop/flattener.ts";

/** What the fifth stranger has found, and what stands in its way now. */
export const FIFTH_STRANGER: readonly Mutant[] = [
  one(
    "a TWAP is what its answer has named, whatever the history shows",
    TWAP,
    "if (equal.length > 0) return",
    "if (equal.length > 99) return",
  ),
  one(
    "a history that is behind says which TWAP is ours",
    TWAP,
    "world.exchange.nowMs() - attempt.nonce <= BEHIND_MS || ",
    "",
  ),
  one("of two equal TWAPs the first is ours", TWAP, "equal.length > 1 || ", ""),
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
];
