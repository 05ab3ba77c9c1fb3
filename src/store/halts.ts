/** What keeps everything of a bot from increasing, whoever asks for it. */
import type { Rails } from "../core/rails/rails.ts";
import { dayOf, type Halt, haltBy } from "../core/rails/trip.ts";
import { haltByLost, railsOfKey } from "./narrowings.ts";
import type { Store } from "./open.ts";
import type { StoredOrder } from "./orders.ts";
import { findTrip } from "./trips.ts";

/** Why a bot may not increase today: a trip, or a narrowing that was lost; null where nothing is in the way. */
export function haltOf(store: Store, accountId: string, rails: Rails, nowMs: number): Halt | null {
  const of = { accountId, bot: rails.bot };
  const trip = findTrip(store, of, dayOf(nowMs));
  return (trip === null ? null : haltBy(trip, rails)) ?? haltByLost(store, of);
}

/** The same of the bot in whose books an order stands, with its rails; null also where none of a bot's keys has placed it. */
export function haltOfOrder(
  store: Store,
  { accountId, keyHash }: Pick<StoredOrder, "accountId" | "keyHash">,
  nowMs: number,
): { rails: Rails; halt: Halt } | null {
  const rails = keyHash === null ? null : railsOfKey(store, keyHash);
  const halt = rails === null ? null : haltOf(store, accountId, rails, nowMs);
  return rails === null || halt === null ? null : { rails, halt };
}
