import type { With } from "../../deps.ts";
import type { StoredOrder } from "../../store/orders.ts";

/**
 * A limit trigger that has fired rests in the book under the same id, and a list of open orders shows it as before. What it is
 * told to wait by, the answer to its placing or a look, is of one moment: where no feed would have told of its firing since, its
 * record is asked for.
 */
export type FiredUnheard = { isDue(order: StoredOrder, address: string): boolean };

/** Without a feed its record is asked for again after this time, milliseconds. */
const AGAIN_AFTER_MS = 60_000;
/** Orders of which it is known when they were asked for last. */
const MAX_KNOWN = 10_000;

type OpenListRequest = { connection: number | null; atMs: number };

export function openFiredUnheard({ clock, feeds }: With<"clock" | "feeds">): FiredUnheard {
  const asked = new Map<string, OpenListRequest>();

  function isKnown(id: string, connection: number | null): boolean {
    const last = asked.get(id);
    if (last === undefined || last.connection !== connection) return false;
    return connection !== null || clock.elapsedMs() - last.atMs < AGAIN_AFTER_MS;
  }

  return {
    isDue({ id, status, trigger }, address) {
      if (status !== "waiting_for_trigger" || trigger === null || trigger.market) return false;
      const connection = feeds.connectionOf(address);
      if (isKnown(id, connection)) return false;
      const oldest = asked.keys().next().value;
      if (asked.size >= MAX_KNOWN && oldest !== undefined) asked.delete(oldest);
      asked.delete(id);
      asked.set(id, { connection, atMs: clock.elapsedMs() });
      return true;
    },
  };
}
