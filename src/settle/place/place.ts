import type { Attempt } from "../../core/attempt.ts";
import { compare, ZERO } from "../../core/decimal.ts";
import type { KeyAnswer } from "../../core/idempotency.ts";
import { type Filled, filledAt, type Leg, type LegEvent } from "../../core/order.ts";
import type { Settling, With } from "../../deps.ts";
import { findLegByCloid } from "../../store/legs.ts";
import type { Store } from "../../store/open.ts";
import type { Placing, StoredOrder } from "../../store/orders.ts";
import { isListedRefusal, mayLeaveNumber, plainWords } from "../../wire/answer/refusal.ts";
import { type AmbiguousReason, type Reply, wordsWithoutProof } from "../../wire/answer/reply.ts";
import type { Difference } from "../evidence/difference.ts";
import { raiseAlarm } from "../look/apply-sight.ts";
import { shortReason } from "../look/ended.ts";
import { finishOrderAttempt, markAmbiguous, recordLegEvent, sealOf, settlePlacing } from "../record/record.ts";

type Recording = With<"clock" | "commits">;

/**
 * Writes down what the exchange answered to a placing, in one transaction with whatever else this turn writes. Where
 * the outcome is still open, the order is `unknown` and the attempt has to be pursued.
 */
export function recordPlaceReply(
  world: Recording,
  placing: Placing,
  reply: Reply,
): Promise<KeyAnswer | "settled" | "open"> {
  const { leg, attempt } = placing;
  const event = asFarAsNamed(readPlaceReply(leg, reply), reply);
  // Read here, once: the work below may be run a second time, and has to write what was told the first time.
  const nowMs = world.clock.nowMs();
  return world.commits.outcome((store): KeyAnswer | "settled" | "open" => {
    if (isOpenStill(event)) {
      recordLost(store, attempt, { leg, event, reply, nowMs });
      return "open";
    }
    const settled = settlePlacing(store, placing, event, nowMs);
    if (settled !== null) return settled;
    const order = recordLegEvent(store, leg.cloid, event, nowMs);
    if (isOfAnotherCopy(event, order)) {
      recordLost(store, attempt, { leg, event: lost(lostReason("contradicted")), reply, nowMs });
      return "open";
    }
    const end = { nowMs, change: { sentAtMs: attempt.createdAtMs, ...sealOf(event) }, order };
    return finishOrderAttempt(store, attempt, end) ?? "settled";
  }, canBeReadAgain(event));
}

/** Something of it was shown before its answer came: that one turned away was a copy, and what has become of the other is not known yet. */
function isOfAnotherCopy({ type }: LegEvent, { status }: Pick<StoredOrder, "status">): boolean {
  return type === "turned_away" && status === "unknown";
}

/**
 * Writes down, inside the caller's transaction, that the answer left open what became of a leg: it is looked for. What the answer is
 * certain of all the same is kept.
 */
export function recordLost(
  store: Store,
  attempt: Attempt,
  {
    leg,
    event,
    reply,
    nowMs,
  }: { leg: Leg; event: LegEvent & { type: "lost" | "fills_seen" }; reply: Reply; nowMs: number },
): void {
  const reason = event.type === "lost" ? event.reason : PART_FILLED;
  markAmbiguous(store, attempt, { reason, text: wordsOf(reply), nowMs });
  if (event.type === "fills_seen") recordLegEvent(store, leg.cloid, event, nowMs);
}

const PART_FILLED = "the exchange filled a part and may have left the rest open";

function wordsOf(reply: Reply): string | null {
  return reply.kind === "ambiguous" ? wordsWithoutProof(reply) : heardRefusal(reply);
}

/**
 * Raises the alarm where the answer names an order that stands in another market, or another order: the order is `unknown`,
 * and is pursued. It is `settled` because nobody waits for what that finds.
 */
export async function recordElsewhere(
  world: Recording & With<"log" | "markets" | "store">,
  settling: Pick<Settling, "pursue">,
  placing: Placing,
  difference: Difference,
): Promise<"settled"> {
  const { leg, attempt } = placing;
  const reason = answeredFor(difference);
  const nowMs = world.clock.nowMs();
  await world.commits.outcome((store) => markAmbiguous(store, attempt, { reason, text: null, nowMs }), false);
  raiseAlarm(world, findLegByCloid(world.store, leg.cloid) ?? leg, difference);
  void settling.pursue(attempt.id);
  return "settled";
}

/** Why an answer that names something else has to be looked up. */
export function answeredFor({ words }: Difference): string {
  return `the exchange answered for ${words}`;
}

/**
 * Weakens a refusal of a placing: it names no order, and the answer may be another's. Whatever shows the order overrules it, as
 * where the refusal may have left its number unused.
 */
export function asFarAsNamed(event: LegEvent, reply: Reply): LegEvent {
  if (event.type !== "rejected") return event;
  return { type: "turned_away", reason: event.reason, isNumberUsed: !mayBeCopied(reply) };
}

