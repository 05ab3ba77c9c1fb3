import { compare, ZERO } from "../../core/decimal.ts";
import { filledAt, type Leg, type LegEvent } from "../../core/order.ts";
import type { Settling, With } from "../../deps.ts";
import { findLegByCloid } from "../../store/legs.ts";
import type { Placing } from "../../store/orders.ts";
import { isListedRefusal, mayLeaveNumber, plainWords } from "../../wire/answer/refusal.ts";
import type { AmbiguousReason, Reply, StatusEntry } from "../../wire/answer/reply.ts";
import type { Difference } from "../evidence/difference.ts";
import { raiseAlarm } from "../look/apply-sight.ts";
import { shortReason } from "../look/ended.ts";
import {
  type Conclusion,
  finishOrderAttempt,
  markAmbiguous,
  recordLegEvent,
  sealOf,
  settlePlacing,
} from "../record/record.ts";

/**
 * What the answer to a placing says of the leg: a fact, or why it has to be looked for. `canBeReadAgain`: one look at
 * the exchange gives the fact back, so it may be told before it is on the disk. `text`: the exchange's own words;
 * `seen`: what is certain all the same.
 */
export type PlaceReading =
  | { kind: "definite"; event: LegEvent; canBeReadAgain: boolean }
  | { kind: "look"; reason: string; text: string | null; seen: LegEvent | null };

type Recording = With<"clock" | "commits">;

/**
 * Writes down what the exchange answered to a placing, in one transaction with whatever else this turn writes. Where
 * the outcome is still open, the order is `unknown` and the attempt has to be pursued.
 */
export function recordPlaceReply(world: Recording, placing: Placing, reply: Reply): Promise<Conclusion> {
  const { leg, attempt } = placing;
  const reading = asFarAsNamed(readPlaceReply(leg, reply), reply);
  const canBeReadAgain = reading.kind === "definite" && reading.canBeReadAgain;
  // Read here, once: the work below may be run a second time, and has to write what was told the first time.
  const nowMs = world.clock.nowMs();
  return world.commits.outcome((store): Conclusion => {
    if (reading.kind === "look") {
      markAmbiguous(store, attempt, { reason: reading.reason, text: reading.text, nowMs });
      if (reading.seen !== null) recordLegEvent(store, leg.cloid, reading.seen, nowMs);
      return { isSettled: false, answer: null };
    }
    const settled = settlePlacing(store, placing, reading.event, nowMs);
    if (settled !== null) return { isSettled: true, answer: settled };
    const order = recordLegEvent(store, leg.cloid, reading.event, nowMs);
    const end = { nowMs, change: { sentAtMs: attempt.createdAtMs, ...sealOf(reading.event) }, order };
    return { isSettled: true, answer: finishOrderAttempt(store, attempt, end) };
  }, canBeReadAgain);
}

/**
 * Raises the alarm where the answer names an order that stands in another market, or another order: the order is `unknown`,
 * and is pursued. `isSettled` is true because nobody waits for what that finds.
 */
export async function recordElsewhere(
  world: Recording & With<"log" | "markets" | "store">,
  settling: Pick<Settling, "pursue">,
  placing: Placing,
  difference: Difference,
): Promise<Conclusion> {
  const { leg, attempt } = placing;
  const reason = answeredFor(difference);
  const nowMs = world.clock.nowMs();
  await world.commits.outcome((store) => markAmbiguous(store, attempt, { reason, text: null, nowMs }), false);
  raiseAlarm(world, findLegByCloid(world.store, leg.cloid) ?? leg, difference);
  void settling.pursue(attempt.id);
  return { isSettled: true, answer: null };
}

/** Why an answer that names something else has to be looked up. */
export function answeredFor({ words }: Difference): string {
  return `the exchange answered for ${words}`;
}

/**
 * Weakens a refusal of a placing: it names no order, and the answer may be another's. Whatever shows the order overrules it, as
 * where the refusal may have left its number unused.
 */
export function asFarAsNamed(reading: PlaceReading, reply: Reply): PlaceReading {
  if (reading.kind !== "definite" || reading.event.type !== "rejected") return reading;
  return {
    ...reading,
    event: { type: "turned_away", reason: reading.event.reason, isNumberUsed: !mayBeCopied(reply) },
  };
}

