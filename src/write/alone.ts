import type { Attempt } from "../core/attempt.ts";
import type { With } from "../deps.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { PlanOvertaken } from "./overtaken.ts";
import { waitForAttempt } from "./wait-for-attempt.ts";

/** What an action without an id of its own has waited for before it was planned. */
export type Alone = {
  /** Unsettled attempts, as of now, that could be mistaken for the new one. */
  alike(): readonly Attempt[];
  /** Of those it goes beside: none of them was decided in time. */
  besideIds: ReadonlySet<number>;
};

/** Half of an answer's deadline, so that the rest is left for sending, milliseconds. */
const ALIKE_WAIT_MS = 4_000;

/** Waits, for a while, until no unsettled attempt is left that could be mistaken for the new one. */
export async function waitForAlike(
  deps: With<"clock" | "running" | "settling">,
  alike: Alone["alike"],
): Promise<Alone> {
  const untilMs = deps.clock.elapsedMs() + ALIKE_WAIT_MS;
  for (;;) {
    const [ahead, ...others] = alike();
    const leftMs = untilMs - deps.clock.elapsedMs();
    if (ahead === undefined || leftMs <= 0) {
      const beside = ahead === undefined ? [] : [ahead, ...others];
      return { alike, besideIds: new Set(beside.map(({ id }) => id)) };
    }
    await waitForAttempt(deps, ahead, leftMs);
  }
}

/** Inside the transaction of the intent: two that were asked for at once have both found nothing to wait for. Throws `PlanOvertaken`. */
export function requireAlone({ alike, besideIds }: Alone): void {
  if (alike().some(({ id }) => !besideIds.has(id)))
    throw new PlanOvertaken("An action just like this one is under way.");
}

/**
 * Whether an action equal to this one could still be mistaken for it: until it is settled, or, where that takes
 * longer than a signed action lives, until it is sealed. By the exchange's time, of which its end is: a step of our own clock says nothing.
 */
export function isUndecided({ exchange }: { exchange: Pick<Exchange, "nowMs"> }, attempt: Attempt): boolean {
  return attempt.seal === null || exchange.nowMs() < attempt.expiresAtMs;
}
