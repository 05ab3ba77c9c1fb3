import type { Account } from "../core/account.ts";
import { type Decimal, isZero, larger, subtract, sum, ZERO } from "../core/decimal.ts";
import { mayGrow } from "../core/rails/idle-reduction.ts";
import { isNewerTrade, onSide, otherSide, type Trade } from "../core/trade.ts";
import type { With } from "../deps.ts";
import { botOf, listBotNets } from "../store/bots.ts";
import type { Store } from "../store/open.ts";
import { isFromBeforeTakeUp } from "../store/restores.ts";
import { listOpenTradesOf } from "../store/trades.ts";
import { listOut } from "./rails-facts.ts";

/**
 * How much of a trade its bot can still hold at most: what the bot's books hold on the trade's side, less what its newer trades there hold.
 * So whatever the bot sells by other orders is taken from its oldest trade first. Null where the books cannot say: they would say
 * zero while an order of the bot is open that may add to them; the trade is from before a restore, so that its entry may be missing; or the key has no bot, and so no books.
 */
export function leftToTrade(
  deps: With<"exchange" | "store">,
  { id: accountId }: Pick<Account, "id">,
  trade: Trade,
): Decimal | null {
  const { keyHash, market, side, createdAtMs } = trade;
  const bot = botOf(deps.store, keyHash);
  if (bot === null) return null;
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
