import type { Account } from "../core/account.ts";
import { type Decimal, isZero, larger, subtract, sum, ZERO } from "../core/decimal.ts";
import { mayGrow } from "../core/rails/idle-reduction.ts";
import { isNewerTrade, onSide, otherSide, type Trade } from "../core/trade.ts";
import type { With } from "../deps.ts";
import { listBotDoubts } from "../store/bot-doubt-rows.ts";
import { botOf, listBotNets } from "../store/bots.ts";
import type { Store } from "../store/open.ts";
import { isFromBeforeTakeUp } from "../store/restores.ts";
import { listOpenTradesOf } from "../store/trades.ts";
import { listOut } from "./rails-facts.ts";

/**
 * What of a trade its bot can still hold at most: what the bot's own books, which are sure, hold on the trade's side, less what its newer
 * trades there hold. So what it sells by other orders is of its oldest trade first. Nothing, only where nothing of the bot is out that
 * could become such. Null where that is not known, always for a plain key, of which there are no books, and for a trade of before a
 * restore: what it entered may be in none.
 */
export function leftToTrade(
  deps: With<"exchange" | "store">,
  { id: accountId }: Pick<Account, "id">,
  trade: Trade,
): Decimal | null {
  const { keyHash, market, side, createdAtMs } = trade;
  const bot = botOf(deps.store, keyHash);
  if (bot === null || listBotDoubts(deps.store, accountId, bot).has(market)) return null;
  if (isFromBeforeTakeUp(deps.store, accountId, createdAtMs)) return null;
  const net = listBotNets(deps.store, accountId, bot).get(market) ?? ZERO;
  const left = larger(subtract(onSide(trade, net), heldByNewer(deps.store, trade, bot)), ZERO);
  const isOut = isZero(left) && mayGrow(listOut(deps, accountId), { market, side: otherSide(side), bot });
  return isOut ? null : left;
}

function heldByNewer(store: Store, trade: Trade, bot: string): Decimal {
  const { accountId, market, side } = trade;
  const newer = listOpenTradesOf(store, accountId).filter(
    (each) =>
      each.market === market && each.side === side && botOf(store, each.keyHash) === bot && isNewerTrade(each, trade),
  );
  return sum(newer.map(({ heldSize }) => heldSize));
}
