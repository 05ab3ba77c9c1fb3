/** Orders that a modify was to place in any case, and of which no answer that a gateway heard had a record. */
import { fieldOf, type Turn } from "./clients.ts";
import type { TrueOrder } from "./truth.ts";

type Run = {
  /** Last look at each order that a client knows. */
  looks: ReadonlyMap<string, { turn: Turn }>;
  /** Client order ids of which a record or a list was heard; null where a gateway follows by a feed as well, or the exchange forgets nothing. */
  recordedCloids: ReadonlySet<string> | null;
};

/**
 * Whether such an order is in the place of its original, or stands beside it because something else had canceled that on the way, is
 * told by the time in its record alone: where that was kept for no look it stays unknown, and the words say what for.
 */
export function isUnrecorded({ recordedCloids, looks }: Run, { legs }: TrueOrder): boolean {
  const [first, last] = [legs[0], legs.at(-1)];
  const cloid = legs.length > 1 ? (last?.cloid ?? null) : null;
  if (recordedCloids === null || cloid === null || recordedCloids.has(cloid)) return false;
  const id = first?.cloid?.slice(2);
  const told = [...looks].find(([each]) => each.replaceAll("-", "") === id)?.[1].turn.outcome;
  const body = told?.kind === "answer" ? told.body : "{}";
  const isSaid = fieldOf(body, "error")?.includes("whether in place of this order or beside it") === true;
  return isSaid && fieldOf(body, "status") === "unknown";
}
