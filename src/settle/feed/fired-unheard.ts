import type { With } from "../../deps.ts";
import type { StoredOrder } from "../../store/orders.ts";

/**
 * Which trigger orders have to be asked for by their id, because they may have fired unheard. A limit order that has fired rests in the
 * book under the same id, and a list of open orders shows it as it did before; a feed that was connected all the time would have told.
 */
export type FiredUnheard = {
  /** True once for each connection of the feed, and once a minute where there is none: whoever is told so asks for the order. */
  isDue(order: StoredOrder, address: string): boolean;
};

/** Without a feed an order is asked for again after this time, milliseconds. */
const AGAIN_AFTER_MS = 60_000;
/** Orders that are remembered as asked for; past it the oldest is forgotten. */
const MAX_ASKED = 10_000;

type LastAsked = { connection: number | null; atMs: number };

export function openFiredUnheard({ clock, feeds }: With<"clock" | "feeds">): FiredUnheard {
  const asked = new Map<string, LastAsked>();

  function wasAsked(id: string, connection: number | null): boolean {
    const last = asked.get(id);
    if (last === undefined || last.connection !== connection) return false;
    return connection !== null || clock.elapsedMs() - last.atMs < AGAIN_AFTER_MS;
  }

  return {
    isDue({ id, status, trigger }, address) {
      if (status !== "waiting_for_trigger" || trigger === null || trigger.market) return false;
      const connection = feeds.connectionOf(address);
      if (wasAsked(id, connection)) return false;
      const oldest = asked.keys().next().value;
      if (asked.size >= MAX_ASKED && oldest !== undefined) asked.delete(oldest);
      asked.delete(id);
      asked.set(id, { connection, atMs: clock.elapsedMs() });
      return true;
    },
  };
}
