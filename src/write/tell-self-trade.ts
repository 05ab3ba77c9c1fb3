import type { Account } from "../core/account.ts";
import type { OpenLeg } from "../core/rails/exposure.ts";
import type { Rails } from "../core/rails/rails.ts";
import { metBy } from "../core/rails/reductions.ts";
import type { Ordered } from "../core/rails/wish.ts";
import type { With } from "../deps.ts";
import { appendEvent } from "../store/events.ts";
import type { Store } from "../store/open.ts";

/** Orders that one order is told to meet, at most: after so many nothing of it is left to meet others. */
const MAX_TOLD = 20;

type AllowedWish = { account: Account; rails: Rails; wish: Ordered; legs: readonly OpenLeg[] };

/**
 * Inside the intent's transaction: tells of resting orders of other keys that this order is about to meet, and that the
 * exchange will cancel for it.
 */
export function tellSelfTrades(
  { clock }: With<"clock">,
  store: Store,
  { account: { id: accountId }, rails, wish, legs }: AllowedWish,
): void {
  const { orderId, market } = wish.leg;
  const met = metBy(rails, legs, wish);
  if (met.length === 0) return;
  const ids = new Set(met.map((leg) => leg.orderId));
  for (const resting of [...ids].slice(0, MAX_TOLD)) {
    const about = { account: accountId, market, order: orderId, resting_order: resting, bot: rails.bot };
    const payload = JSON.stringify({ object: "self_trade", ...about });
    appendEvent(store, { accountId, atMs: clock.nowMs(), type: "order.self_trade", resourceId: resting, payload });
  }
}
