import type { Delivery, Hook } from "../../core/hook/hook.ts";
import { inTransaction } from "../../store/commit.ts";
import { findDelivery, listAccepted, listHooksWithWork, updateDelivery } from "../../store/hook-deliveries.ts";
import { findHook } from "../../store/hooks.ts";
import type { ToPlaceOrder } from "../place-order.ts";
import { carryOut, type Tried } from "./carry-out.ts";

export type RunningHooks = {
  /** There may be an alert to carry out; safe to call at any time. */
  heed(): void;
  /** Nothing goes on in this process; the next start finds what is left. */
  stop(): void;
};

/** Between two tries of one alert, milliseconds. */
const RETRY_MS = 500;
/** Whatever was missed is found by then, milliseconds. */
const HEED_EVERY_MS = 1_000;

/**
 * Carries alerts out, those of one hook in one market in the order in which they came: one that closes must not overtake the
 * one that opened. What it does is in the rows.
 */
export function openHooks(deps: ToPlaceOrder): RunningHooks {
  const running = new Set<string>();
  let isEnded = false;

  async function followLane(hookId: string, market: string): Promise<void> {
    while (!isEnded) {
      const hook = findHook(deps.store, hookId);
      const next = listAccepted(deps.store, hookId).find((delivery) => delivery.market === market);
      if (next === undefined) return;
      if (!(await tryOnce(deps, hook, next, () => isEnded)) && !isEnded) await deps.clock.sleep(RETRY_MS);
    }
  }

  function enter(hookId: string, market: string): void {
    const lane = `${hookId} ${market}`;
    if (running.has(lane)) return;
    running.add(lane);
    void followLane(hookId, market)
      .catch((error: unknown) => deps.log.error({ hook: hookId, error: String(error) }, "the alerts of a hook wait"))
      .finally(() => running.delete(lane));
  }

  function heed(): void {
    if (isEnded) return;
    for (const hookId of listHooksWithWork(deps.store)) {
      for (const { market } of listAccepted(deps.store, hookId)) enter(hookId, market ?? "");
    }
  }

  // One that came while its lane was being left is found by then.
  void repeat();
  async function repeat(): Promise<void> {
    while (!isEnded) {
      await deps.clock.sleep(HEED_EVERY_MS);
      if (!isEnded) heedGuarded();
    }
  }

  /** A database that cannot be read for a moment: it is looked at again. */
  function heedGuarded(): void {
    try {
      heed();
    } catch (error) {
      deps.log.error({ error: String(error) }, "the alerts could not be looked at");
    }
  }

  return {
    heed: heedGuarded,
    stop() {
      isEnded = true;
    },
  };
}

/** False where the next try is to wait. */
async function tryOnce(
  deps: ToPlaceOrder,
  hook: Hook | null,
  delivery: Delivery,
  hasEnded: () => boolean,
): Promise<boolean> {
  try {
    const tried = hook === null ? NO_HOOK : await carryOut(deps, hook, delivery);
    if (hasEnded()) return false;
    return note(deps, delivery, tried);
  } catch (error) {
    deps.log.error(
      { hook: delivery.hookId, error: String(error) },
      "an alert could not be carried out; it is tried again",
    );
    return false;
  }
}

function note({ store, clock, log }: ToPlaceOrder, delivery: Delivery, tried: Tried): boolean {
  const { steps } = tried;
  const orderId = tried.orderId ?? delivery.orderId;
  if (tried.kind === "waits") {
    if (steps !== delivery.steps) inTransaction(store, () => updateDelivery(store, delivery.id, { steps, orderId }));
    return steps > delivery.steps;
  }
  const { status, reason } = tried;
  const endedAtMs = clock.nowMs();
  inTransaction(store, () => updateDelivery(store, delivery.id, { status, reason, steps, orderId, endedAtMs }));
  log.info({ hook: delivery.hookId, outcome: findDelivery(store, delivery.id)?.status ?? status }, "alert");
  return true;
}

const NO_HOOK: Tried = {
  kind: "ended",
  status: "refused",
  reason: "the hook is not as it was made",
  steps: 0,
  orderId: null,
};
