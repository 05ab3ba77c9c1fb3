/** What the owner does beside the gateway: without it the history of an account stands still, and proves nothing. */
import type { Party } from "./template.ts";
import type { Venue } from "./venue.ts";

// Decimals of these texts are canonical; the brand is the engine's.
type Act = Parameters<Venue["act"]>[1];

/** The cancel of the order before, and another far from the market: newer than anything before, in history and open orders. */
export function tradeByHand(venue: Venue, parties: readonly Party[]): void {
  for (const { account } of parties) {
    const order = { a: 1, b: true, p: "1000", s: "0.05", r: false, t: { limit: { tif: "Gtc" as const } }, c: null };
    const placed = { type: "order" as const, orders: [order], grouping: "na" as const, builder: null };
    for (const oid of [...venue.account(account.tradingAddress).openOids]) {
      if (venue.record(account.tradingAddress, oid)?.order.cloid !== null) continue;
      venue.act(account.ownerAddress, { type: "cancel", cancels: [{ a: 1, o: oid }] } as unknown as Act);
    }
    venue.act(account.ownerAddress, placed as unknown as Act);
  }
}
