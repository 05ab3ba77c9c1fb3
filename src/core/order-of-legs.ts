/** The order that a client is shown, as its legs tell it. */
import { add, compare, type Decimal, decimal } from "./decimal.ts";
import { averagePrice } from "./market.ts";
import { hasFilled, isClosed, isNamedByLead, isWhollyFilled, type Leg, type Order, type OrderStatus } from "./order.ts";

/**
 * What an unsettled modify does to the leg before the newest: nothing (`no`: there is none); it replaces that leg, and
 * places only where it has canceled it; or it places in any case, so that what it has placed may stand beside it.
 */
export type Replacing = "no" | "if_canceled" | "in_any_case";

/**
 * The order as its legs (oldest first) tell it. Terms and status are those of the newest leg that the exchange has
 * confirmed; one that is still out decides only where none is, or where the outcome of replacing the last was lost.
 * Fills are sums over all legs. A replacement's end is the order's once its attempt is settled; its fills count as soon
 * as it decides, all fills of one placed in any case once its attempt is settled.
 */
export function orderFromLegs<O extends Order>(order: O, legs: readonly Leg[], replacing: Replacing): O {
  const newest = legs.at(-1);
  // Until it is known what became of the original, a replacement may turn out to be an order of its own.
  const own = replacing === "no" ? legs : legs.filter((leg) => leg !== newest);
  const isApart = replacing === "in_any_case" || own.some(({ filledSize, size }) => compare(filledSize, size) >= 0);
  const confirmed = (isApart ? own : legs).filter(isConfirmed);
  // Of refused legs alone the oldest: a replacement that was refused as well never became the order.
  const deciding = confirmed.findLast((leg) => leg.state !== "rejected") ?? confirmed[0] ?? legs.at(-1);
  if (deciding === undefined || newest === undefined) return order;
  const counted = deciding === newest ? legs : own;
  const filledSize = sumOf(counted, (leg) => leg.filledSize);
  const notional = sumOf(counted, (leg) => leg.filledNotional);
  const doubt =
    replacing === "no" ? doubtOfReported(deciding, newest) : doubtWhileReplacing(deciding, newest, replacing);
  const isBeingReplaced = replacing !== "no" && newest !== deciding;
  const status = doubt === null ? statusOf(order, deciding, isBeingReplaced) : "unknown";
  const words = doubt === null ? deciding.reason : doubt.words;
  const isKnown = status !== "processing" && status !== "unknown" && status !== "rejected";
  // What has been filled of a replacement is the order's or another's: until that is known nobody knows how much of the order was.
  const isSumOpen = doubt !== null && counted !== legs && hasFilled(newest);
  const isTold = !isSumOpen && (isKnown || filledSize !== "0");
  return {
    ...order,
    ...termsOf(order, legs, deciding),
    status,
    // A native id that only a fill has named may be somebody else's.
    exchangeOrderId: isNamedByLead(deciding) ? null : deciding.oid,
    filledSize: isTold ? filledSize : null,
    averagePrice: isTold ? averagePrice(notional, filledSize) : null,
    // Of an order that is open or filled only an alarm has a reason; of one of which nothing is known there is always one.
    error: status === "unknown" ? (words ?? LOOKED_UP) : words,
  };
}

function isConfirmed({ state }: Leg): boolean {
  return state !== "sent" && state !== "lost" && state !== "absent";
}

/** A replacement that was told as refused, and that the exchange shows all the same, keeps the order `unknown`. */
function doubtOfReported(deciding: Leg, newest: Leg): { words: string | null } | null {
  return newest !== deciding && newest.state === "lost" ? { words: newest.reason } : null;
}

/** What keeps an order `unknown` while its newest leg is to replace the one that decides; null where nothing does. */
function doubtWhileReplacing(deciding: Leg, newest: Leg, replacing: Replacing): { words: string | null } | null {
  if (newest === deciding) return isClosed(deciding) ? { words: deciding.reason } : null;
  // A leg that was filled whole was not replaced, and cannot be any more.
  if (isWhollyFilled(deciding) && replacing === "if_canceled") return null;
  if (newest.state === "lost") return { words: newest.reason };
  if (newest.state === "sent" || deciding.state === "filled") return null;
  // Most refusals come when the original has been canceled already.
  if (newest.state === "rejected" || newest.state === "absent") return isClosed(deciding) ? null : { words: REFUSED };
  return replacing === "in_any_case" ? { words: BESIDE } : null;
}

const LOOKED_UP = "what the exchange has made of it is being looked up";
const BESIDE =
  "the exchange has taken what the modify placed; whether in place of this order or beside it is being looked up";
const REFUSED = "the exchange did not take what was to replace this order; whether it left it open is being looked up";

/** A modified order has its newest leg's terms; its size is what had been filled before plus what that leg asks for. */
function termsOf(order: Order, legs: readonly Leg[], deciding: Leg): Partial<Order> {
  if (legs.length <= 1) return {};
  const before = legs.slice(0, legs.indexOf(deciding));
  const size = add(
    sumOf(before, (leg) => leg.filledSize),
    deciding.size,
  );
  return {
    size: compare(size, decimal(order.size)) === 0 ? order.size : size,
    price: deciding.price,
    timeInForce: deciding.timeInForce,
    trigger: deciding.trigger,
  };
}

function sumOf(legs: readonly Leg[], figure: (leg: Leg) => Decimal): Decimal {
  return legs.reduce((sum, leg) => add(sum, figure(leg)), "0" as Decimal);
}

function statusOf(order: Order, leg: Leg, isBeingReplaced: boolean): OrderStatus {
  switch (leg.state) {
    case "sent":
      return order.status === "unknown" ? "unknown" : "processing";
    case "lost":
    case "closing":
      return "unknown";
    case "resting":
      return "open";
    case "armed":
      return "waiting_for_trigger";
    case "filled":
      return "filled";
    case "canceled":
      // The cancel leg of a modify arrives before its replacement: that is not the end of the order.
      return isBeingReplaced ? "unknown" : "canceled";
    case "rejected":
    case "absent":
      return "rejected";
  }
}
