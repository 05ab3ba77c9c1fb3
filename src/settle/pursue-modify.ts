import type { Attempt } from "../core/attempt.ts";
import { cloidOf } from "../core/cloid.ts";
import { compare, type Decimal } from "../core/decimal.ts";
import { type Leg, wasTaken } from "../core/order.ts";
import { findAccount } from "../store/accounts.ts";
import { updateAttempt } from "../store/attempts.ts";
import { inTransaction } from "../store/commit.ts";
import { insertLeg } from "../store/legs.ts";
import { findOrder } from "../store/orders.ts";
import { modifyAction } from "../wire/action/modify.ts";
import { wireOrder } from "../wire/action/order.ts";
import { parseOrderStatus } from "../wire/answer/order-status.ts";
import { statusMeaning } from "../wire/answer/status-words.ts";
import { mintOrderId } from "../wire/order-id.ts";
import { weighAbsence } from "./absence.ts";
import { applySight } from "./apply-sight.ts";
import { intendedCancel } from "./cancel.ts";
import { signerOfToday, storeAttempt } from "./intent.ts";
import { readStatus, type Sight, statusRequest } from "./look.ts";
import { finishModify, isOriginalKnown, isToBeCanceled, keepApart, legsOfModify, recordModifyReply } from "./modify.ts";
import { note } from "./note.ts";
import { absenceEvent } from "./pursue-place.ts";
import type { Pursuit, Tools } from "./pursuit.ts";
import { openAttempt, recordLegEvent } from "./record.ts";
import { sendAttempt } from "./send.ts";
import { lookForPlaced } from "./timed-look.ts";

/**
 * One step toward the truth about a modify: first what became of the replacement, by its own client order id, then
 * what became of the original, by its native id. Both have to be known.
 */
export async function stepModify(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  await world.point("settle_before_look");
  if (!(await isReplacementKnown(tools, attempt, pursuit))) return openAttempt(world.store, attempt.id) === null;
  pursuit.replacementKnownAtMs ??= world.exchange.nowMs();
  const { replaced } = legsOfModify(world, attempt);
  const { sight, isAfter, wasGoneBefore } = await lookAtOriginal(tools, attempt, pursuit.replacementKnownAtMs);
  applySight(world, replaced, sight);
  if (openAttempt(world.store, attempt.id) === null) return true;
  if (sight.kind !== "seen") return false;
  // A node that is behind shows the original as it was before the modify.
  if (!sight.isClosed && !isAfter) return false;
  if (!sight.isClosed) pursuit.looksAtOpen += 1;
  if (!isOriginalKnown(attempt, legsOfModify(world, attempt), pursuit.looksAtOpen)) return false;
  const seen = wasGoneBefore ? { ...attempt, isTargetClosed: true } : attempt;
  if (isToBeCanceled(world, seen)) {
    if (!attempt.isTargetClosed) keepApart(world, attempt);
    return false;
  }
  if (isUnnamed(legsOfModify(world, attempt).replacement) && pursuit.looks < MAX_LOOKS_FOR_NAME) return false;
  const end = finishModify(world, seen);
  if (end.kind === "ended") return true;
  await reduceOnce(tools, attempt, { pursuit, remainder: end.remainder });
  return false;
}

/** Looks at a replacement whose answer named no id before the modify ends without one: about two minutes. */
const MAX_LOOKS_FOR_NAME = 30;

/** Some answers to triggers name no id; the order is known by it to the modify after this one. */
function isUnnamed(replacement: Leg): boolean {
  return replacement.state === "armed" && replacement.oid === null;
}

type OriginalLook = {
  sight: Sight;
  /** By a node that had seen the modify, or whatever else happened by the time its end was known. */
  isAfter: boolean;
  /** The original had ended by itself, or something else had canceled it, before the modify could. */
  wasGoneBefore: boolean;
};

async function lookAtOriginal(tools: Tools, attempt: Attempt, knownAtMs: number): Promise<OriginalLook> {
  const { world, evidence } = tools;
  const { replaced, replacement } = legsOfModify(world, attempt);
  const sought = { ...tools.soughtOf(attempt), leg: replaced };
  const options = { purpose: "settle" as const };
  if (!wasTaken(replacement)) {
    const timed = await tools.chainTime.readWith(sought.user, [statusRequest(sought)], options);
    const read =
      timed === null
        ? await world.exchange.info(statusRequest(sought), options)
        : ({ kind: "ok", json: timed.json[0] } as const);
    if (read.kind === "failed") return { sight: read, isAfter: false, wasGoneBefore: false };
    const sight = await readStatus(world, evidence, sought, { json: read.json, options });
    // A refused modify may have canceled its original, at any time until its answer came.
    const isAfter = timed !== null && timed.chainTimeMs >= knownAtMs;
    return { sight, isAfter, wasGoneBefore: isShownAsFilled(parseOrderStatus(read.json)) };
  }
  // Over one connection, the replacement first: who shows it has carried out the modify.
  const requests = [statusRequest({ ...sought, leg: replacement }), statusRequest(sought)];
  const outcome = await world.exchange.infoInTurn(requests, options);
  if (outcome.kind === "failed") return { sight: outcome, isAfter: false, wasGoneBefore: false };
  const [replacementJson, json] = outcome.json;
  if (replacement.oid === null) {
    // Some answers to triggers name no id.
    const placed = { ...sought, leg: replacement };
    applySight(world, replacement, await readStatus(world, evidence, placed, { json: replacementJson, options }));
  }
  const sight = await readStatus(world, evidence, sought, { json, options });
  const placed = parseOrderStatus(replacementJson);
  if (placed.kind !== "order") return { sight, isAfter: false, wasGoneBefore: hadEndedBefore(attempt.nonce, json) };
  // A modify's two halves carry the time of one block; a replacement's time from before it says nothing.
  const carriedOutAtMs = Math.max(attempt.nonce, placed.order.timestampMs);
  return { sight, isAfter: true, wasGoneBefore: hadEndedBefore(carriedOutAtMs, json) };
}

