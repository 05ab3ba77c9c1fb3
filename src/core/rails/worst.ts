/** The largest position that a bot may come to in a market: what it is judged by, and what it is shown. */
import { type Decimal, isZero, larger } from "../decimal.ts";
import { isSpot } from "../market.ts";
import { type NetRange, netRange, worstPosition, worstReducing } from "./exposure.ts";
import { NOTHING_OUT, type OwnBooks } from "./own-books.ts";
import type { Rails } from "./rails.ts";
import type { Facts } from "./wish.ts";

export function worstIn(
  { touches }: Pick<Rails, "touches">,
  facts: Pick<Facts, "accountOf" | "ownOf" | "unprovenOf">,
  own: OwnBooks,
  market: string,
): Decimal {
  const account = facts.accountOf(market);
  const net = netRange(facts.ownOf(market), account, facts.unprovenOf(market));
  return worstOf(net, own, { market, account, touches });
}

/**
 * What only reduces may go on beyond the bot's own, closing another's: for one that touches its own alone by no more than the account is told
 * to hold, for one that may close anything by whatever it says, as others may have been filled since.
 */
export function worstOf(
  net: NetRange,
  own: OwnBooks,
  { market, account, touches }: Pick<Rails, "touches"> & { market: string; account: Decimal | null },
): Decimal {
  const out = own.markets.get(market) ?? NOTHING_OUT;
  const worst = worstPosition(net, out);
  const { buys, sells } = out.reducing;
  if (isSpot(market) || (isZero(buys) && isZero(sells))) return worst;
  return larger(worst, worstReducing(net, out, touches === "all" ? null : account));
}
