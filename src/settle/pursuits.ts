/** Every attempt that is followed, each by one pursuit, until it is settled. */
import { type Attempt, type AttemptKind, lookDelayMs } from "../core/attempt.ts";
import { findAttempt, listSameAction } from "../store/attempts.ts";
import { stepCancel } from "./cancel/pursue-cancel.ts";
import { stepModify } from "./modify/pursue-modify.ts";
import { stepLeverage } from "./operation/leverage.ts";
import { stepMargin } from "./operation/margin.ts";
import { stepTwap } from "./operation/twap.ts";
import { stepTwapCancel } from "./operation/twap-cancel.ts";
import { stepPlace } from "./place/pursue-place.ts";
import { type Pursuit, startPursuit, type Tools } from "./pursuit.ts";
import { openAttempt } from "./record/record.ts";
import { openTurns } from "./turns.ts";

export type Pursuits = {
  /** The one that runs, where it is followed already. */
  begin(attemptId: number): RunningPursuit;
  /** Ends them where they stand. */
  stop(): void;
};

/** Steps that run at once; the rest waits its turn, first come first served. */
const MAX_STEPS_AT_ONCE = 8;

export type RunningPursuit = { pursuit: Pursuit; settled: Promise<void>; firstLook: Promise<void> };

/** @param onSettled called with every attempt that was followed to its end */
export function openPursuits(tools: Tools, onSettled: (attempt: Attempt) => void): Pursuits {
  const { world } = tools;
  const running = new Map<number, RunningPursuit>();
  const turns = openTurns(MAX_STEPS_AT_ONCE);
  let isStopped = false;

  function begin(attemptId: number): RunningPursuit {
    // A pursuit goes on under a new attempt when it issues its action again.
    const known =
      running.get(attemptId) ?? [...running.values()].find(({ pursuit }) => pursuit.attemptId === attemptId);
    if (known !== undefined) return known;
    const pursuit = startPursuit(attemptId, noopOf(attemptId));
    let looked: () => void = () => undefined;
    const firstLook = new Promise<void>((resolve) => {
      looked = resolve;
    });
    const settled = follow(pursuit, looked)
      .catch((error: unknown) => {
        world.log.error({ attempt: pursuit.attemptId, error: String(error) }, "a pursuit ended by a fault of ours");
      })
      .finally(() => {
        running.delete(attemptId);
        looked();
      });
    const started = { pursuit, settled, firstLook };
    running.set(attemptId, started);
    return started;
  }

  /** Who follows another of its batch asks for the same number. */
  function noopOf(attemptId: number): Pursuit["noop"] | undefined {
    const attempt = findAttempt(world.store, attemptId);
    if (attempt === null) return undefined;
    const same = new Set(listSameAction(world.store, attempt).map(({ id }) => id));
    return [...running.values()].find(({ pursuit }) => same.has(pursuit.attemptId))?.pursuit.noop;
  }

  async function follow(pursuit: Pursuit, looked: () => void): Promise<void> {
    while (!isStopped) {
      const pauseMs = await turns.take(async () => (isStopped ? null : stepOnce(tools, pursuit)));
      looked();
      if (isStopped) return;
      if (pauseMs === null) return tellSettled(pursuit);
      await world.clock.sleep(pauseMs);
    }
  }

  function tellSettled({ attemptId }: Pursuit): void {
    const attempt = findAttempt(world.store, attemptId);
    if (attempt !== null) onSettled(attempt);
  }

  return {
    begin,
    stop() {
      isStopped = true;
    },
  };
}

const STEPS: Record<AttemptKind, (tools: Tools, attempt: Attempt, pursuit: Pursuit) => Promise<boolean>> = {
  place: stepPlace,
  modify: stepModify,
  cancel: stepCancel,
  leverage: stepLeverage,
  isolated_margin: stepMargin,
  twap: stepTwap,
  twap_cancel: stepTwapCancel,
};

/** Milliseconds until the next step, null when it is settled. A fault of ours ends the step, never the pursuit. */
async function stepOnce(tools: Tools, pursuit: Pursuit): Promise<number | null> {
  const { store, log } = tools.world;
  let kind: AttemptKind = "place";
  pursuit.concludesInMs = null;
  try {
    const attempt = openAttempt(store, pursuit.attemptId);
    if (attempt === null) return null;
    ({ kind } = attempt);
    if (await STEPS[attempt.kind](tools, attempt, pursuit)) return null;
  } catch (error) {
    log.error({ attempt: pursuit.attemptId, error: String(error) }, "a settling step failed");
  }
  pursuit.looks += 1;
  return pursuit.concludesInMs ?? lookDelayMs(pursuit.looks, kind);
}
