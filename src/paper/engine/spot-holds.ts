/** What resting spot orders lock: quote notional for bids, base size for asks. */
import type { Account, Venue } from "./state.ts";
import { times } from "./units.ts";

export function spotHold(venue: Venue, account: Account, token: number): bigint {
  let held = 0n;
  for (const oid of account.openOids) {
    const order = venue.orders.get(oid);
    if (order === undefined || order.phase !== "resting") continue;
    const market = venue.markets.get(order.asset);
    if (market === undefined || market.kind !== "spot") continue;
    if (order.isBuy && market.quoteToken === token) held += times(order.size, order.limitPrice);
    if (!order.isBuy && market.baseToken === token) held += order.size;
  }
  return held;
}
