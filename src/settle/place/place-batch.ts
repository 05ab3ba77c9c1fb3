import type { KeyAnswer } from "../../core/idempotency.ts";
import type { With } from "../../deps.ts";
import { findLegByCloid } from "../../store/legs.ts";
import type { Store } from "../../store/open.ts";
import type { Placing } from "../../store/orders.ts";
import type { Reply } from "../../wire/answer/reply.ts";
import type { Difference } from "../evidence/difference.ts";
import { raiseAlarm } from "../look/apply-sight.ts";
import {
  type Conclusion,
  finishOrderAttempt,
  markAmbiguous,
  openAttempt,
  recordLegEvent,
  sealOf,
} from "../record/record.ts";
import { answeredFor, asFarAsNamed, lookedUp, type PlaceReading, readPlaceReply } from "./place.ts";
import { replyTo } from "./reply-to.ts";

type ToRecord = With<"clock" | "commits" | "log" | "markets" | "store">;

/** `elsewhere`: for each order, what is shown instead of what was asked for (another market or order), or null. */
export type BatchTold = { reply: Reply; elsewhere: readonly (Difference | null)[] };

type ReadPlacing = { placing: Placing; reading: PlaceReading };

/**
 * Writes down, in one transaction, what the exchange answered to placings that left as one action. An order whose
 * outcome is still open is `unknown`, and its attempt has to be pursued; the key is answered once there are none.
 */
export async function recordBatchReply(
  world: ToRecord,
  placings: readonly Placing[],
  { reply, elsewhere }: BatchTold,
): Promise<Conclusion> {
  const cloids = placings.map(({ attempt }) => attempt.cloid);
  const read = placings.map((placing, index): ReadPlacing => {
    const difference = elsewhere[index] ?? null;
    if (difference !== null) return { placing, reading: lookedUp(answeredFor(difference)) };
    const own = replyTo(reply, { index, cloids });
    return { placing, reading: asFarAsNamed(readPlaceReply(placing.leg, own), own) };
  });
  const canBeReadAgain = read.every(({ reading }) => reading.kind === "definite" && reading.canBeReadAgain);
  // Read here, once: the work below may be run a second time, and has to write what was told the first time.
  const nowMs = world.clock.nowMs();
  const outcome = await world.commits.outcome((store): Conclusion => {
    const answers = read.map((each) => recordOne(store, each, nowMs));
    const isSettled = placings.every(({ attempt }) => openAttempt(store, attempt.id) === null);
    return { isSettled, answer: answers.find((answer) => answer !== null) ?? null };
  }, canBeReadAgain);
  for (const [index, { leg }] of placings.entries()) {
    const difference = elsewhere[index] ?? null;
    if (difference !== null) raiseAlarm(world, findLegByCloid(world.store, leg.cloid) ?? leg, difference);
  }
  return outcome;
}

function recordOne(store: Store, { placing, reading }: ReadPlacing, nowMs: number): KeyAnswer | null {
  const { leg, attempt } = placing;
  if (reading.kind === "definite") {
    const order = recordLegEvent(store, leg.cloid, reading.event, nowMs);
    const change = { sentAtMs: attempt.createdAtMs, ...sealOf(reading.event) };
    return finishOrderAttempt(store, attempt, { nowMs, change, order });
  }
  markAmbiguous(store, attempt, { reason: reading.reason, text: reading.text, nowMs });
  if (reading.seen !== null) recordLegEvent(store, leg.cloid, reading.seen, nowMs);
  return null;
}
