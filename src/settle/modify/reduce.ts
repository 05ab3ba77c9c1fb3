/**
 * What a modify placed too much is reduced by a further action with an intent of its own under the same key. The exchange
 * has no conditional, so what has been filled by then cannot be taken back, and is said.
 */
import type { Attempt } from "../../core/attempt.ts";
import { cloidOf } from "../../core/cloid.ts";
import { compare, ZERO } from "../../core/decimal.ts";
import { type Excess, reductionsOf, standingExcess } from "../../core/excess.ts";
import type { Leg } from "../../core/order.ts";
import { canIncreaseIn } from "../../core/stop.ts";
import type { Settling, Slot, ToSend, ToSign, With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { listAttemptsOf, updateAttempt } from "../../store/attempts.ts";
import { botOf } from "../../store/bots.ts";
import { inTransaction } from "../../store/commit.ts";
import { haltOfOrder } from "../../store/halts.ts";
import { insertLeg, listLegs } from "../../store/legs.ts";
import { listOpenModified } from "../../store/open-modified.ts";
import { findOrder } from "../../store/orders.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { findStopOf } from "../../store/stops.ts";
import { modifyAction } from "../../wire/action/modify.ts";
import { wireOrder } from "../../wire/action/order.ts";
import type { Reply } from "../../wire/answer/reply.ts";
import { mintOrderId } from "../../wire/order-id.ts";
import { assetIdOf } from "../cancel/asset-id.ts";
import { intendedCancel } from "../cancel/cancel.ts";
import { closedGateway } from "../pre-trade/obstacles.ts";
import { note } from "../record/note.ts";
import { deriveOrder } from "../record/record.ts";
import { signerOfToday, storeAttempt } from "../send/intent.ts";
import { sendOwn } from "../send/send-own.ts";
import { recordModifyReply, tellPast } from "./modify.ts";

type LiveExcess = Excess & { kind: "live" };

/**
 * Ends the attempt, if it is open, and reduces what is too much, or cancels it where that has been refused too often;
 * returns the attempt that does so, sent. Null, and nothing has changed, where it is no longer too much, where something
 * else is under way by now, or where its turn has not come: then the excess is asked for again.
 */
export async function reduceReplacement(
  world: ToSend & With<"instance" | "markets">,
  attempt: Attempt,
): Promise<Attempt | null> {
  const store = (slot: Slot) => storeLess(world, attempt, slot);
  const sent = await sendOwn(world, { accountId: attempt.accountId, purpose: "order", store });
  if (sent === null) return null;
  const { attempt: next, result } = sent;
  if (result.kind === "not_sent") return next;
  if (next.kind === "modify") recordModifyReply(world, next, result);
  else recordRemoval(world, next, result);
  return next;
}

function storeLess(world: ToSign & With<"instance" | "markets">, attempt: Attempt, slot: Slot): Attempt | null {
  const { id } = attempt.resource;
  const legs = listLegs(world.store, id);
  const attempts = listAttemptsOf(world.store, id);
  const excess = standingExcess(legs, attempts);
  const isOvertaken = attempts.some((other) => other.state !== "done" && other.id !== attempt.id);
  if (excess.kind !== "live" || isOvertaken) return null;
  // Another modify may have placed it while a slot was waited for.
  const placedBy = attempts.find(({ cloid }) => cloid === excess.leg.cloid) ?? attempt;
  const mayReduce = reductionsOf(excess.leg, legs, attempts).mayReduce && compare(excess.remainder, ZERO) > 0;
  return inTransaction(world.store, () => {
    // What is left of it would be placed anew: where nothing of its placer's may increase it goes.
    const isReduced = mayReduce && !isStopped(world, id);
    updateAttempt(world.store, attempt, { state: "done", settledAtMs: world.clock.nowMs() });
    const what = isReduced ? `is reduced to ${excess.remainder}` : "is canceled";
    note(world, attempt, "replacement too large", `filled meanwhile: ${excess.leg.size} ${what}`);
    return isReduced
      ? storeReduction(world, placedBy, { excess, slot })
      : storeRemoval(world, placedBy, { replacement: excess.leg, slot });
  });
}

function isStopped({ clock, store, markets }: With<"clock" | "markets" | "store">, orderId: string): boolean {
  const order = findOrder(store, orderId);
  if (order === null) throw new Error("bug: an attempt without its order");
  if (!canIncreaseIn(markets.current(), order)) return false;
  const stop = findStopOf(store, order.accountId, order.keyHash);
  return stop !== null || haltOfOrder(store, order, clock.nowMs()) !== null;
}

/** A removal is a cancel that nothing but the end of the leg ends, whatever the answer was. */
function recordRemoval(world: With<"clock" | "store">, next: Attempt, reply: Reply): void {
  const [entry] = reply.kind === "accepted" ? reply.statuses : [];
  const hasLanded = entry?.kind === "success";
  const answered = { state: "ambiguous", sentAtMs: next.createdAtMs, hasLanded } as const;
  inTransaction(world.store, () => {
    updateAttempt(world.store, next, answered);
    // The feed may have told of the end before: then only the order's words are missing.
    if (hasLanded) deriveOrder(world.store, parties(world, next).order, world.clock.nowMs());
  });
}

type HeedingFills = Pick<Settling, "pursue">;

/**
 * Takes off what an order has too much: after a fill was told, after anything of it was settled, at the start and now and
 * then. While something of it is under way, its own pursuit asks the same at its end, or this is asked after it.
 */
export async function heedExcess(
  world: ToSend & With<"instance" | "markets">,
  settling: HeedingFills,
  orderId: string,
): Promise<void> {
  const attempts = listAttemptsOf(world.store, orderId);
  const [first] = attempts;
  if (first === undefined || attempts.some(({ state }) => state !== "done")) return;
  if (closedGateway(world, false) !== null || awaitsTakeUp(world.store, first.accountId)) return;
  const excess = standingExcess(listLegs(world.store, orderId), attempts);
  if (excess.kind === "past") tellPast(world, excess);
  const modify = excess.kind === "live" ? attempts.find(({ cloid }) => cloid === excess.leg.cloid) : undefined;
  if (excess.kind !== "live" || modify === undefined) return;
  const next = await reduceReplacement(world, modify);
  // Nobody waits for its end: another order may have too much as well.
  if (next !== null) void settling.pursue(next.id);
}

/**
 * `heedExcess` for every open order that was modified: an earlier try may have been stopped, by a killed process too.
 */
export async function heedEveryExcess(
  world: ToSend & With<"instance" | "markets">,
  settling: HeedingFills,
): Promise<void> {
  for (const orderId of listOpenModified(world.store)) await heedExcess(world, settling, orderId);
}

function parties({ store }: With<"store">, attempt: Attempt) {
  const order = findOrder(store, attempt.resource.id);
  const account = findAccount(store, attempt.accountId);
  if (order === null || account === null) throw new Error("bug: a modify without its order or account");
  return { order, account };
}

function storeReduction(
  world: ToSign & With<"instance" | "markets">,
  attempt: Attempt,
  { excess, slot }: { excess: LiveExcess; slot: Slot },
): Attempt {
  const { leg: replacement, remainder } = excess;
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
      bot: botOf(world.store, order.keyHash),
    }),
  );
  const leg: Leg = {
    ...replacement,
    cloid,
    oid: null,
    ordinal,
    size: remainder,
    // Which the exchange makes of it in any case, as of everything that is placed only where its original was canceled.
    timeInForce: "alo",
    // One that is reduced has fired, if it ever waited: what is left of it is a plain order.
    trigger: null,
    state: "sent",
    reason: null,
    filledSize: ZERO,
    filledNotional: ZERO,
    isExchangesWord: false,
    absence: null,
  };
  insertLeg(world.store, leg);
  const wire = wireOrder({ ...order, ...leg, size: remainder, assetId: assetIdOf(world, order), cloid });
  const intended = {
    kind: "modify" as const,
    account,
    resource: attempt.resource,
    idempotencyKey: attempt.idempotencyKey,
    actor: "gateway",
    action: modifyAction(replacement.oid, wire, false),
    cloid,
    targetOid: replacement.oid,
    intendedTotal: attempt.intendedTotal,
  };
  return storeAttempt(world, intended, { signer: signerOfToday(world, account, attempt), slot });
}

function storeRemoval(
  world: ToSign & With<"markets">,
  attempt: Attempt,
  { replacement, slot }: { replacement: Leg; slot: Slot },
): Attempt {
  const { order, account } = parties(world, attempt);
  const { idempotencyKey } = attempt;
  const target = { order, account, leg: replacement, idempotencyKey, actor: "gateway" };
  const signer = signerOfToday(world, account, attempt);
  return storeAttempt(world, intendedCancel(world, target), { signer, slot });
}
