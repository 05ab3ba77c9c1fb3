import type { Attempt } from "../core/attempt.ts";
import type { With } from "../deps.ts";
import { within } from "../settle/within.ts";

/** Between two glances at an attempt that is on its way and whose write cannot be joined, milliseconds. */
const GLANCE_MS = 100;

/**
 * Waits until there may be news of another write's attempt, for the given time at most. An attempt that is still on its
 * way is waited for and not pursued: a pursuit begins with a noop on its nonce, which would stop it.
 */
export async function waitForAttempt(
  deps: With<"clock" | "running" | "settling">,
  attempt: Attempt,
  maxMs: number,
): Promise<void> {
  const news = attempt.state === "prepared" ? answerOf(deps, attempt) : deps.settling.pursue(attempt.id);
  await within(deps.clock, maxMs, news);
}

async function answerOf(deps: With<"clock" | "running">, { accountId, idempotencyKey }: Attempt): Promise<void> {
  const running = deps.running.join(accountId, idempotencyKey);
  // That a write was given back is news too; its own client is told why.
  if (running === null) await deps.clock.sleep(GLANCE_MS);
  else await running.catch(() => undefined);
}
