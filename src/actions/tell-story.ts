import type { Attempt } from "../core/attempt.ts";
import { uuidOfCloid } from "../core/cloid.ts";
import { ApiError } from "../core/errors.ts";
import { WITNESSES_NEEDED } from "../core/evidence.ts";
import { keyAsSent } from "../core/idempotency.ts";
import type { Leg } from "../core/order.ts";
import { isoTime, orderResource } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { sweepRequests } from "../settle/look/sweep.ts";
import { findAttemptByCloid, listAttemptsOf } from "../store/attempts.ts";
import { listLegs } from "../store/legs.ts";
import { listNotes, type Note } from "../store/notes.ts";
import type { Store } from "../store/open.ts";
import type { StoredOrder } from "../store/orders.ts";
import { awaitsTakeUp } from "../store/restores.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { findStored } from "./find-order.ts";
import { type SeenParts, waitsFor } from "./waits-for.ts";

/** Something that happened to an order, with the wall time at which we wrote it down. */
type StoryStep = { atMs: number; what: string; detail: string };

/** `GET /v1/orders/{id}/story`: how an order came to its status, from what is stored. Asks the exchange nothing. */
export function tellStory(deps: With<"exchange" | "settings" | "store">, caller: Caller, givenId: string): ReadAnswer {
  const order = findStored(deps, caller, givenId.toLowerCase());
  if (order === null) {
    throw new ApiError("order_not_found", "There is no such order in this gateway's history of this account.");
  }
  const sweep = sweepRequests(deps, caller.account.tradingAddress, order.createdAtMs);
  const weightWaitS = deps.exchange.budgetWaitS("settle", sweep);
  return { body: JSON.stringify(storyOf(deps.store, order, weightWaitS)), asOfMs: null };
}

/** The story as it is told to a client and, by the command line, to the operator. */
export function storyOf(store: Store, order: StoredOrder, weightWaitS = 0) {
  const legs = listLegs(store, order.id);
  const attempts = attemptsOf(store, order.id, legs);
  const isReleased = order.releasedAtMs !== null;
  const seen = { legs, isReleased, isAwaiting: awaitsTakeUp(store, order.accountId), weightWaitS };
  const steps = stepsOf({ order, legs, attempts, notes: listNotes(store, order.id) });
  return {
    object: "order_story" as const,
    order: orderResource(order),
    legs: legs.map(legResource),
    attempts: attempts.map((attempt) => attemptResource(attempt, seen)),
    steps: steps.map(({ atMs, what, detail }) => ({ at: isoTime(atMs), what, detail })),
  };
}

/** What stands beside what it was to replace was placed by a modify of that order. */
function attemptsOf(store: Store, orderId: string, legs: readonly Leg[]): Attempt[] {
  const own = listAttemptsOf(store, orderId);
  const known = new Set(own.map(({ id }) => id));
  const placedBy = legs.flatMap(({ cloid }) => findAttemptByCloid(store, cloid) ?? []);
  return [...placedBy.filter(({ id }) => !known.has(id)), ...own];
}

function legResource(leg: Leg) {
  const { cloid, oid, size, price, timeInForce, trigger, state, filledSize, reason } = leg;
  return {
    client_order_id: cloid,
    exchange_order_id: oid,
    size,
    price,
    time_in_force: timeInForce,
    ...(trigger === null ? {} : { trigger }),
    // That an answer refused it is told as that, though whatever shows it overrules it.
    state: state === "absent" && leg.isExchangesWord ? "rejected" : state,
    filled_size: filledSize,
    reason,
  };
}

