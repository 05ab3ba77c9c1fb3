/** An alert without a time is held against the one before it once more when its order is to leave: our clock may have been set. */
import type { Delivery, Hook } from "../../core/hook/hook.ts";
import { type Came, isSameByExchange } from "../../core/hook/same-again.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { findOrderedBefore } from "../../store/hook-deliveries.ts";

/** The delivery for which an order was placed already, and which this one only repeats; null where there is none. */
export function orderedAlready(
  deps: With<"clock" | "exchange" | "settings" | "store">,
  hook: Hook,
  delivery: Delivery,
): Delivery | null {
  if (delivery.alertAtMs !== null) return null;
  const before = findOrderedBefore(deps.store, delivery);
  const came = before === null ? null : whenCame(deps, before);
  if (came === null) return null;
  const exchangeAheadMs = deps.exchange.nowMs() - deps.clock.nowMs();
  return isSameByExchange(hook, came, { receivedAtMs: delivery.receivedAtMs, exchangeAheadMs }) ? before : null;
}

/** By what its order was signed with, whose number and end are of the exchange's time. */
function whenCame({ settings, store }: With<"settings" | "store">, { receivedAtMs, orderId }: Delivery): Came | null {
  const [placing] = orderId === null ? [] : listAttemptsOf(store, orderId);
  if (placing === undefined) return null;
  const { nonce, expiresAtMs, createdAtMs } = placing;
  const signedAtMs = Math.min(nonce, expiresAtMs - settings.timings.actionLifeMs);
  return { receivedAtMs, exchangeAheadMs: signedAtMs - createdAtMs };
}
