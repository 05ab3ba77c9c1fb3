import type { Account } from "../core/account.ts";
import { uuidOfCloid } from "../core/cloid.ts";
import { compare, decimal, isZero } from "../core/decimal.ts";
import { averagePrice } from "../core/market.ts";
import type { Filled, Leg, Order, OrderStatus } from "../core/order.ts";
import type { ToLook, With } from "../deps.ts";
import type { Purpose } from "../exchange/exchange.ts";
import { useOf } from "../exchange/shares.ts";
import { mayFallShort, readClosedSize } from "../settle/evidence/closed-size.ts";
import { askedTerms, differenceFrom } from "../settle/evidence/difference.ts";
import { gatherFillEvidence } from "../settle/evidence/fill-evidence.ts";
import { completes, filledOrder, fillsOfOrder, readFillsSince, sumFills } from "../settle/fills/fill-pages.ts";
import { shortReason } from "../settle/look/ended.ts";
import { recordLegEvent } from "../settle/record/record.ts";
import { within } from "../settle/within.ts";
import { inTransaction } from "../store/commit.ts";
import { sumFillsOf } from "../store/fills.ts";
import { findLegByCloid } from "../store/legs.ts";
import type { Store } from "../store/open.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import type { FrontendOrder, OrderRecord } from "../wire/answer/order-status.ts";
import { termsOf } from "../wire/answer/order-terms.ts";
import { saysOver, statusMeaning, statusWords } from "../wire/answer/status-words.ts";
import { carriesTag, outsideOrderId } from "../wire/order-id.ts";
import { couldNotAsk, fillsUnanswered } from "./not-asked.ts";
import { weighOutsideEnd } from "./outside-end.ts";
import { isWhole, mostFilled, withToldEnd } from "./told-outside.ts";

/** An order of the account that was not placed through this database: shown, never stored by a read. */
export type OutsideOrder = Order & { exchangeOrderId: string; filled: Filled | null };

/** One that has fired goes on as the order that it placed. */
const STATUS: Record<ReturnType<typeof statusMeaning>, OrderStatus> = {
  open: "open",
  triggered: "open",
  filled: "filled",
  canceled: "canceled",
  rejected: "rejected",
  unknown: "unknown",
};

/**
 * What the exchange's record of one order is in our words. Its fills are read whatever the record says is left: that may be
 * as the order was placed. One that is over is told so when it is known how much of it was filled, as one of ours is.
 */
export async function outsideOrder(
  deps: ToLook & With<"instance">,
  account: Account,
  shown: OrderRecord,
  purpose: Purpose,
): Promise<OutsideOrder> {
  const record = withToldEnd(deps, account, shown);
  if (!saysOver(record.status)) return describeLive(deps, account, record, purpose);
  const weighing = weighOutsideEnd(deps, account, record, purpose);
  const end = useOf(purpose) === "cancel" ? await within(deps.clock, CANCEL_WAITS_MS, weighing) : await weighing;
  if (end?.kind === "refuted")
    return describeLive(deps, account, { ...record, order: end.shown, status: "open" }, purpose);
  if (end?.kind !== "told") return unproven(deps, account, record);
  if (statusMeaning(record.status) === "rejected") return describeOutside(deps, account, { ...record, filled: null });
  return describeEnded(deps, account, record, await readSize(deps, account, record, purpose));
}

async function describeLive(
  deps: ToLook & With<"instance">,
  account: Account,
  record: OrderRecord,
  purpose: Purpose,
): Promise<OutsideOrder> {
  if (statusMeaning(record.status) === "unknown") return describeOutside(deps, account, { ...record, filled: null });
  const reading = readFilled(deps, account, record.order, purpose);
  const filled =
    useOf(purpose) === "cancel"
      ? ((await within(deps.clock, CANCEL_WAITS_MS, reading)) ?? mostFilled(deps, account, record.order, null))
      : await reading;
  const open = describeOutside(deps, account, { ...record, filled });
  return filled !== null && isWhole(record.order, filled) ? { ...open, status: "filled" } : open;
}

/** One record says that it is over, and nothing else: what a server says of an order may be another's. */
function unproven(deps: With<"instance" | "store">, account: Account, record: OrderRecord): OutsideOrder {
  const error = `The exchange's record of it says ${record.status}, and nothing else bears that out yet: ask again.`;
  return { ...describeOutside(deps, account, { ...record, filled: null }), status: "unknown", filledSize: null, error };
}

/** A cancel waits no longer for the fills of what it is to cancel, or for what bears out that it is over, milliseconds: it is asked once more then. */
const CANCEL_WAITS_MS = 1_000;

async function readFilled(
  deps: With<"exchange" | "feeds" | "settings" | "store">,
  account: Account,
  order: FrontendOrder,
  purpose: Purpose,
): Promise<Filled | null> {
  const asked = { user: account.tradingAddress, sinceMs: order.timestampMs, isEnough: completes([order]) };
  const fills = await readFillsSince(deps, asked, { purpose });
  if (fills === "failed") requireAsked(deps, purpose);
  const read = fills === "failed" ? null : sumFills(fillsOfOrder(fills, order));
  const known = mostFilled(deps, account, order, read);
  if (useOf(purpose) === "read" && read === null && (known === null || !isWhole(order, known)))
    requireUnfilled(deps, account, order, purpose);
  return known;
}