function attemptResource(attempt: Attempt, seen: SeenParts) {
  return {
    action: attempt.kind,
    idempotency_key: keyAsSent(attempt.idempotencyKey),
    state: attempt.state,
    nonce: attempt.nonce,
    client_order_id: attempt.cloid,
    target_exchange_order_id: attempt.targetOid,
    created_at: isoTime(attempt.createdAtMs),
    expires_at: isoTime(attempt.expiresAtMs),
    settled_at: attempt.settledAtMs === null ? null : isoTime(attempt.settledAtMs),
    noops: attempt.noops,
    seal: attempt.seal,
    negative_looks: attempt.negatives,
    looks_needed: attempt.seal === null || attempt.seal === "noop" ? null : WITNESSES_NEEDED,
    waits_for: waitsFor(attempt, seen),
    exchange_text: attempt.answerText,
  };
}

type StoryTold = { order: StoredOrder; legs: readonly Leg[]; attempts: readonly Attempt[]; notes: readonly Note[] };

/** Oldest first; what carries the same time keeps the order in which it was written. */
function stepsOf({ order, legs, attempts, notes }: StoryTold): StoryStep[] {
  const legByCloid = new Map(legs.map((leg) => [leg.cloid, leg]));
  const steps: StoryStep[] = [
    { atMs: order.createdAtMs, what: "taken", detail: `${order.side} ${order.market}` },
    ...attempts.map((attempt) => storedStep(order, attempt, legByCloid.get(attempt.cloid ?? ""))),
    ...notes.map(({ atMs, what, detail }) => ({ atMs, what, detail })),
    ...attempts.flatMap((attempt) => settledStep(attempt, legByCloid.has(attempt.cloid ?? ""))),
    ...canceledStep(order, legs, attempts),
  ];
  return steps.sort((a, b) => a.atMs - b.atMs);
}

function storedStep(order: Pick<StoredOrder, "id">, attempt: Attempt, leg: Leg | undefined): StoryStep {
  const { kind, nonce, createdAtMs, expiresAtMs, resource } = attempt;
  const terms = leg === undefined ? "" : ` ${leg.size} at ${leg.price} ${leg.timeInForce}`;
  const of = resource.id === order.id ? "" : ` of the order ${resource.id}`;
  const detail = `${kind}${of}${terms}, to be signed with nonce ${nonce}; the exchange takes it until ${isoTime(expiresAtMs)}`;
  return { atMs: createdAtMs, what: "intent stored", detail };
}

function settledStep({ kind, settledAtMs, answerText, cloid }: Attempt, isLegHere: boolean): StoryStep[] {
  if (settledAtMs === null) return [];
  const said = answerText === null ? "" : `; the exchange had answered: ${answerText}`;
  // What it placed stands beside this order, and is one of its own.
  const beside =
    kind === "modify" && cloid !== null && !isLegHere ? `; what it placed is the order ${uuidOfCloid(cloid)}` : "";
  return [{ atMs: settledAtMs, what: "settled", detail: `${kind}${beside}${said}` }];
}

/**
 * Nothing else in a story says of an order that somebody else has canceled, by hand, by another key of the wallet or by a rule of the exchange, that
 * it was: who it was the exchange tells only where it is a rule of its own. With the time of the last news of the order.
 */
function canceledStep(order: StoredOrder, legs: readonly Leg[], attempts: readonly Attempt[]): StoryStep[] {
  const ended = legs.findLast(({ state }) => state === "canceled");
  if (order.status !== "canceled" || ended === undefined) return [];
  const enders = attempts.filter(({ kind, sentAtMs }) => sentAtMs !== null && (kind === "cancel" || kind === "modify"));
  if (enders.some(({ kind, hasLanded }) => kind === "cancel" && hasLanded)) return [];
  const why =
    ended.reason?.replace(/\.$/, "") ??
    "the exchange tells no more than that, and by that word it may be anybody's cancel";
  const ours = [...new Set(enders.map(({ kind }) => kind))].join(" and a ");
  const byUs =
    ours === ""
      ? "no cancel and no modify of it was sent by this gateway"
      : `a ${ours} of it was sent by this gateway, and no answer says that a cancel was carried out`;
  return [{ atMs: order.seenAtMs ?? order.createdAtMs, what: "canceled", detail: `${why}; ${byUs}` }];
}
