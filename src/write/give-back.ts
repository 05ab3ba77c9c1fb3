import type { Attempt } from "../core/attempt.ts";
import { ApiError, type ErrorCode } from "../core/errors.ts";
import type { With } from "../deps.ts";
import type { SendOutcome } from "../exchange/exchange.ts";
import { endUnsent, takeBack } from "../settle/record/not-sent.ts";
import { openAttempt } from "../settle/record/record.ts";
import { listAttemptsOf, listSameAction } from "../store/attempts.ts";

/**
 * Ends a write of which it is proven that no byte left. While nobody can know of it, the intent vanishes: the key is
 * free again, and an `ApiError` tells the client so. Where somebody was told of it, a placing ends as never sent
 * (returns true), and anything else has to be pursued (returns false).
 */
export function giveBack(
  deps: With<"clock" | "running" | "store">,
  attempt: Attempt,
  result: SendOutcome & { kind: "not_sent" },
): boolean {
  const all = listSameAction(deps.store, attempt);
  // A cancel may have sealed and settled the write while it was still on its way out.
  if (all.every(({ id }) => openAttempt(deps.store, id) === null)) return true;
  const why = { reason: result.reason, nowMs: deps.clock.nowMs() };
  if (!all.every((each) => isUnknownToAll(deps, each))) {
    if (attempt.kind !== "place") return false;
    endUnsent(deps.store, attempt, why);
    return true;
  }
  takeBack(deps.store, attempt, why);
  const words = `Nothing was sent: ${result.reason}. The same Idempotency-Key may be used again.`;
  throw new ApiError(codeOf(result), words, result.waitS);
}

function codeOf({ isOurFault, waitS }: SendOutcome & { kind: "not_sent" }): ErrorCode {
  if (isOurFault === true) return "internal_error";
  return waitS === undefined ? "exchange_unreachable" : "exchange_rate_limited";
}

/** True while no 202 was given for the write, and no cancel or modify acts on the order that would vanish. */
function isUnknownToAll(deps: With<"running" | "store">, attempt: Attempt): boolean {
  if (deps.running.isTold(attempt.accountId, attempt.idempotencyKey)) return false;
  if (attempt.kind !== "place") return true;
  return listAttemptsOf(deps.store, attempt.resource.id).every((each) => each.id === attempt.id);
}
