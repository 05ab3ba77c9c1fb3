import { printRails } from "../core/rails/grammar.ts";
import { railsResource } from "../core/rails/rails-resource.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { findApiKey } from "../store/api-keys.ts";
import { findBotDay, listBotNets } from "../store/bots.ts";
import { listOpenLegs } from "../store/open-legs.ts";
import { railsOf } from "../write/gate.ts";

/** What a limited key is held to now, and how much of it its bot has used; null for a plain key. */
export function limitsResource({ store, clock }: With<"clock" | "store">, keyHash: string) {
  const key = findApiKey(store, keyHash);
  if (key === null || key.limited === null) return null;
  const { accountId, limited } = key;
  const rails = railsOf(store, key, limited);
  const { bot } = rails;
  const { turnover, actions } = findBotDay(store, { accountId, bot }, clock.nowMs());
  const open = listOpenLegs(store, accountId).filter((leg) => leg.bot === bot);
  const nets = [...listBotNets(store, accountId, bot)].map(([market, net]) => ({ market, net }));
  return {
    bot,
    rails: railsResource(printRails(rails)),
    expires_at: isoTime(limited.expiresAtMs),
    use: {
      turnover_today: turnover,
      actions_today: actions,
      open_orders: new Set(open.map(({ orderId }) => orderId)).size,
      nets,
    },
  };
}
