import type { KeyAnswer } from "../../core/idempotency.ts";
import type { LegEvent } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { findLegByCloid } from "../../store/legs.ts";
import type { Store } from "../../store/open.ts";
import type { Placing } from "../../store/orders.ts";
import type { Reply } from "../../wire/answer/reply.ts";
import type { Difference } from "../evidence/difference.ts";
import { raiseAlarm } from "../look/apply-sight.ts";
import { finishOrderAttempt, openAttempt, recordLegEvent, sealOf } from "../record/record.ts";
import { answeredFor, asFarAsNamed, canBeReadAgain, isOpenStill, readPlaceReply, recordLost } from "./place.ts";
import { replyTo } from "./reply-to.ts";

type ToRecord = With<"clock" | "commits" | "log" | "markets" | "store">;

/** `elsewhere`: for each order, what is shown instead of what was asked for (another market or order), or null. */
export type BatchTold = { reply: Reply; elsewhere: readonly (Difference | null)[] };

/**
 * Writes down, in one transaction, what the exchange answered to placings that left as one action. An order whose
 * outcome is still open is `unknown`, and its attempt has to be pursued; the key is answered once there are none.
 */
export async function recordBatchReply(
  world: ToRecord,
  placings: readonly Placing[],
  { reply, elsewhere }: BatchTold,
): Promise<KeyAnswer | "settled" | "open"> {
  const cloids = placings.map(({ attempt }) => attempt.cloid);
  const read = placings.map((placing, index) => {
    const difference = elsewhere[index] ?? null;
    const own = replyTo(reply, { index, cloids });
    const event: LegEvent =
      difference === null
        ? asFarAsNamed(readPlaceReply(placing.leg, own), own)
        : { type: "lost", reason: answeredFor(difference) };
    return { placing, event, own };
  });
  // Read here, once: the work below may be run a second time, and has to write what was told the first time.
  const nowMs = world.clock.nowMs();
  const outcome = await world.commits.outcome(
    (store): KeyAnswer | "settled" | "open" => {
      const answers = read.map((each) => recordOne(store, each, nowMs));
      const answer = answers.find((one) => one !== null);
      if (answer !== undefined) return answer;
      return placings.every(({ attempt }) => openAttempt(store, attempt.id) === null) ? "settled" : "open";
    },
    read.every(({ event }) => canBeReadAgain(event)),
  );
  for (const [index, { leg }] of placings.entries()) {
    const difference = elsewhere[index] ?? null;
    if (difference !== null) raiseAlarm(world, findLegByCloid(world.store, leg.cloid) ?? leg, difference);
  }
  return outcome;
}

function recordOne(
  store: Store,
  { placing, event, own }: { placing: Placing; event: LegEvent; own: Reply },
  nowMs: number,
): KeyAnswer | null {
  const { leg, attempt } = placing;
  if (isOpenStill(event)) {
    recordLost(store, attempt, { leg, event, reply: own, nowMs });
    return null;
  }
  const order = recordLegEvent(store, leg.cloid, event, nowMs);
  const change = { sentAtMs: attempt.createdAtMs, ...sealOf(event) };
  return finishOrderAttempt(store, attempt, { nowMs, change, order });
}