/** Refused before its number was looked at. */
function mayBeCopied(reply: Reply): boolean {
  return reply.kind === "refused" && mayLeaveNumber(reply.text);
}

/**
 * What the answer to a placing says of the leg, for a first placing and for the placing half of a modify. `lost`, or `fills_seen` where
 * a part is certain, says that it has to be looked for (`isOpenStill`). Pure.
 */
export function readPlaceReply(leg: Leg, reply: Reply): LegEvent {
  if (reply.kind === "ambiguous") return lost(lostReason(reply.reason));
  if (reply.kind === "refused") return refused(reply.text);
  // Of which kind it is was asked when it came (`wire/answer/fitting`).
  const [entry] = reply.statuses;
  switch (entry?.kind) {
    case "resting":
      if (!isOurs(entry.cloid, leg.cloid)) return lost("the exchange answered for another order");
      if (isImmediate(leg)) return lost("the exchange answered that an ioc rests");
      return { type: leg.trigger === null ? "rested" : "armed", oid: entry.oid };
    case "filled":
      if (!isOurs(entry.cloid, leg.cloid)) return lost("the exchange answered for another order");
      return readFilled(leg, entry.oid, filledAt(entry.totalSize, entry.averagePrice));
    case "waiting_for_trigger":
    case "waiting_for_fill":
      return leg.trigger === null
        ? lost("the exchange answered that an order without a trigger waits for one")
        : { type: "armed", oid: null };
    case "error":
      return isListedRefusal(entry.text) ? refused(entry.text) : lost("an answer that is new to us");
    case "success":
    case "running":
    case undefined:
      return lost("the exchange's answer is not one to an order");
  }
}

function readFilled(leg: Leg, oid: string, filled: Filled): LegEvent {
  const { size: asked } = leg;
  // Neither more than was asked for nor nothing can have been filled.
  const isPossible = compare(filled.size, asked) <= 0 && compare(filled.size, ZERO) > 0;
  if (!isPossible) return lost("the exchange answered with a size that cannot be");
  if (compare(filled.size, asked) === 0) return { type: "filled", oid, filled };
  // The answer's total is complete evidence for an order that can never rest.
  if (isImmediate(leg)) {
    // Whether it only reduces does not matter: an ioc ends short for want of a match.
    const reason = shortReason({ timeInForce: "ioc", reduceOnly: false }, filled.size, asked);
    return { type: "canceled", oid, reason, filled };
  }
  return { type: "fills_seen", filled };
}

/** It can never rest, and waits for no trigger. */
function isImmediate({ timeInForce, trigger }: Leg): boolean {
  return timeInForce === "ioc" && trigger === null;
}

/** True where what an answer says of a leg proves no end and no place in the book: it has to be looked for. */
export function isOpenStill(event: LegEvent): event is LegEvent & { type: "lost" | "fills_seen" } {
  return event.type === "lost" || event.type === "fills_seen";
}

/**
 * Whether one look at the exchange gives back what an answer has said, so that it may be told before it is on the disk. Not that a
 * trigger was taken: if it fires at once, a look may show its refusal alone. Nor a refusal, of which the exchange keeps no record. Nor an
 * immediate order that ended short: a look would show it as "filled", with a size that is left, and what became of that only the
 * fills tell, which may be late.
 */
export function canBeReadAgain({ type }: LegEvent): boolean {
  return type === "rested" || type === "filled";
}

function refused(text: string): LegEvent {
  return { type: "rejected", reason: plainWords(text), oid: null };
}

/** It proves nothing: what became of the order has to be looked up. */
function lost(reason: string): LegEvent & { type: "lost" } {
  return { type: "lost", reason };
}

/** True where the answer names our client order id: an answer without one may be about another's order. */
function isOurs(answered: string | null, cloid: string): boolean {
  return answered === cloid;
}

const LOST_REASONS: Partial<Record<AmbiguousReason, string>> = {
  rate_limited: "the exchange answered that we are too fast; whether the action was taken is being looked up",
  nonce: "the exchange says that the action's number is used; whether by this action is being looked up",
  unlisted_text: "the exchange answered in words that are new to us; what became of the action is being looked up",
  contradicted:
    "the exchange refused the action, and shows what it was to do all the same; what became of it is being looked up",
  expired: "the exchange says that the action came too late; whether a copy was in time is being looked up",
};

/** Why the outcome is not known, in words for the order's `error`. */
export function lostReason(reason: AmbiguousReason): string {
  return LOST_REASONS[reason] ?? "the exchange's answer was lost; what became of the action is being looked up";
}

/** The exchange's own words where its answer to an action was a refusal that is not listed; null for anything else. */
export function heardRefusal(reply: Reply): string | null {
  if (reply.kind === "ambiguous") return reply.reason === "unlisted_text" ? reply.text : null;
  const [entry] = reply.kind === "accepted" ? reply.statuses : [];
  return entry?.kind === "error" && !isListedRefusal(entry.text) ? entry.text : null;
}
