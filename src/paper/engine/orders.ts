/** The life of an order: admission, then matching, then rest. */
import { refusal } from "./admission.ts";
import { liveOrder } from "./cancels.ts";
import { enterOrder } from "./ending.ts";
import { recordStatus } from "./history.ts";
import { matchOrder, PLAIN_TERMS } from "./matching.ts";
import type { Placement, PlacementOutcome } from "./placement.ts";
import { newOrder, reject } from "./placement.ts";
import { trimReduceOnly } from "./reduce-only.ts";
import type { VenueAccount, VenueOrder } from "./state.ts";
import { placeTrigger } from "./trigger-placement.ts";
import type { Turn } from "./turn.ts";
import { marketOf } from "./turn.ts";

/** Executes one order whose face was checked before. */
export function placeOrder(turn: Turn, account: VenueAccount, placement: Placement): PlacementOutcome {
  const market = marketOf(turn.venue, placement.request.a);
  if (isDuplicate(turn, account, placement)) return { kind: "fault", text: "Duplicate cloid.", isBare: false };
  const order = newOrder(turn, account, market, placement);
  if ("trigger" in placement.request.t) return placeTrigger(turn, account, order);
  const refused = refusal(turn, account, market, order);
  if (refused !== null) return reject(turn, order, refused);
  return order.tif === "Ioc" || order.tif === "FrontendMarket"
    ? executeAtOnce(turn, order)
    : executeAndRest(turn, order);
}

function isDuplicate(turn: Turn, account: VenueAccount, { request }: Placement): boolean {
  if (request.c === null || turn.venue.options.duplicateLiveCloid === "accept") return false;
  return liveOrder(turn.venue, account, request.c) !== null;
}

/** Ioc: what does not fill is dropped without a word; a part filled counts as filled. */
function executeAtOnce(turn: Turn, order: VenueOrder): PlacementOutcome {
  const matched = matchOrder(turn, order, PLAIN_TERMS);
  if (matched.size > 0n) {
    recordStatus(turn, order, "filled");
    return { kind: "filled", order, size: matched.size, notional: matched.notional };
  }
  if (matched.stopped) {
    return reject(turn, order, { text: "Insufficient margin to place order.", status: "perpMarginRejected" });
  }
  const text = "Order could not immediately match against any resting orders.";
  return reject(turn, order, { text, status: "iocCancelRejected" });
}

/** Gtc and Alo: recorded as open with the whole size first, as the exchange does even when it fills at once. */
function executeAndRest(turn: Turn, order: VenueOrder): PlacementOutcome {
  recordStatus(turn, order, "open");
  const matched = matchOrder(turn, order, PLAIN_TERMS);
  if (order.size === 0n) {
    recordStatus(turn, order, "filled");
    return { kind: "filled", order, size: matched.size, notional: matched.notional };
  }
  if (matched.stopped) {
    recordStatus(turn, order, "marginCanceled");
    if (matched.size > 0n) return { kind: "filled", order, size: matched.size, notional: matched.notional };
    return { kind: "fault", text: "Insufficient margin to place order.", isBare: false };
  }
  enterOrder(turn, order);
  if (order.reduceOnly) trimReduceOnly(turn, order.user, order.asset);
  const asFilled = matched.size > 0n && turn.venue.options.partialGtcReply === "filled";
  return asFilled
    ? { kind: "filled", order, size: matched.size, notional: matched.notional }
    : { kind: "resting", order };
}
