import { isoTime } from "../resource.ts";
import type { RailsText } from "./rails.ts";
import { startOf, type Trip } from "./trip.ts";

/** The rails in the words of the interface, each as it was signed. */
export function railsResource(text: RailsText) {
  return {
    bot: text.bot,
    may: text.may,
    markets: text.markets,
    max_order: text.maxOrder,
    max_position: text.maxPosition,
    max_exposure: text.maxExposure,
    max_turnover_per_day: text.maxTurnoverPerDay,
    max_loss_per_day: text.maxLossPerDay,
    max_actions_per_day: text.maxActionsPerDay,
    max_distance: text.maxDistance,
    max_stop_distance: text.maxStopDistance,
    max_leverage: text.maxLeverage,
    max_open_orders: text.maxOpenOrders,
    touches: text.touches,
    sources: text.sources,
  };
}

/** What narrowed a bot, and what it is held to from then on. */
export function narrowingResource({ id, accountId, bot, actor, createdAtMs }: NarrowingFacts, rails: RailsText) {
  return {
    object: "rail_narrowing" as const,
    id,
    account: accountId,
    bot,
    narrowed_by: actor,
    rails: railsResource(rails),
    created_at: isoTime(createdAtMs),
  };
}

type NarrowingFacts = { id: string; accountId: string; bot: string; actor: string; createdAtMs: number };

/** A trip in the words of the interface. */
export function tripResource({ id, accountId, bot, cause, day, loss, limit, createdAtMs, clearedAtMs }: Trip) {
  return {
    object: "rail_trip" as const,
    id,
    account: accountId,
    bot,
    cause,
    loss: cause === "loss" ? loss : null,
    limit,
    until: isoTime(startOf(day + 1)),
    created_at: isoTime(createdAtMs),
    cleared_at: clearedAtMs === null ? null : isoTime(clearedAtMs),
  };
}
