import type { With } from "../../deps.ts";
import { findAttemptByCloid, listAttemptsOf, listOpenModifies } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { hasFillOfNobody } from "../../store/fills.ts";
import { findLegByOid, listLegs } from "../../store/legs.ts";
import { findOrder, listUnnamedOrders, type StoredOrder } from "../../store/orders.ts";
import type { Fill } from "../../wire/answer/fills.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";
import { type AskedOrder, askedTerms, differenceFrom } from "../evidence/difference.ts";
import { recordLegEvent } from "../record/record.ts";
import type { Sought } from "./look.ts";
import type { Sweep } from "./sweep.ts";

/** Orders of an account that are looked for in one list. */
const MAX_ORDERS = 500;

/**
 * Some answers to triggers name no native id. Whatever list shows such an order under its client order id, and as it was
 * asked for, names it, whoever had that list read: its record may be gone by the time at which the order itself is looked for. So it does
 * what a modify that is not settled has placed, whose order has the name of its original: by its client order id another's may be shown.
 */
export function nameUnnamed(
  { store, clock }: With<"clock" | "store">,
  accountId: string,
  shown: readonly FrontendOrder[],
): void {
  const ofOrder = (order: StoredOrder) =>
    listLegs(store, order.id).flatMap((leg) => nameOf({ ...askedTerms(order), leg }, shown));
  const modified = listOpenModifies(store, accountId).flatMap(({ resourceId }) => findOrder(store, resourceId) ?? []);
  const named = [...listUnnamedOrders(store, accountId, MAX_ORDERS), ...modified].flatMap(ofOrder);
  if (named.length === 0) return;
  inTransaction(store, () => {
    for (const { cloid, oid } of named) recordLegEvent(store, cloid, { type: "reported", oid }, clock.nowMs());
  });
}

function nameOf(asked: AskedOrder, shown: readonly FrontendOrder[]): { cloid: string; oid: string }[] {
  const { leg } = asked;
  if (leg.oid !== null || (leg.state !== "armed" && leg.state !== "resting" && leg.state !== "closing")) return [];
  const own = shown.filter((order) => differenceFrom(asked, order) === null);
  // What a trigger places when it fires may have a native id of its own: the trigger's is the older one.
  const [oldest] = own.toSorted((a, b) => a.timestampMs - b.timestampMs);
  return oldest === undefined ? [] : [{ cloid: leg.cloid, oid: oldest.oid }];
}

/** Fills are looked at from a little before the order was signed, milliseconds. */
const LEAD_MS = 5_000;

/**
 * True when a fill that is known may be one of an order without a native id. One that carries its client order id has named
 * it; others come without one, and are told apart by belonging to another order of ours, or to a TWAP.
 */
export function mayHaveFills(
  { store }: With<"store">,
  { leg, accountId, market, side }: Sought,
  read: readonly Fill[],
): boolean {
  // A nonce is the exchange time of its making.
  const signedAtMs = listAttemptsOf(store, leg.orderId).find(({ cloid }) => cloid === leg.cloid)?.nonce ?? LEAD_MS;
  const sinceMs = signedAtMs - LEAD_MS;
  if (hasFillOfNobody(store, { accountId, market, side, sinceMs })) return true;
  const letter = side === "buy" ? "B" : "A";
  return read.some(
    (fill) =>
      fill.coin === market &&
      fill.side === letter &&
      fill.timeMs >= sinceMs &&
      fill.twapId === null &&
      findLegByOid(store, accountId, fill.oid) === null,
  );
}

/**
 * True when the lists hold an order that a trigger may have placed when it fired, which may be under a native id of its own and without a
 * client order id: in its market, on its side, no older than its signing, and placed by nothing of ours. What is over counts where it has a
 * row here, as one from elsewhere that was canceled: else its fills are nobody's, and tell it (`mayHaveFills`).
 *
 * @param sinceMs exchange time, unix milliseconds
 */
export function mayHaveFired(
  { store }: With<"store">,
  { leg, accountId, market, side }: Sought,
  { open, history }: Pick<Sweep, "open" | "history">,
  sinceMs: number,
): boolean {
  if (leg.trigger === null) return false;
  const letter = side === "buy" ? "B" : "A";
  const isLike = ({ coin, side: on, timestampMs, oid }: FrontendOrder) =>
    coin === market && on === letter && timestampMs >= sinceMs && oid !== leg.oid;
  const isOfElsewhere = ({ oid }: FrontendOrder, isWithoutRow: boolean) => {
    const known = findLegByOid(store, accountId, oid);
    return known === null ? isWithoutRow : findAttemptByCloid(store, known.cloid) === null;
  };
  return (
    open.some((order) => isLike(order) && isOfElsewhere(order, true)) ||
    history.some(({ order }) => isLike(order) && isOfElsewhere(order, false))
  );
}
