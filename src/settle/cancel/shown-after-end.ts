import type { Account } from "../../core/account.ts";
import { SHOWN_WITHIN_MS } from "../../core/evidence.ts";
import { isClosed, type Leg, LISTED_SINCE, wasListedSince } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { onEvents } from "../../store/events.ts";
import { listLegs } from "../../store/legs.ts";
import { findOrder } from "../../store/orders.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";
import { askedTerms, differenceFrom } from "../evidence/difference.ts";
import { legOf } from "../feed/known-leg.ts";
import { raiseAlarm } from "../look/apply-sight.ts";

/**
 * Orders whose end the exchange has told, and that its lists of open orders show nevertheless. A list may be behind the record that told
 * the end, but by no more than any server is: one that is asked for so long after another had shown the order, when its end was known here,
 * contradicts the end. That stays, and what the lists show is the alarm beside it. No row's date is asked: our wall clock may have been
 * set since.
 */
export type ShownAfterEnd = {
  /** What a live feed tells to be open. Nobody says how old that is: it only has the list read. */
  heedTold(account: Account, orders: readonly FrontendOrder[]): void;
  /** The whole list, as it was answered. @param askedAtMs when it was asked for, elapsed milliseconds */
  heedRead(account: Account, orders: readonly FrontendOrder[], askedAtMs: number): void;
  /** True while a list of the account has to tell. */
  isDoubting(account: Account): boolean;
  /** True where the list has to be read though no order is live and no feed tells one: an end may have been told a moment ago. */
  isDue(account: Account): boolean;
  stop(): void;
};

/** An order with an end that a list does not bear out. `sinceMs`: when that was seen first, elapsed milliseconds. */
type DoubtedEnd = { accountId: string; sinceMs: number };

export function openShownAfterEnd(world: With<"clock" | "log" | "markets" | "store">): ShownAfterEnd {
  /** By client order id; losing it, with the process, costs time. */
  const doubts = new Map<string, DoubtedEnd>();
  /** When an account had news last, an end among them, elapsed milliseconds. What was told before this process may be as new. */
  const news = new Map<string, number>();
  const bornMs = world.clock.elapsedMs();
  const hearNoMore = onEvents(world.store, (accountIds) => {
    for (const id of accountIds) news.set(id, world.clock.elapsedMs());
  });

  function isDoubting({ id }: Account): boolean {
    return [...doubts.values()].some(({ accountId }) => accountId === id);
  }

  function doubted(account: Account, orders: readonly FrontendOrder[]): Map<string, { leg: Leg; oid: string }> {
    const found = new Map<string, { leg: Leg; oid: string }>();
    for (const shown of orders) {
      const leg = legOf(world, account, { order: shown });
      if (leg === null || !isContradicted(world, leg, shown)) continue;
      found.set(leg.cloid, { leg, oid: shown.oid });
      if (!doubts.has(leg.cloid)) doubts.set(leg.cloid, { accountId: account.id, sinceMs: world.clock.elapsedMs() });
    }
    return found;
  }

  return {
    heedTold(account, orders) {
      doubted(account, orders);
    },
    heedRead(account, orders, askedAtMs) {
      const found = doubted(account, orders);
      for (const [cloid, { accountId, sinceMs }] of doubts) {
        if (accountId !== account.id) continue;
        const one = found.get(cloid);
        if (one !== undefined && askedAtMs - sinceMs < SHOWN_WITHIN_MS) continue;
        doubts.delete(cloid);
        if (one === undefined) continue;
        const shown = { words: LISTED_SINCE, isOtherMarket: false, mayBeOurs: true, oid: one.oid };
        raiseAlarm(world, one.leg, { ...shown, isListedSince: true });
      }
    },
    isDoubting,
    isDue(account) {
      const newsMs = news.get(account.id) ?? bornMs;
      return isDoubting(account) || world.clock.elapsedMs() - newsMs < SHOWN_WITHIN_MS;
    },
    stop: hearNoMore,
  };
}

/**
 * Whether its end was told, and this is the order by its terms. What never was there, as far as we had concluded, is opened again by whoever
 * reads the list (`reopenShown`); an earlier leg is what a modify has canceled, and that modify's own look tells of it.
 */
function isContradicted({ store }: With<"store">, leg: Leg, shown: FrontendOrder): boolean {
  if (!isClosed(leg) || leg.state === "absent" || wasListedSince(leg)) return false;
  if (listLegs(store, leg.orderId).at(-1)?.cloid !== leg.cloid) return false;
  const order = findOrder(store, leg.orderId);
  return order !== null && differenceFrom({ ...askedTerms(order), leg }, shown) === null;
}
