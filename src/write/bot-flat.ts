import type { Account } from "../core/account.ts";
import { ZERO } from "../core/decimal.ts";
import { protectsNothing } from "../core/rails/idle-reduction.ts";
import { otherSide, type Trade } from "../core/trade.ts";
import type { With } from "../deps.ts";
import { listBotDoubts } from "../store/bot-doubt-rows.ts";
import { botOf, listBotNets } from "../store/bots.ts";
import { isFromBeforeTakeUp } from "../store/restores.ts";
import { listOut } from "./rails-facts.ts";

/**
 * True when the bot of a trade holds nothing on the trade's side of its market by its own books, which are sure, and nothing of the
 * bot is out that could become such: what the trade has entered was sold by other orders of the bot, whatever the account holds.
 * Never for a plain key, of which there are no books, nor for a trade of before a restore: what it entered may be in none.
 */
export function isBotFlat(
  deps: With<"exchange" | "store">,
  { id: accountId }: Pick<Account, "id">,
  { keyHash, market, side, createdAtMs }: Pick<Trade, "createdAtMs" | "keyHash" | "market" | "side">,
): boolean {
  const bot = botOf(deps.store, keyHash);
  if (bot === null) return false;
  if (isFromBeforeTakeUp(deps.store, accountId, createdAtMs)) return false;
  if (listBotDoubts(deps.store, accountId, bot).has(market)) return false;
  const net = listBotNets(deps.store, accountId, bot).get(market) ?? ZERO;
  const known = { legs: listOut(deps, accountId), ownOf: () => ({ low: net, high: net }) };
  return protectsNothing(known, { market, side: otherSide(side), bot });
}
