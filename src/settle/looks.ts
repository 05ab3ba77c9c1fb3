import { isLive } from "../core/order.ts";
import type { LookResult } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { findOrder, listLegs } from "../store/orders.ts";
import { applySight, liveLeg } from "./apply-sight.ts";
import { lookAtLeg } from "./look.ts";
import type { Tools } from "./pursuit.ts";

/** Looks at single orders for those who read them: at most one a second an order, shared by all who ask. */
export type Looks = { look(orderId: string): Promise<LookResult> };

const SHARED_FOR_MS = 1_000;
/** Orders whose last look is remembered; past it the oldest is forgotten. */
const MAX_REMEMBERED = 10_000;

export function openLooks(tools: Tools): Looks {
  const last = new Map<string, { atMs: number; result: Promise<LookResult> }>();
  return {
    look(orderId) {
      const nowMs = tools.world.clock.elapsedMs();
      const shared = last.get(orderId);
      if (shared !== undefined && nowMs - shared.atMs < SHARED_FOR_MS) return shared.result;
      const oldest = last.keys().next().value;
      if (last.size >= MAX_REMEMBERED && oldest !== undefined) last.delete(oldest);
      const result = lookOnce(tools, orderId);
      last.delete(orderId);
      last.set(orderId, { atMs: nowMs, result });
      return result;
    },
  };
}

/** A read looks and never signs: an unknown order is settled by it only when the exchange shows the order. */
async function lookOnce(tools: Tools, orderId: string): Promise<LookResult> {
  const { world } = tools;
  try {
    const order = findOrder(world.store, orderId);
    const account = order === null ? null : findAccount(world.store, order.accountId);
    const leg = order === null ? null : liveLeg(listLegs(world.store, orderId));
    if (order === null || account === null || leg === null || !isLive(order.status)) return "not_found";
    const sought = { user: account.tradingAddress, accountId: account.id, leg, terms: order };
    const sight = await lookAtLeg(world, tools.evidence, sought, { purpose: "read" });
    applySight(world, leg, sight);
    return sight.kind === "unfinished" ? "seen" : sight.kind;
  } catch (error) {
    world.log.error({ order_id: orderId, error: String(error) }, "a look at an order failed");
    return "failed";
  }
}
