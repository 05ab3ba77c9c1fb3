/** Orders whose answer was lost, of which a part was filled, and which were over and forgotten before a look had shown them. */
import { fieldOf, type Turn } from "./clients.ts";
import { expectedOf, type TrueOrder, units } from "./truth.ts";
import type { Venue } from "./venue.ts";

type Run = {
  venue: Venue;
  /** Last look at each order that a client knows. */
  looks: ReadonlyMap<string, { turn: Turn }>;
  /** Null where a gateway follows by a feed as well, or the exchange forgets nothing. */
  shownCloids: ReadonlySet<string> | null;
};

/**
 * A part under its client order id may be another's, and nothing that the exchange keeps says whose it is: it stays unknown, and is
 * told without a native id.
 */
export function isPartAlone({ venue, looks, shownCloids }: Run, order: TrueOrder): boolean {
  const [leg] = order.legs;
  if (shownCloids === null || leg === undefined || order.legs.length > 1 || venue.isLive(leg.oid)) return false;
  const { status, filled_size: filled } = expectedOf(venue, order.wish.party.account.tradingAddress, order);
  const part = units(filled ?? "0");
  if (status !== "canceled" || part === 0n || part >= leg.size) return false;
  const id = leg.cloid?.slice(2);
  const told = [...looks].find(([each]) => each.replaceAll("-", "") === id)?.[1].turn.outcome;
  const body = told?.kind === "answer" ? told.body : "{}";
  return fieldOf(body, "status") === "unknown" && fieldOf(body, "exchange_order_id") === null;
}
