import type { Attempt } from "../core/attempt.ts";
import { ApiError } from "../core/errors.ts";
import type { Deps } from "../deps.ts";
import { takeBack } from "../settle/not-sent.ts";
import type { SendResult } from "../settle/send.ts";

/** Ends a write of which it is proven that no byte left: the key is free again and the client is told so. */
export function giveBack(deps: Deps, attempt: Attempt, result: SendResult & { kind: "not_sent" }): never {
  takeBack(deps.store, attempt, { reason: result.reason, nowMs: deps.clock.nowMs() });
  const code = result.isOurFault ? "internal_error" : "exchange_unreachable";
  throw new ApiError(code, `Nothing was sent: ${result.reason}. The same Idempotency-Key may be used again.`);
}
