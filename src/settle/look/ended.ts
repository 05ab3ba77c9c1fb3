import { compare, type Decimal } from "../../core/decimal.ts";
import type { Filled, LegEvent, OrderTerms } from "../../core/order.ts";
import type { ToLook, With } from "../../deps.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";
import { statusMeaning, statusWords } from "../../wire/answer/status-words.ts";
import { type ClosedOrder, mayFallShort, readClosedSize } from "../evidence/closed-size.ts";
import type { FillEvidence } from "../evidence/fill-evidence.ts";
import type { LookAnswer, Sight, Sought } from "./look.ts";

/** Its end is told when the size is known that was filled by then: until that it keeps the status that it had. */
export async function closed(world: ToLook, evidence: FillEvidence, sought: Sought, seen: LookAnswer): Promise<Sight> {
  const { order } = seen;
  const size = await readClosedSize(world, evidence, closedOf(sought, order), seen);
  if (size === "failed") return endedUnread(world, seen);
  const { filled, isAll } = size;
  if (isAll === "not_yet" || isAll === "untouched" || isAll === "missing") {
    const asBeforeMs = SHOWN_AS_BEFORE_MS - (world.exchange.nowMs() - seen.statusTimestampMs);
    const isTold = isAll !== "untouched" || asBeforeMs <= 0;
    const events: LegEvent[] = [
      isTold ? closing(order, isAll === "missing") : { type: "reported", oid: order.oid },
      { type: "fills_seen", filled },
    ];
    const untouched = isAll === "untouched" ? endOf(sought, seen, { filled, isAll: "yes" }) : null;
    return { kind: "unfinished", events, untouched, ...(isTold ? {} : { asBeforeMs }) };
  }
  return { kind: "seen", events: [endOf(sought, seen, { filled, isAll })], isClosed: true };
}

/** That it is over is the exchange's word whether or not its fills can be read: nobody is told any more that it is open. */
function endedUnread({ exchange }: With<"exchange">, { order, statusTimestampMs, isEndUnsaid }: LookAnswer): Sight {
  const isTold = isEndUnsaid !== true && exchange.nowMs() - statusTimestampMs >= SHOWN_AS_BEFORE_MS;
  if (!isTold) return unread({ order }, FILLS_UNREAD);
  return { kind: "unfinished", events: [closing(order, false)], untouched: null, isUnclear: true };
}

function closing({ oid }: FrontendOrder, areFillsMissing: boolean): LegEvent {
  return areFillsMissing ? { type: "closing", oid, areFillsMissing } : { type: "closing", oid };
}

function closedOf(sought: Sought, order: FrontendOrder): ClosedOrder {
  const { user, accountId, leg, reduceOnly } = sought;
  return {
    user,
    accountId,
    name: leg.cloid,
    asked: leg.size,
    isReduceOnly: reduceOnly,
    mayFallShort: mayFallShort({ ...leg, reduceOnly }, order),
    isReplaced: sought.isReplaced === true,
  };
}

/** So long an order that has just ended untouched may be shown as it was, milliseconds: the second look comes a second later. */
export const SHOWN_AS_BEFORE_MS = 900;

type KnownSize = { filled: Filled; isAll: "yes" | "disputed" };

function endOf(sought: Sought, { order, status }: LookAnswer, { filled, isAll }: KnownSize): LegEvent {
  const { leg, reduceOnly } = sought;
  const { oid } = order;
  // Whatever word it ended with.
  const isWhole = compare(filled.size, leg.size) >= 0;
  if (isWhole || (statusMeaning(status) === "filled" && !mayFallShort({ ...leg, reduceOnly }, order)))
    return { type: "filled", oid, filled };
  const { timeInForce } = leg;
  const words =
    statusMeaning(status) === "filled"
      ? shortReason({ timeInForce, reduceOnly }, filled.size, leg.size)
      : statusWords(status);
  const reason = isAll === "yes" ? words : `${words === null ? "" : `${words}; `}${DISPUTED}`;
  return { type: "canceled", oid, reason, filled };
}

const DISPUTED =
  "the exchange's record of the order and the fills that it shows do not agree: more may have been filled";

/** Why an order ended with less than it asked for, in plain words. */
export function shortReason(
  terms: Pick<OrderTerms, "timeInForce" | "reduceOnly">,
  filled: Decimal,
  asked: Decimal,
): string {
  const part = `${filled} of ${asked} was filled; the rest was canceled`;
  if (terms.timeInForce === "ioc") return `${part}: nothing more could be matched at once within the price.`;
  if (terms.reduceOnly) return `${part}: a reduce-only order cannot be larger than the position.`;
  return `${part}: nothing more could be matched within the worst price.`;
}

export function refused(sought: Sought, seen: LookAnswer): Sight {
  const { order, status } = seen;
  const reason = statusWords(status) ?? status;
  const oid = hadBeenTaken(sought, seen) ? order.oid : null;
  return { kind: "seen", events: [{ type: "rejected", reason, oid }], isClosed: true };
}

/** The word of a trigger that fired and found nothing on offer: no placing of one ends in it, also where it fires at once. */
const ONLY_WHEN_FIRED = "marketOrderNoLiquidityRejected";

/** What the exchange refuses at once has a record as well, of one moment; a trigger's refusal comes after its placing. */
function hadBeenTaken({ leg }: Sought, { order, status, statusTimestampMs }: LookAnswer): boolean {
  return leg.trigger !== null && (statusTimestampMs > order.timestampMs || status === ONLY_WHEN_FIRED);
}

/** What else it takes could not be read: it is known by its id, and nothing of it is told as of now. */
export function unread({ order: { oid } }: Pick<LookAnswer, "order">, reason: string): Sight {
  return { kind: "failed", reason, events: [{ type: "reported", oid }] };
}

export const FILLS_UNREAD = "the fills of the order could not be read";
