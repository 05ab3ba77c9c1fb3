/**
 * What a modify placed too much is reduced by a further action with an intent of its own under the same key. The exchange
 * has no conditional, so what has been filled by then cannot be taken back, and is said.
 */
import type { Attempt } from "../core/attempt.ts";
import { cloidOf } from "../core/cloid.ts";
import { compare, type Decimal, ZERO } from "../core/decimal.ts";
import type { Leg } from "../core/order.ts";
import type { Place, Settling, World } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { listAttemptsOf, updateAttempt } from "../store/attempts.ts";
import { inTransaction } from "../store/commit.ts";
import { findLegByCloid, insertLeg, listLegs } from "../store/legs.ts";
import { findOrder } from "../store/orders.ts";
import { modifyAction } from "../wire/action/modify.ts";
import { wireOrder } from "../wire/action/order.ts";
import { mintOrderId } from "../wire/order-id.ts";
import { assetIdOf } from "./asset-id.ts";
import { intendedCancel } from "./cancel.ts";
import { excessOf, tellPast } from "./excess.ts";
import { signerOfToday, storeAttempt } from "./intent.ts";
import { recordModifyReply } from "./modify.ts";
import { note } from "./note.ts";
import { inPlace, ownPlace } from "./own-place.ts";
import { sendAttempt } from "./send.ts";

/**
 * Ends the attempt, if it is open, and reduces or removes what it placed; returns the attempt that does so, sent. Null, and
 * nothing has changed, where it is no longer too much, or where its turn has not come: then the excess is asked for again.
 */
export async function reduceReplacement(world: World, attempt: Attempt): Promise<Attempt | null> {
  const place = await ownPlace(world, attempt);
  if (place === null) return null;
  const next = inPlace(place, () => storeLess(world, attempt, place));
  if (next === null) {
    place.leave();
    return null;
  }
  const result = await sendAttempt(world, next, "order");
  if (result.kind !== "reply") return next;
  // A removal is a cancel, and its step looks at the order whatever the answer was.
  if (next.kind === "modify") recordModifyReply(world, next, result.reply);
  else {
    const answered = { state: "ambiguous", sentAtMs: next.createdAtMs } as const;
    inTransaction(world.store, () => updateAttempt(world.store, next.id, answered));
  }
  return next;
}

function storeLess(world: World, attempt: Attempt, place: Place): Attempt | null {
  const replacement = replacementOf(world, attempt);
  const excess = excessOf(world, attempt, replacement);
  if (excess.kind !== "live") return null;
  const { remainder } = excess;
  return inTransaction(world.store, () => {
    updateAttempt(world.store, attempt.id, { state: "done", settledAtMs: world.clock.nowMs() });
    note(world, attempt, "replacement too large", `filled meanwhile: ${replacement.size} is reduced to ${remainder}`);
    return compare(remainder, ZERO) > 0
      ? storeReduction(world, attempt, { replacement, remainder, place })
      : storeRemoval(world, attempt, { replacement, place });
  });
}

/** Looks at an order of which a fill was told after its modify had ended. */
export async function heedLateFill(world: World, settling: Pick<Settling, "pursue">, orderId: string): Promise<void> {
  const attempts = listAttemptsOf(world.store, orderId);
  // While something is under way its own pursuit asks the same question at its end.
  if (attempts.some(({ state }) => state !== "done")) return;
  const modify = attempts.findLast(({ kind, intendedTotal }) => kind === "modify" && intendedTotal !== null);
  if (modify === undefined || modify.cloid === null) return;
  const replacement = findLegByCloid(world.store, modify.cloid);
  // It may be an order of its own by now.
  if (replacement === null || replacement.orderId !== orderId) return;
  const excess = excessOf(world, modify, replacement);
  if (excess.kind === "live") {
    const next = await reduceReplacement(world, modify);
    // Its turn has not come in some seconds, or the order has changed meanwhile.
    if (next === null) return heedLateFill(world, settling, orderId);
    await settling.pursue(next.id);
  }
  if (excess.kind === "past") tellPast(world, replacement, excess.by);
}

function replacementOf({ store }: World, { cloid }: Attempt): Leg {
  const leg = cloid === null ? null : findLegByCloid(store, cloid);
  if (leg === null) throw new Error("bug: a modify without its replacement");
  return leg;
}

function parties({ store }: World, attempt: Attempt) {
  const order = findOrder(store, attempt.resource.id);
  const account = findAccount(store, attempt.accountId);
  if (order === null || account === null) throw new Error("bug: a modify without its order or account");
  return { order, account };
}

function storeReduction(
  world: World,
  attempt: Attempt,
  { replacement, remainder, place }: { replacement: Leg; remainder: Decimal; place: Place },
): Attempt {
  const { order, account } = parties(world, attempt);
  if (replacement.oid === null) throw new Error("bug: a confirmed leg without a native id");
  const ordinal = (listLegs(world.store, order.id).at(-1)?.ordinal ?? replacement.ordinal) + 1;
  const cloid = cloidOf(
    mintOrderId({
      nowMs: world.clock.nowMs(),
      instanceTag: world.instance.tag,
      secret: world.instance.secret,
      accountId: account.id,
      // A cloid of its own, also within the millisecond of the one before.
      idempotencyKey: `${attempt.idempotencyKey} reduced ${ordinal}`,
    }),
  );
  const leg: Leg = {
    ...replacement,
    ...{ cloid, oid: null, ordinal, size: remainder, state: "sent", reason: null },
    ...{ filledSize: ZERO, filledNotional: ZERO, isExchangesWord: false },
  };
  insertLeg(world.store, leg);
  const wire = wireOrder({ ...order, ...leg, size: remainder, assetId: assetIdOf(world, order), cloid });
  const intended = {
    ...{ kind: "modify" as const, account, resource: attempt.resource, idempotencyKey: attempt.idempotencyKey },
    ...{ actor: "gateway", action: modifyAction(replacement.oid, wire, false), cloid, targetOid: replacement.oid },
    intendedTotal: attempt.intendedTotal,
  };
  return storeAttempt(world, intended, { signer: signerOfToday(world, account, attempt), place });
}

function storeRemoval(
  world: World,
  attempt: Attempt,
  { replacement, place }: { replacement: Leg; place: Place },
): Attempt {
  const { order, account } = parties(world, attempt);
  const { idempotencyKey } = attempt;
  const target = { order, account, leg: replacement, idempotencyKey, actor: "gateway" };
  const signer = signerOfToday(world, account, attempt);
  return storeAttempt(world, intendedCancel(world, target), { signer, place });
}
