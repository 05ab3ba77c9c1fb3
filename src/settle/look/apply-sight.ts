import { ALARM } from "../../core/alarm.ts";
import { isClosed, isNamedByLead, type Leg } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { findLegByCloid } from "../../store/legs.ts";
import { appendNote, hasNote, listNotes } from "../../store/notes.ts";
import { findOrder } from "../../store/orders.ts";
import type { Difference } from "../evidence/difference.ts";
import { DIFFERENCE, OF_ANOTHER_NAME } from "../evidence/namesake.ts";
import { finishOrderAttempt, recordLegEvent } from "../record/record.ts";
import type { Sight } from "./look.ts";

/**
 * Writes down what a look showed of a leg. Seeing it is also the answer to the placing that was still open. It waits for
 * the disk: what has been told must not be unknown again because another node is asked after a power cut.
 */
export function applySight(world: With<"clock" | "log" | "markets" | "store">, leg: Leg, sight: Sight): void {
  if (sight.kind === "foreign") {
    raiseAlarm(world, leg, sight.difference);
    dropLead(world, leg, sight.difference);
  }
  if (sight.beside !== undefined) tellBeside(world, leg, sight.beside);
  if (sight.doubt != null) noteDoubt(world, leg, sight.doubt);
  const events = "events" in sight ? (sight.events ?? []) : [];
  if (events.length === 0 && sight.kind !== "seen") return;
  const nowMs = world.clock.nowMs();
  inTransaction(world.store, () => {
    for (const event of events) recordLegEvent(world.store, leg.cloid, event, nowMs);
    // Shown open by a server that is behind, while a cancel of it was answered: what its key answers is not known yet.
    if (sight.kind !== "seen" || findLegByCloid(world.store, leg.cloid)?.state === "closing") return;
    for (const attempt of listAttemptsOf(world.store, leg.orderId)) {
      if (attempt.state === "done" || attempt.kind !== "place" || attempt.cloid !== leg.cloid) continue;
      finishOrderAttempt(world.store, attempt, { nowMs });
    }
  });
}

/** Once: what is shown of the order itself, right after that and at every look, takes the alarm back. */
function tellBeside(world: With<"clock" | "log" | "markets" | "store">, leg: Leg, beside: Difference): void {
  const isTold = listNotes(world.store, leg.orderId).some(({ detail }) => detail === differenceDetail(leg, beside));
  if (!isTold) raiseAlarm(world, leg, beside);
}

/** Once for what is contradicted: where it stands is told by its status, and why in its story. */
function noteDoubt({ store, clock }: With<"clock" | "store">, { orderId }: Leg, detail: string): void {
  if (hasNote(store, orderId, DOUBTED_END, detail)) return;
  inTransaction(store, () =>
    appendNote(store, { resourceId: orderId, attemptId: null, atMs: clock.nowMs(), what: DOUBTED_END, detail }),
  );
}

/** What the story calls it. */
const DOUBTED_END = "end in doubt";

/** With the native id where that is certainly another's, and none of ours has it. */
function differenceDetail(
  leg: Leg,
  { words, oid, mayBeOurs }: Pick<Difference, "words" | "oid" | "mayBeOurs">,
): string {
  const isAnothers = !mayBeOurs && (leg.oid !== oid || isNamedByLead(leg));
  return isAnothers ? `${anothers(leg, oid)}${words}` : `${leg.cloid}: ${words}`;
}

function anothers({ cloid }: Leg, oid: string): string {
  return `${cloid} ${oid}: `;
}

/**
 * What has this native id was once shown to be another's order under our client order id. Its record may be kept no longer, and its fills and its
 * feed tell less of it than that: they name nothing.
 */
export function isKnownAnothers({ store }: With<"store">, leg: Leg, oid: string): boolean {
  return leg.oid !== oid && hasNote(store, leg.orderId, DIFFERENCE, anothers(leg, oid));
}

/** A fill had named it, and what has that name is another's: ours is looked for by its client order id again. */
function dropLead(world: With<"clock" | "store">, leg: Leg, { oid }: Difference): void {
  if (leg.oid !== oid || !isNamedByLead(leg)) return;
  const nowMs = world.clock.nowMs();
  inTransaction(world.store, () => recordLegEvent(world.store, leg.cloid, { type: "misnamed", oid }, nowMs));
}

/** What notes call it that the exchange shows an order of ours in another market: what its keys have answered was not so. */
export const ELSEWHERE = "stands in another market";

/** What notes call it that lists of after its end have shown an order of ours open: what its keys have answered was not so. */
export const LISTED_AFTER_END = "listed as open after its end";

/**
 * What the exchange shows under an id of ours is not what was asked for, or not what it had told: nothing of it is believed, and it
 * is told.
 */
export function raiseAlarm(world: With<"clock" | "log" | "markets" | "store">, leg: Leg, difference: Difference): void {
  const { words, isOtherMarket, isListedSince = false, isOfAnotherName = false, oid } = difference;
  // Under our client order id alone it is another order, and says nothing of where ours stands.
  const isElsewhere = isOtherMarket && leg.oid === oid;
  const order = findOrder(world.store, leg.orderId);
  const reason = `${ALARM}: the exchange shows ${words} under the id of this order. Look at the account at the exchange.`;
  if (order === null || leg.reason?.includes(reason) === true) return;
  const doubted = { type: "doubted", reason, isElsewhere, isListed: isListedSince } as const;
  // An answer for another order says nothing of the place of this one's market.
  if (!isOfAnotherName) world.markets.doubt(order.market, { because: words, isCertain: isOtherMarket });
  world.log.error({ order_id: leg.orderId, error: reason }, "the exchange shows something else than was asked for");
  inTransaction(world.store, () => {
    appendNote(world.store, {
      resourceId: leg.orderId,
      attemptId: null,
      atMs: world.clock.nowMs(),
      what: isOfAnotherName ? OF_ANOTHER_NAME : DIFFERENCE,
      detail: differenceDetail(leg, difference),
    });
    if (isElsewhere) appendContradiction(world, leg, { what: ELSEWHERE, detail: words });
    if (isListedSince) appendContradiction(world, leg, { what: LISTED_AFTER_END, detail: oid });
    recordLegEvent(world.store, leg.cloid, doubted, world.clock.nowMs());
  });
}

function appendContradiction(
  { store, clock }: With<"clock" | "store">,
  { orderId }: Leg,
  { what, detail }: { what: string; detail: string },
): void {
  appendNote(store, { resourceId: orderId, attemptId: null, atMs: clock.nowMs(), what, detail });
}

/** The leg that still has news: the newest that is not closed, else the newest. */
export function liveLeg(legs: readonly Leg[]): Leg | null {
  return legs.findLast((leg) => !isClosed(leg)) ?? legs.at(-1) ?? null;
}
