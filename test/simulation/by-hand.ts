/** What the owner does beside the gateway: without it the history of an account stands still, and proves nothing. */
import type { Party } from "./template.ts";
import type { Venue } from "./venue.ts";

// Decimals of these texts are canonical; the brand is the engine's.
type Act = Parameters<Venue["act"]>[1];

/** An order far from the market, and its cancel: records of the account that are newer than anything before. */
export function tradeByHand(venue: Venue, parties: readonly Party[]): void {
  for (const { account } of parties) {
    const order = { a: 1, b: true, p: "1000", s: "0.05", r: false, t: { limit: { tif: "Gtc" as const } }, c: null };
    const placed = { type: "order" as const, orders: [order], grouping: "na" as const, builder: null };
    const reply = venue.act(account.ownerAddress, placed as unknown as Act);
    const [status] = reply.status === "ok" && reply.response.type === "order" ? reply.response.data.statuses : [];
    if (typeof status === "object" && "resting" in status)
      venue.act(account.ownerAddress, { type: "cancel", cancels: [{ a: 1, o: status.resting.oid }] } as unknown as Act);
  }
}
