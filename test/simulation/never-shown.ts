/** Orders that were over and forgotten before anything that a gateway heard had shown them. */
import { fieldOf, type Turn } from "./clients.ts";
import type { HeardOrders } from "./heard-orders.ts";
import { type Expected, type TrueOrder, units } from "./truth.ts";
import type { Venue } from "./venue.ts";

type Run = {
  venue: Venue;
  /** Last look at each order that a client knows. */
  looks: ReadonlyMap<string, { turn: Turn }>;
  /** Null where the exchange forgets nothing. */
  heard: HeardOrders | null;
};

/**
 * The answer to an order may be lost, or to a trigger name no id, and it may be over and forgotten, by its record and by a history
 * that is short, before any answer showed it: what was never shown cannot be named.
 */
export function isNeverShown({ heard, venue }: Run, { legs }: TrueOrder): boolean {
  const [leg] = legs;
  if (heard === null || leg === undefined || legs.length > 1 || venue.isLive(leg.oid)) return false;
  return leg.cloid !== null && !heard.shownCloids.has(leg.cloid);
}

/** Lists of open orders that are newer lack it all the same: that it is over is told, and with what was filled. */
export function auditNeverShown(
  { looks }: Run,
  { legs }: TrueOrder,
  about: { name: string; expected: Expected },
): string[] {
  const { name, expected } = about;
  const id = legs[0]?.cloid?.slice(2);
  const told = [...looks].find(([each]) => each.replaceAll("-", "") === id)?.[1].turn.outcome;
  const body = told?.kind === "answer" ? told.body : "{}";
  const [status, filled] = [fieldOf(body, "status"), fieldOf(body, "filled_size")];
  const isTold = status === "canceled" && filled !== null && units(filled) === units(expected.filled_size ?? "0");
  return isTold
    ? []
    : [`${name} is ${expected.status} at the exchange, was never shown, and is told as ${status}, ${filled}`];
}
