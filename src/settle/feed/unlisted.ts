/**
 * Orders that a list of a feed has held and its next one does not. The channel that tells of their end may have fallen silent while that of
 * the list goes on: what protects a position may be gone.
 */
import type { Account } from "../../core/account.ts";
import { isClosed } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { findLegByOid } from "../../store/legs.ts";
import type { Watch } from "./watch.ts";

/** To be called for each list, once the picture has it. */
export function heedLeftList(
  world: With<"picture" | "store">,
  account: Account,
  watch: Pick<Watch, "beginSoon">,
): void {
  for (const oid of world.picture.justLeftList(account.tradingAddress)) {
    const leg = findLegByOid(world.store, account.id, oid);
    if (leg !== null && !isClosed(leg) && !isUnderWay(world, leg.orderId)) watch.beginSoon(leg.orderId, "unlisted");
  }
}

/** Who waits for what a cancel or a modify does looks himself. */
function isUnderWay({ store }: With<"store">, orderId: string): boolean {
  return listAttemptsOf(store, orderId).some(({ state }) => state !== "done");
}
