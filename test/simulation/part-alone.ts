/** Orders whose answer was lost, of which a part was filled, and which were over and forgotten before a look had shown them. */
import { fieldOf, type Turn } from "./clients.ts";
import type { HeardOrders } from "./heard-orders.ts";
import { expectedOf, type TrueOrder, units } from "./truth.ts";
import type { Venue } from "./venue.ts";

type Run = {
  venue: Venue;
  /** Last look at each order that a client knows. */
  looks: ReadonlyMap<string, { turn: Turn }>;
  /** Null where the exchange forgets nothing. */
  heard: HeardOrders | null;
};

/**
 * A part under its client order id may be another's, and nothing that the exchange keeps says whose it is: it stays unknown, and is
 * told without a native id, and without a size where no more than a fill has named it. So is what an answer says of it, where one is given.
 */
export function isPartAlone({ venue, looks, heard }: Run, order: TrueOrder, answer?: string): boolean {
  const [leg] = order.legs;
  if (heard === null || leg === undefined || order.legs.length > 1 || venue.isLive(leg.oid)) return false;
  if (heard.recordedOids.has(String(leg.oid))) return false;
  const { status, filled_size: filled } = expectedOf(venue, order.wish.party.account.tradingAddress, order);
  const part = units(filled ?? "0");
  if (status !== "canceled" || part === 0n || part >= leg.size) return false;
  const id = leg.cloid?.slice(2);
  const told = [...looks].find(([each]) => each.replaceAll("-", "") === id)?.[1].turn.outcome;
  return told?.kind === "answer" && [told.body, answer ?? told.body].every((body) => isPartTold(body, part));
}

/** All that is known of it is told: that part or that its size is not known, and neither an end nor a native id. */
export function isPartTold(body: string, part: bigint): boolean {
  const isOpen = fieldOf(body, "status") === "unknown" && fieldOf(body, "exchange_order_id") === null;
  const filled = fieldOf(body, "filled_size");
  return isOpen && (filled === null || units(filled) === part);
}
