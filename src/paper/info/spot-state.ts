import { isUnified } from "../engine/accounts.ts";
import { poolOf } from "../engine/margin.ts";
import { openOrderMargin } from "../engine/order-margin.ts";
import { spotHold } from "../engine/spot-holds.ts";
import type { Venue, VenueAccount } from "../engine/state.ts";
import { address, required } from "../exchange/decode.ts";
import { numberText } from "./number-format.ts";
import { accountOf, infoRequest } from "./request.ts";

export const spotClearinghouseState = infoRequest({ user: required(address) }, (context, { user }) =>
  spotStateOf(context.venue, accountOf(context, user)),
);

/** Tokens never held are absent; those sold out stay with zeros. */
export function spotStateOf(venue: Venue, account: VenueAccount | null): unknown {
  if (account === null) return { balances: [] };
  const balances = [...account.spot]
    .sort(([a], [b]) => a - b)
    .map(([token, balance]) => ({
      coin: venue.tokens.get(token)?.name ?? `@${token}`,
      token,
      total: numberText(balance.total),
      hold: numberText(holdOf(venue, account, token)),
      entryNtl: numberText(balance.entryNotional),
    }));
  return account.mode === "portfolioMargin" ? { portfolioMarginEnabled: true, balances } : { balances };
}

/** In the unified modes perp margin is held out of the same balance. */
function holdOf(venue: Venue, account: VenueAccount, token: number): bigint {
  const held = spotHold(venue, account, token);
  const dex = venue.dexes.find((one) => one.collateralToken === token);
  if (!isUnified(account) || dex === undefined) return held;
  const pool = poolOf(venue, account, dex.index);
  return held + pool.crossMarginUsed + openOrderMargin(venue, account, dex.index);
}
