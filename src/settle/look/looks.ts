import { isLive } from "../../core/order.ts";
import type { LookResult } from "../../deps.ts";
import type { Reader } from "../../exchange/exchange.ts";
import { useOf } from "../../exchange/shares.ts";
import { findAccount } from "../../store/accounts.ts";
import { listLegs } from "../../store/legs.ts";
import { findOrder } from "../../store/orders.ts";
import { askedTerms } from "../evidence/difference.ts";
import type { Tools } from "../pursuit.ts";
import { applySight, liveLeg } from "./apply-sight.ts";
import { lookAtLeg, type Sight, type Sought } from "./look.ts";
import { lookBeyondRecord } from "./look-beyond-record.ts";

/**
 * Looks at single orders for those who read them: at most one a second an order, shared by all who ask. One that has met an end, and shows the order
 * as it was, is shared for no longer than it may be shown so.
 */
export type Looks = { look(orderId: string, purpose: LookPurpose): Promise<LookResult> };

/** What one look may spend our weight on: a client's read, or the pursuit of a close that was told. */
type LookPurpose = "read" | "settle" | Reader;

const SHARED_FOR_MS = 1_000;
/** Orders whose last look is remembered; past it the oldest is forgotten. */
const MAX_REMEMBERED = 10_000;

/** @param onUnfinished hears of every look that has found an order over, or not where it was, and not the whole of it */
export function openLooks(tools: Tools, onUnfinished: (orderId: string) => void): Looks {
  const last = new Map<string, { untilMs: number; result: Promise<LookResult> }>();
  return {
    look(orderId, purpose) {
      const nowMs = tools.world.clock.elapsedMs();
      // A look at what a modify has replaced says nothing of what stands in its place.
      const name = `${useOf(purpose)} ${orderId} ${listLegs(tools.world.store, orderId).at(-1)?.cloid ?? ""}`;
      const shared = last.get(name);
      if (shared !== undefined && nowMs < shared.untilMs) return shared.result;
      const oldest = last.keys().next().value;
      if (last.size >= MAX_REMEMBERED && oldest !== undefined) last.delete(oldest);
      const stand = (asBeforeMs: number) => {
        known.untilMs = Math.min(known.untilMs, tools.world.clock.elapsedMs() + asBeforeMs);
      };
      const result = lookOnce(tools, { orderId, purpose }, stand);
      const known = { untilMs: nowMs + SHARED_FOR_MS, result };
      last.delete(name);
      last.set(name, known);
      void result.then((looked) => {
        if (looked === "unfinished" || looked === "unclear") onUnfinished(orderId);
      });
      return result;
    },
  };
}

type Looking = { orderId: string; purpose: LookPurpose };

/**
 * A read looks and never signs: an unknown order is settled by it only when the exchange shows the order.
 *
 * @param stand called where it is over and shown as it was, with for how long it may be, milliseconds
 */
async function lookOnce(
  tools: Tools,
  { orderId, purpose }: Looking,
  stand: (asBeforeMs: number) => void,
): Promise<LookResult> {
  const { world } = tools;
  try {
    const order = findOrder(world.store, orderId);
    const account = order === null ? null : findAccount(world.store, order.accountId);
    const leg = order === null ? null : liveLeg(listLegs(world.store, orderId));
    if (order === null || account === null || leg === null || !isLive(order.status)) return "closed";
    const sought = { user: account.tradingAddress, accountId: account.id, leg, ...askedTerms(order) };
    const sight = await lookAt(tools, sought, purpose);
    applySight(world, leg, sight);
    if (sight.kind === "unfinished" && sight.asBeforeMs !== undefined) stand(sight.asBeforeMs);
    if (sight.kind === "seen") return sight.isClosed ? "closed" : "open";
    if (sight.kind === "unfinished" && sight.isUnclear === true) return "unclear";
    return sight.kind === "foreign" ? "failed" : sight.kind;
  } catch (error) {
    world.log.error({ order_id: orderId, error: String(error) }, "a look at an order failed");
    return "failed";
  }
}

async function lookAt(tools: Tools, sought: Sought, purpose: LookPurpose): Promise<Sight> {
  if (purpose === "settle") return lookBeyondRecord(tools, sought, { purpose });
  const sight = await lookAtLeg(tools.world, tools.evidence, sought, { purpose });
  if (sight.kind === "seen" || sight.kind === "unfinished") tools.vanished.shown(sought.leg.cloid);
  return sight;
}
