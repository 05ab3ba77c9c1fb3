/** What resting spot orders lock: quote notional for bids, base size for asks. */
import type { Venue, VenueAccount } from "./state.ts";
import { ONE } from "./units.ts";

export function spotHold(venue: Venue, account: VenueAccount, token: number): bigint {
  let held = 0n;
  for (const [asset, { buys, sells }] of account.resting) {
    const market = venue.markets.get(asset);
    if (market === undefined || market.kind !== "spot") continue;
    if (market.quoteToken === token) held += buys.value / ONE;
    if (market.baseToken === token) held += sells.size;
  }
  return held;
}