/** A modify's own cancel is plain, and not earlier than it was carried out; clocks are known to this, milliseconds. */
const CLOCK_ERROR_MS = 2_000;

function hadEndedBefore(carriedOutAtMs: number, json: unknown): boolean {
  const answer = parseOrderStatus(json);
  if (isShownAsFilled(answer)) return true;
  if (answer.kind !== "order" || statusMeaning(answer.status) !== "canceled") return false;
  return answer.status !== PLAIN_CANCEL || answer.statusTimestampMs < carriedOutAtMs - CLOCK_ERROR_MS;
}

const PLAIN_CANCEL = "canceled";

/** An order that may not rest ends so with a part as well: what was left of it was gone before any modify. */
function isShownAsFilled(answer: ReturnType<typeof parseOrderStatus>): boolean {
  return answer.kind === "order" && statusMeaning(answer.status) === "filled";
}

async function isReplacementKnown(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const { replacement } = legsOfModify(world, attempt);
  if (replacement.state !== "sent" && replacement.state !== "lost") return true;
  const looked = await lookForPlaced(tools, attempt);
  const now = openAttempt(world.store, attempt.id);
  if (now === null) return false;
  applySight(world, replacement, looked.sight);
  if (looked.sight.kind !== "not_found") return looked.sight.kind === "seen";
  return weighAbsence(tools, now, { ...looked, pursuit }, (isCovered) => {
    recordLegEvent(world.store, replacement.cloid, absenceEvent(now, isCovered), world.clock.nowMs());
  });
}

/**
 * The original was filled further while it was being replaced: what was placed is reduced, once, by a second action
 * with its own intent under the same key. The exchange has no conditional, so a new race may leave an excess, and
 * then it shows in `size`.
 */
async function reduceOnce(
  tools: Tools,
  attempt: Attempt,
  { pursuit, remainder }: { pursuit: Pursuit; remainder: Decimal },
): Promise<void> {
  const { world } = tools;
  const { replacement } = legsOfModify(world, attempt);
  const next = inTransaction(world.store, () => {
    updateAttempt(world.store, attempt.id, { state: "done", settledAtMs: world.clock.nowMs() });
    note(world, attempt, "replacement too large", `filled meanwhile: ${replacement.size} is reduced to ${remainder}`);
    return compare(remainder, "0" as Decimal) > 0
      ? storeReduction(tools, attempt, { replacement, remainder })
      : storeRemoval(tools, attempt, replacement);
  });
  pursuit.attemptId = next.id;
  pursuit.looksAtOpen = 0;
  pursuit.replacementKnownAtMs = null;
  pursuit.sealedAtMs = null;
  const result = await sendAttempt(world, next, "order");
  if (result.kind !== "reply") return;
  // A removal is a cancel, and its step looks at the order whatever the answer was.
  if (next.kind === "modify") recordModifyReply(world, next, result.reply);
  else {
    const answered = { state: "ambiguous", sentAtMs: next.createdAtMs } as const;
    inTransaction(world.store, () => updateAttempt(world.store, next.id, answered));
  }
}

function parties(tools: Tools, attempt: Attempt) {
  const order = findOrder(tools.world.store, attempt.resource.id);
  const account = findAccount(tools.world.store, attempt.accountId);
  if (order === null || account === null) throw new Error("bug: a modify without its order or account");
  return { order, account };
}

function storeReduction(
  tools: Tools,
  attempt: Attempt,
  { replacement, remainder }: { replacement: Leg; remainder: Decimal },
): Attempt {
  const { world } = tools;
  const { order, account } = parties(tools, attempt);
  if (replacement.oid === null) throw new Error("bug: a confirmed leg without a native id");
  const cloid = cloidOf(
    mintOrderId({
      nowMs: world.clock.nowMs(),
      instanceTag: world.instance.tag,
      secret: world.instance.secret,
      accountId: account.id,
      // A cloid of its own, also within the millisecond of the first one.
      idempotencyKey: `${attempt.idempotencyKey} reduced`,
    }),
  );
  const leg: Leg = {
    ...replacement,
    cloid,
    oid: null,
    ordinal: replacement.ordinal + 1,
    size: remainder,
    state: "sent",
    filledSize: "0" as Decimal,
    filledNotional: "0" as Decimal,
    isExchangesWord: false,
  };
  insertLeg(world.store, leg);
  const wire = wireOrder({ ...order, ...leg, size: remainder, assetId: order.assetId, cloid });
  const intended = {
    kind: "modify" as const,
    account,
    resource: attempt.resource,
    idempotencyKey: attempt.idempotencyKey,
    actor: "gateway",
    action: modifyAction(replacement.oid, wire, false),
    cloid,
    targetOid: replacement.oid,
  };
  return storeAttempt(world, intended, signerOfToday(world, account, attempt));
}

function storeRemoval(tools: Tools, attempt: Attempt, replacement: Leg): Attempt {
  const { order, account } = parties(tools, attempt);
  const { idempotencyKey } = attempt;
  const target = { order, account, leg: replacement, idempotencyKey, actor: "gateway" };
  return storeAttempt(tools.world, intendedCancel(target), signerOfToday(tools.world, account, attempt));
}
