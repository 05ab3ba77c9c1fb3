/**
 * Orders that a list of a feed has held and its next one does not. The channel that tells of their end may have fallen silent while that of
 * the list goes on: what protects a position may be gone.
 */
import type { Account } from "../../core/account.ts";
import { isClosed } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { findLegByOid } from "../../store/legs.ts";
import type { AccountPart } from "../../wire/answer/account-frame.ts";
import type { Watch } from "./watch.ts";

export type UnlistedOrders = {
  heed(account: Account, shown: AccountPart): void;
  /** The lists of another connection are compared with one another, and not with those before. */
  forget(account: Account): void;
};

export function openUnlistedOrders(world: With<"store">, watch: Pick<Watch, "beginSoon">): UnlistedOrders {
  /** Native ids of the newest list, by account and dex. */
  const listed = new Map<string, Map<string, ReadonlySet<string>>>();

  return {
    heed(account, shown) {
      if (shown.part !== "open" || shown.value === null) return;
      const lists = listed.get(account.id) ?? new Map<string, ReadonlySet<string>>();
      const before = lists.get(shown.dex);
      const now = new Set(shown.value.map(({ oid }) => oid));
      listed.set(account.id, lists.set(shown.dex, now));
      for (const oid of before ?? []) {
        if (now.has(oid)) continue;
        const leg = findLegByOid(world.store, account.id, oid);
        if (leg !== null && !isClosed(leg) && !isUnderWay(world, leg.orderId)) watch.beginSoon(leg.orderId, "unlisted");
      }
    },
    forget: ({ id }) => void listed.delete(id),
  };
}

/** Who waits for what a cancel or a modify does looks himself. */
function isUnderWay({ store }: With<"store">, orderId: string): boolean {
  return listAttemptsOf(store, orderId).some(({ state }) => state !== "done");
}
