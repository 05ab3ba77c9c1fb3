import type { Attempt } from "../core/attempt.ts";
import type { WriteAnswer } from "../core/idempotency.ts";
import { dexOf } from "../core/market.ts";
import { orderText } from "../core/resource.ts";
import type { Slot, ToLook, ToSign, ToWrite, With } from "../deps.ts";
import {
  intendedCancel,
  legToCancel,
  mayBeCanceled,
  mayRest,
  recordCancelReply,
  unsettledPlacings,
} from "../settle/cancel/cancel.ts";
import { nameUnnamed } from "../settle/look/unnamed.ts";
import { deriveOrder } from "../settle/record/record.ts";
import { requireAgent, storeAttempt } from "../settle/send/intent.ts";
import { within } from "../settle/within.ts";
import { listSameAction } from "../store/attempts.ts";
import { listLegs } from "../store/legs.ts";
import { onceUnlocked } from "../store/locked.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import type { Caller } from "../write/caller.ts";
import { requestOf, type WriteKey } from "../write/key.ts";
import { runWrite } from "../write/run.ts";
import type { Plan, Stored } from "../write/verb.ts";
import { adoptOutsideOrder } from "./adopt-order.ts";
import { orderNotFound, requireOrder } from "./find-order.ts";

export type CancelOrder = WriteKey & { id: string };

/**
 * `POST /v1/orders/{id}/cancel`. The answer is final only when every leg of the order is closed and everything that
 * could still place one is settled; until then it is 202 and the cancel stays armed.
 */
export async function cancelOrder(
  deps: ToLook & ToWrite & With<"reads">,
  caller: Caller,
  wanted: CancelOrder,
): Promise<WriteAnswer> {
  return runWrite(deps, {
    ...requestOf(deps, caller, wanted),
    route: "POST /v1/orders/{id}/cancel",
    bucket: "cancels",
    isCancel: true,
    asked: {},
    placedTerms: null,
    isCreating: false,
    plan: () => planCancel(deps, caller, wanted),
  });
}

async function planCancel(
  deps: ToLook & With<"instance" | "markets" | "reads" | "settling" | "signers">,
  caller: Caller,
  { id, idempotencyKey }: CancelOrder,
): Promise<Plan> {
  const found = await requireOrder(deps, caller, id, "cancel");
  const target = found.kind === "stored" ? found.order : adoptOutsideOrder(deps, found.order);
  const isSent = mayBeCanceled(deps, target);
  if (isUnnamed(deps, target)) await nameByList(deps, caller, target);
  return {
    resource: { kind: "order", id: target.id },
    use: "cancel",
    isSent,
    isOrder: false,
    market: null,
    keyRow: "own",
    increasesFor: [],
    store: (_keyRecord, slot) => storeCancel(deps, { caller, orderId: target.id, idempotencyKey, slot }),
  };
}

/**
 * The exchange has taken it and not said under which native id, as of some triggers: a cancel by client order id would take off
 * whatever else has that id. A list of open orders names it; where it cannot be read in a second or lacks it the cancel goes all the same.
 */
function isUnnamed({ store }: With<"store">, { id }: StoredOrder): boolean {
  const leg = legToCancel(listLegs(store, id));
  return leg !== null && leg.oid === null && mayRest(leg);
}

async function nameByList(
  deps: With<"clock" | "reads" | "store">,
  { account }: Caller,
  { market }: StoredOrder,
): Promise<void> {
  const reading = deps.reads.openOrders(account.tradingAddress, dexOf(market), "cancel");
  const read = await within(deps.clock, NAMED_WITHIN_MS, reading);
  if (read?.kind === "ok") nameUnnamed(deps, account.id, read.value);
}

/** A list that takes longer is not waited for, milliseconds. */
const NAMED_WITHIN_MS = 1_000;

type CancelIntent = { caller: Caller; orderId: string; idempotencyKey: string; slot: Slot };

/** Inside the intent's transaction: the attempt, or for an order that is closed by now its final answer. */
function storeCancel(
  deps: ToSign & With<"markets" | "settling">,
  { caller, orderId, idempotencyKey, slot }: CancelIntent,
): Stored {
  const order = findOrder(deps.store, orderId);
  const leg = order === null ? null : legToCancel(listLegs(deps.store, orderId));
  // Given back since it was found: no byte of it left, and nobody can know of it any more.
  if (order === null) throw orderNotFound();
  if (!mayBeCanceled(deps, order) || leg === null) return { kind: "said", status: 200, body: orderText(order) };
  // It may have turned out only now that it lives.
  const signer = requireAgent(deps, caller.account);
  const actor = caller.key.keyHash;
  // Somebody asks for it again: it is followed again.
  if (order.releasedAtMs !== null) deriveOrder(deps.store, { ...order, releasedAtMs: null }, deps.clock.nowMs());
  const intended = intendedCancel(deps, { order, account: caller.account, leg, idempotencyKey, actor });
  return outgoingCancel(deps, storeAttempt(deps, intended, { signer, slot }));
}

/** The cancel and the empty actions that burn every placing still out leave at the same moment, and none waits for another. */
function outgoingCancel(deps: With<"clock" | "settling" | "store">, attempt: Attempt): Stored {
  const unsettled = unsettledPlacings(deps, attempt.resource.id).filter((each) => !isStillOutWithOthers(deps, each));
  return {
    kind: "outgoing",
    attempt,
    beside: unsettled.map((each) => () => deps.settling.burn(each.id)),
    async conclude(reply) {
      const isSettled = await onceUnlocked(deps.clock, () => recordCancelReply(deps, attempt, reply));
      return isSettled ? "settled" : "open";
    },
  };
}

/** An empty action would end the whole batch while its answer is still to come: what was placed is canceled then. */
function isStillOutWithOthers({ store }: With<"store">, attempt: Attempt): boolean {
  return attempt.state === "prepared" && listSameAction(store, attempt).length > 1;
}