/** Refused before its number was looked at. */
function mayBeCopied(reply: Reply): boolean {
  return reply.kind === "refused" && mayLeaveNumber(reply.text);
}

/** Pure reading of an answer, for a first placing and for the placing half of a modify. */
export function readPlaceReply(leg: Leg, reply: Reply): PlaceReading {
  if (reply.kind === "ambiguous") {
    // What the connection said is not the exchange's word, and must not be shown as that.
    const text = reply.reason === "no_answer" ? null : reply.text;
    return { kind: "look", reason: lostReason(reply.reason), text, seen: null };
  }
  if (reply.kind === "refused") return refused(reply.text);
  const [entry] = reply.statuses;
  // Of which kind it is was asked when it came (`wire/answer/fitting`).
  return entry === undefined ? lookedUp("the exchange's answer is not one to an order") : readEntry(leg, entry);
}

function readEntry(leg: Leg, entry: StatusEntry): PlaceReading {
  switch (entry.kind) {
    case "resting":
      if (!isOurs(entry.cloid, leg.cloid)) return lookedUp("the exchange answered for another order");
      if (isImmediate(leg)) return lookedUp("the exchange answered that an ioc rests");
      return leg.trigger === null ? definite({ type: "rested", oid: entry.oid }) : armed(entry.oid);
    case "filled":
      if (!isOurs(entry.cloid, leg.cloid)) return lookedUp("the exchange answered for another order");
      return readFilled(leg, entry);
    case "waiting_for_trigger":
    case "waiting_for_fill":
      return leg.trigger === null
        ? lookedUp("the exchange answered that an order without a trigger waits for one")
        : armed(null);
    case "error":
      return isListedRefusal(entry.text)
        ? refused(entry.text)
        : { ...lookedUp("an answer that is new to us"), text: entry.text };
    case "success":
    case "running":
      return lookedUp("the exchange's answer is not one to an order");
  }
}

function readFilled(leg: Leg, entry: StatusEntry & { kind: "filled" }): PlaceReading {
  const { size: asked } = leg;
  // Neither more than was asked for nor nothing can have been filled.
  const isPossible = compare(entry.totalSize, asked) <= 0 && compare(entry.totalSize, ZERO) > 0;
  if (!isPossible) return lookedUp("the exchange answered with a size that cannot be");
  const filled = filledAt(entry.totalSize, entry.averagePrice);
  if (compare(entry.totalSize, asked) === 0) return definite({ type: "filled", oid: entry.oid, filled });
  // The answer's total is complete evidence for an order that can never rest.
  if (isImmediate(leg)) {
    // Whether it only reduces does not matter: an ioc ends short for want of a match.
    const reason = shortReason({ timeInForce: "ioc", reduceOnly: false }, entry.totalSize, asked);
    // A look would show it as "filled", with a size that is left: what became of that only the fills tell, which may be
    // late.
    return { kind: "definite", event: { type: "canceled", oid: entry.oid, reason, filled }, canBeReadAgain: false };
  }
  return {
    ...lookedUp("the exchange filled a part and may have left the rest open"),
    seen: { type: "fills_seen", filled },
  };
}

/** It can never rest, and waits for no trigger. */
function isImmediate({ timeInForce, trigger }: Leg): boolean {
  return timeInForce === "ioc" && trigger === null;
}

/** A fact about an order that the exchange's answer names: one look at the order gives it back. */
function definite(event: LegEvent): PlaceReading {
  return { kind: "definite", event, canBeReadAgain: true };
}

/** A trigger was taken. If it fires at once, a look may show its refusal alone: so no look gives this fact back. */
function armed(oid: string | null): PlaceReading {
  return { kind: "definite", event: { type: "armed", oid }, canBeReadAgain: false };
}

/** A refusal: the exchange keeps no record of it, so no look gives it back. */
function refused(text: string): PlaceReading {
  const event = { type: "rejected", reason: plainWords(text), oid: null } as const;
  return { kind: "definite", event, canBeReadAgain: false };
}

/** A reading that proves nothing: what became of the order has to be looked up. */
export function lookedUp(reason: string): PlaceReading & { kind: "look" } {
  return { kind: "look", reason, text: null, seen: null };
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
