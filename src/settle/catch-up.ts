import { compare } from "../core/decimal.ts";
import type { Leg } from "../core/order.ts";
import type { World } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { findLegByCloid } from "../store/legs.ts";
import { findOrder } from "../store/orders.ts";
import { applySight } from "./apply-sight.ts";
import { askedTerms } from "./difference.ts";
import type { FillEvidence } from "./fill-evidence.ts";
import { lookAtLeg } from "./look.ts";

/**
 * Follows orders that closed as filled before the exchange showed all their fills. Their status is final; the sizes
 * catch up.
 */
export type CatchUp = {
  /** Safe to call again for the same leg. */
  begin(cloid: string): void;
  stop(): void;
};

/** Pauses before each look, milliseconds: about a minute together. */
const LOOK_DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const;
/** Orders followed at once; past it the next start takes the rest up. */
const MAX_ORDERS = 1_000;

export function openCatchUp(world: World, evidence: FillEvidence): CatchUp {
  const followed = new Set<string>();
  let isStopped = false;

  async function follow(cloid: string): Promise<void> {
    for (const delayMs of LOOK_DELAYS_MS) {
      await world.clock.sleep(delayMs);
      if (isStopped || !isShort(findLegByCloid(world.store, cloid))) return;
      await lookAgain(world, evidence, cloid);
    }
    const leg = findLegByCloid(world.store, cloid);
    if (leg === null || !isShort(leg)) return;
    world.log.error(
      { order_id: leg.orderId, filled: leg.filledSize, size: leg.size },
      "an order closed as filled, and the exchange does not show all its fills",
    );
  }

  return {
    begin(cloid) {
      if (isStopped || followed.has(cloid) || followed.size >= MAX_ORDERS) return;
      followed.add(cloid);
      follow(cloid)
        .catch((error: unknown) => {
          if (!isStopped) world.log.error({ error: String(error) }, "the fills of an order could not be followed");
        })
        .finally(() => followed.delete(cloid));
    },
    stop() {
      isStopped = true;
    },
  };
}

function isShort(leg: Leg | null): boolean {
  return leg !== null && leg.state === "filled" && compare(leg.filledSize, leg.size) < 0;
}

async function lookAgain(world: World, evidence: FillEvidence, cloid: string): Promise<void> {
  const leg = findLegByCloid(world.store, cloid);
  const order = leg === null ? null : findOrder(world.store, leg.orderId);
  const account = order === null ? null : findAccount(world.store, order.accountId);
  if (leg === null || order === null || account === null) return;
  const sought = { user: account.tradingAddress, accountId: account.id, leg, ...askedTerms(order) };
  applySight(world, leg, await lookAtLeg(world, evidence, sought, { purpose: "settle" }));
}
