import type { VenueMarket, VenueOrder } from "./state.ts";
import type { Turn } from "./turn.ts";

type PlainTerms = Pick<VenueOrder, "user" | "isBuy" | "limitPrice" | "size" | "reduceOnly" | "orderType" | "tif">;

/**
 * An order under the next number. It is plain, and has nothing that no one asked for: no trigger, no kin, no builder, and nothing
 * to wait for.
 */
export function plainOrder(turn: Turn, { asset, coin }: VenueMarket, terms: PlainTerms): VenueOrder {
  const oid = turn.venue.nextOid;
  turn.venue.nextOid += 1;
  return {
    ...terms,
    oid,
    asset,
    coin,
    originalSize: terms.size,
    timestampMs: turn.nowMs,
    trigger: null,
    isTriggered: false,
    isPositionTpsl: false,
    cloid: null,
    phase: "resting",
    parentOid: null,
    childOids: [],
    siblingOids: [],
    builder: null,
    tracksPosition: false,
    awaitsPosition: false,
  };
}
