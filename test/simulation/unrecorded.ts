/** Orders that a modify was to place in any case, and of which no answer that a gateway heard had a record. */
import { fieldOf, type Turn } from "./clients.ts";
import type { HeardOrders } from "./heard-orders.ts";
import type { TrueOrder } from "./truth.ts";

type Run = {
  /** Last look at each order that a client knows. */
  looks: ReadonlyMap<string, { turn: Turn }>;
  /** Null where the exchange forgets nothing. */
  heard: HeardOrders | null;
};

/**
 * Whether such an order is in the place of its original, or stands beside it because something else had canceled that on the way, is
 * told by the time in its record alone: where that was kept for no look it stays unknown, and the words say what for.
 */
export function isUnrecorded({ heard, looks }: Run, { legs }: TrueOrder): boolean {
  const [first, last] = [legs[0], legs.at(-1)];
  const cloid = legs.length > 1 ? (last?.cloid ?? null) : null;
  if (heard === null || cloid === null || heard.recordedCloids.has(cloid)) return false;
  const id = first?.cloid?.slice(2);
  const told = [...looks].find(([each]) => each.replaceAll("-", "") === id)?.[1].turn.outcome;
  const body = told?.kind === "answer" ? told.body : "{}";
  const isSaid = fieldOf(body, "error")?.includes("whether in place of this order or beside it") === true;
  return isSaid && fieldOf(body, "status") === "unknown";
}
