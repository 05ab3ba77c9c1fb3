/** What the owner does beside the gateway: without it the history of an account stands still, and proves nothing. */
import type { Party } from "./template.ts";
import { STRANGERS } from "./trading.ts";
import type { Venue } from "./venue.ts";

// Decimals of these texts are canonical; the brand is the engine's.
type Act = Parameters<Venue["act"]>[1];

/** The cancel of the order before, and another far from the market: newer than anything before, in history and open orders. */
export function tradeByHand(venue: Venue, parties: readonly Party[], hasSpot = false): void {
  if (hasSpot) for (const party of parties) tradeSpotByHand(venue, party);
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

/** In turn bought and sold, so that nobody runs out of it; milliseconds. */
const IN_TURN_MS = 20_000;

/** Spot has no position that would show that nothing was filled: only fills that are newer do, and none of the bots trades here. */
function tradeSpotByHand(venue: Venue, { account }: Party): void {
  const [maker] = STRANGERS;
  const isPurchase = Math.floor(venue.nowMs() / IN_TURN_MS) % 2 === 0;
  for (const isOwner of [false, true]) {
    const isBuy = isOwner === isPurchase;
    const order = {
      a: 10_000,
      b: isBuy,
      p: "0.18",
      s: "100",
      r: false,
      t: { limit: { tif: "Gtc" as const } },
      c: null,
    };
    const placed = { type: "order" as const, orders: [order], grouping: "na" as const, builder: null };
    venue.act(isOwner ? account.ownerAddress : maker, placed as unknown as Act);
  }
}