/** Fills of it that have been told are not passed over in silence; that they are all of them nobody knows. */
function requireUnfilled(
  deps: With<"exchange" | "store">,
  account: Account,
  order: FrontendOrder,
  purpose: Purpose,
): void {
  if (isZero(sumFillsOf(deps.store, account.id, filledOrder(order)).size)) return;
  throw couldNotAsk(deps, FOR_ITS_FILLS, fillsUnanswered(deps, purpose, [{ type: "orderStatus" }]), purpose);
}

const FOR_ITS_FILLS = "for the fills of this order, which is not ours";

/** Whoever only reads is told that we had no weight left, and not that nobody knows; a change of the order goes on. */
function requireAsked(deps: With<"exchange">, purpose: Purpose): void {
  const failed = fillsUnanswered(deps, purpose, [{ type: "orderStatus" }]);
  if (failed.isOurBudget && useOf(purpose) === "read") throw couldNotAsk(deps, FOR_ITS_FILLS, failed, purpose);
}

/** Readings of one that is over, and the pause between two, milliseconds: what two of them prove is told at once. */
const READINGS = 3;
const PAUSE_MS = 1_000;

/** What one that is over was filled; null while that is not known. */
async function readSize(deps: ToLook, account: Account, record: OrderRecord, purpose: Purpose): Promise<Filled | null> {
  const { order } = record;
  const terms = termsOf(order);
  const closed = {
    user: account.tradingAddress,
    accountId: account.id,
    name: order.oid,
    asked: decimal(terms.size),
    isReduceOnly: terms.reduceOnly,
    mayFallShort: mayFallShort(terms, order),
    isReplaced: false,
  };
  const evidence = gatherFillEvidence();
  for (let nth = 1; nth <= READINGS; nth += 1) {
    const size = await readClosedSize(deps, evidence, closed, { ...record, options: { purpose } });
    if (size === "failed") requireAsked(deps, purpose);
    if (size === "failed") return null;
    if (size.isAll === "yes") return size.filled;
    if (nth < READINGS) await deps.clock.sleep(PAUSE_MS);
  }
  return null;
}

function describeEnded(
  deps: With<"instance" | "store">,
  account: Account,
  record: OrderRecord,
  filled: Filled | null,
): OutsideOrder {
  const shown = describeOutside(deps, account, { ...record, filled });
  if (filled === null) return { ...shown, status: "unknown", error: null };
  if (compare(filled.size, decimal(shown.size)) >= 0) return { ...shown, status: "filled", error: null };
  if (statusMeaning(record.status) === "canceled" || !mayFallShort(shown, record.order)) return shown;
  return { ...shown, status: "canceled", error: shortReason(shown, filled.size, decimal(shown.size)) };
}

/**
 * An order that was placed elsewhere, as its record shows it; asks nothing. `filled` is null where the fills are not
 * known.
 */
export function describeOutside(
  deps: With<"instance" | "store">,
  account: Account,
  record: OrderRecord & { filled: Filled | null },
): OutsideOrder {
  const { order, status, filled } = record;
  const meaning = statusMeaning(status);
  const shown = meaning === "open" && order.isTrigger ? "waiting_for_trigger" : STATUS[meaning];
  const isOver = shown === "canceled" || shown === "rejected";
  return {
    id: shownId(deps, account, order),
    accountId: account.id,
    ...termsOf(order),
    status: shown,
    exchangeOrderId: order.oid,
    filledSize: shown === "rejected" || shown === "unknown" ? null : (filled?.size ?? null),
    averagePrice: filled === null ? null : averagePrice(filled.notional, filled.size),
    error: isOver ? statusWords(status) : null,
    filled,
    createdAtMs: order.timestampMs,
  };
}

/**
 * An order that carries our tag is ours, known here or not: it keeps the id it was placed under. What only uses a client
 * order id of ours, and is another order, is shown as what it is.
 */
function shownId(deps: With<"instance" | "store">, account: Account, order: FrontendOrder): string {
  const uuid = order.cloid === null ? null : uuidOfCloid(order.cloid);
  const isOurs = uuid !== null && carriesTag(uuid, deps.instance.tag) && !isForeign(deps, order);
  return isOurs ? uuid : outsideOrderId(deps.instance.network, account.tradingAddress, order.oid);
}

/** True when the client order id of what is shown is that of a leg of ours, and the rest is not. */
function isForeign({ store }: With<"store">, shown: FrontendOrder): boolean {
  const own = withOrder(store, shown);
  return own !== null && !isOf(own, shown);
}

/** Our leg, and its order, that the exchange shows under its client order id, whether or not its native id is known here. */
export function legShown({ store }: With<"store">, account: Account, shown: FrontendOrder): OwnLeg | null {
  const own = withOrder(store, shown);
  return own !== null && own.order.accountId === account.id && isOf(own, shown) ? own : null;
}

/** We had concluded that it never was, and the exchange shows it: only what is open again can be canceled. */
export function heardOf({ store, clock }: With<"clock" | "store">, { leg, order }: OwnLeg, oid: string): StoredOrder {
  if (leg.state !== "absent") return order;
  return inTransaction(store, () => recordLegEvent(store, leg.cloid, { type: "reported", oid }, clock.nowMs()));
}

export type OwnLeg = { leg: Leg; order: StoredOrder };

function withOrder(store: Store, { cloid }: FrontendOrder): OwnLeg | null {
  const leg = cloid === null ? null : findLegByCloid(store, cloid);
  const order = leg === null ? null : findOrder(store, leg.orderId);
  return leg === null || order === null ? null : { leg, order };
}

function isOf({ leg, order }: OwnLeg, shown: FrontendOrder): boolean {
  return differenceFrom({ ...askedTerms(order), leg }, shown) === null;
}
