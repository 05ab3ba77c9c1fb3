import type { Account } from "../../core/account.ts";
import type { Attempt } from "../../core/attempt.ts";
import type { Stop } from "../../core/stop.ts";
import type { Settling, Slot, ToSend, With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { listLegs } from "../../store/legs.ts";
import { findOrder } from "../../store/orders.ts";
import { isOutOfActions } from "../../wire/answer/refusal.ts";
import { intendedCancel, legToCancel, mayBeCanceled, recordCancelReply, unsettledPlacings } from "../cancel/cancel.ts";
import { signingAgent } from "../pre-trade/obstacles.ts";
import { deriveOrder } from "../record/record.ts";
import { storeAttempt } from "../send/intent.ts";
import { sendOwn } from "../send/send-own.ts";

/** To cancel an order that rests, or may. */
export type ToCancel = ToSend & With<"markets">;

/** The name under which a stop acts: with a space, so that it is no client's Idempotency-Key. */
export function nameOfStop({ id }: Pick<Stop, "id">): string {
  return `${STOP_NAME}${id}`;
}

/** The stop that acts under a name; null where none does. */
export function stopOfName(name: string): string | null {
  return name.startsWith(STOP_NAME) ? name.slice(STOP_NAME.length) : null;
}

const STOP_NAME = "stop ";

/** `name`: under which it acts; see `nameOfStop`. */
export type Canceling = CancelWhile & { name: string; account: Account; orderId: string };

/** Asked inside the transaction that stores a cancel, which may have waited for its turn; left out where nothing can take back why it is sent. */
export type CancelWhile = { isStillSo?: () => boolean };

/**
 * Burns what was signed for an order and is not settled, and cancels what rests of it: one cancel that stays armed until
 * the order is over. Does nothing more for one that has such a cancel already.
 */
export async function cancelCovered(
  world: ToCancel,
  settling: Pick<Settling, "burn" | "pursue">,
  canceling: Canceling,
): Promise<void> {
  const burning = unsettledPlacings(world, canceling.orderId).map(({ id }) => settling.burn(id));
  await Promise.all([...burning, armCancel(world, settling, canceling)]);
}

async function armCancel(world: ToCancel, settling: Pick<Settling, "pursue">, canceling: Canceling): Promise<void> {
  const { account, orderId } = canceling;
  if (isArmed(world, orderId)) return;
  const store = (slot: Slot) => storeCancel(world, canceling, slot);
  const sent = await sendOwn(world, { accountId: account.id, purpose: "cancel", store });
  if (sent === null) return;
  const { attempt, result } = sent;
  // Not sent, or out of actions for now: its pursuit sends it again.
  const isToSendAgain = result.kind === "not_sent" || (result.kind === "refused" && isOutOfActions(result.text));
  if (isToSendAgain || !recordCancelReply(world, attempt, result)) void settling.pursue(attempt.id);
}

function isArmed({ store }: With<"store">, orderId: string): boolean {
  return listAttemptsOf(store, orderId).some(({ kind, state }) => kind === "cancel" && state !== "done");
}

function storeCancel(world: ToCancel, canceling: Canceling, slot: Slot): Attempt | null {
  const { name, account, orderId } = canceling;
  return inTransaction(world.store, (store) => {
    if (canceling.isStillSo?.() === false) return null;
    const order = findOrder(store, orderId);
    const leg = legToCancel(listLegs(store, orderId));
    const agent = signingAgent(world, account);
    if (order === null || leg === null || !mayBeCanceled(world, order) || isArmed(world, orderId)) return null;
    // Nothing can be canceled without a key that signs: it is tried again, and until then nothing is claimed.
    if (agent.kind === "obstacle") return null;
    // Somebody asks for it again: it is followed again.
    if (order.releasedAtMs !== null) deriveOrder(store, { ...order, releasedAtMs: null }, world.clock.nowMs());
    const intended = { order, account, leg, idempotencyKey: name, actor: "gateway" };
    return storeAttempt(world, intendedCancel(world, intended), {
      signer: agent.address,
      slot,
    });
  });
}
