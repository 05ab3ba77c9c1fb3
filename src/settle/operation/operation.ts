import { ALARM } from "../../core/alarm.ts";
import type { Attempt, AttemptChange } from "../../core/attempt.ts";
import type { OperationEnd } from "../../core/operation.ts";
import { operationText } from "../../core/resource.ts";
import type { With } from "../../deps.ts";
import type { MarketDoubt } from "../../exchange/exchange.ts";
import { updateAttempt } from "../../store/attempts.ts";
import { expectBotTwap } from "../../store/bot-twaps.ts";
import { inTransaction } from "../../store/commit.ts";
import { storeAnswer } from "../../store/idempotency.ts";
import { findOperation, isTwapOfAnother, type StoredOperation, updateOperation } from "../../store/operations.ts";
import { isListedRefusal, mayLeaveNumber, plainWords, printable } from "../../wire/answer/refusal.ts";
import { type Reply, wordsWithoutProof } from "../../wire/answer/reply.ts";
import { foundNothing } from "../cancel/cancel.ts";
import { lostReason } from "../place/place.ts";
import { note, OVERRULED } from "../record/note.ts";
import { openAttempt } from "../record/record.ts";

export function operationOf(world: With<"store">, attempt: Attempt): StoredOperation {
  const operation = findOperation(world.store, attempt.resource.id);
  if (operation === null) throw new Error("bug: an attempt without its operation");
  return operation;
}

/** Ends an operation, its attempt and its key's answer in one transaction, on disk: the exchange keeps none of it. */
export function finishOperation(
  world: With<"clock" | "store">,
  attempt: Attempt,
  end: OperationEnd,
  kept: Pick<AttemptChange, "answerText" | "seal"> = {},
): void {
  inTransaction(world.store, () => {
    const change = {
      status: end.status,
      exchangeId: end.status === "rejected" ? null : (end.exchangeId ?? null),
      error: end.status === "succeeded" ? null : end.error,
    };
    const nowMs = world.clock.nowMs();
    const isFirst = updateAttempt(world.store, attempt, { state: "done", settledAtMs: nowMs, ...kept });
    if (!isFirst) return;
    updateOperation(world.store, attempt.resource.id, change, nowMs);
    const body = operationText({ ...operationOf(world, attempt), ...change });
    // What stays unknown for good stays 202: the stored answer is for what is known.
    if (end.status === "unknown") return;
    storeAnswer(world.store, attempt, { status: 200, body });
  });
}

/**
 * Writes down what the exchange answered to an operation. Returns false when the outcome is still open and has to be
 * pursued.
 */
export function recordOperationReply(world: With<"clock" | "store">, attempt: Attempt, reply: Reply): boolean {
  const named = namedIn(reply);
  if (named !== null && isTwapOfAnother(world.store, named, attempt.resource.id)) {
    // It was given to another TWAP of ours: what became of this one it does not say.
    return recordOperationReply(world, attempt, { kind: "ambiguous", reason: "unreadable", text: null });
  }
  if (named !== null) return !noteNamed(world, attempt, named);
  const isMissing = saysNothingToCancel(attempt, reply);
  const end = isMissing ? null : readReply(reply);
  if (end !== null) {
    finishOperation(world, attempt, end, keptOf(attempt, reply));
    return true;
  }
  const lost = lostReason(reply.kind === "ambiguous" ? reply.reason : "unlisted_text");
  const reason = isMissing ? "the exchange did not find the TWAP; whether it runs is being looked up" : lost;
  const text = keptText(reply);
  return inTransaction(world.store, () => {
    const answer = text === null ? {} : { answerText: text };
    const change = { state: "ambiguous", sentAtMs: attempt.createdAtMs, ...answer } as const;
    // Something else has ended it meanwhile: that its own answer is lost is no news of it.
    if (!updateAttempt(world.store, attempt, change)) return true;
    const unknown = { status: "unknown", exchangeId: null, error: reason } as const;
    updateOperation(world.store, attempt.resource.id, unknown, world.clock.nowMs());
    note(world, attempt, "outcome lost", text === null ? reason : `${reason} (${text})`);
    return false;
  });
}

/**
 * What is kept of a refusal: its words say later that the number may be unused, or that they name nothing and may be another's. Of a
 * TWAP's cancel they are looked up before anything is told.
 */
function keptOf({ kind }: Attempt, reply: Reply): Pick<AttemptChange, "answerText" | "seal"> {
  const text = refusalIn(reply);
  if (text === null) return {};
  if (mayLeaveNumber(text)) return reply.kind === "refused" ? { answerText: text } : {};
  return kind === "twap_cancel" ? {} : { answerText: text, seal: "nonce_taken" };
}

/** It was told as refused, and a copy of it was executed: the exchange shows the TWAP that was asked for. */
export function overruleTwap(world: With<"clock" | "store">, attempt: Attempt, exchangeId: string): void {
  inTransaction(world.store, () => {
    note(world, attempt, OVERRULED, `was refused, and the exchange shows it as TWAP ${exchangeId}`);
    // What a bot trades by it goes into its books again.
    expectBotTwap(world.store, operationOf(world, attempt));
    const change = { status: "succeeded", exchangeId, error: null } as const;
    updateOperation(world.store, attempt.resource.id, change, world.clock.nowMs());
  });
}

/** Native id of the TWAP that the exchange has made. */
function namedIn(reply: Reply): string | null {
  const [entry] = reply.kind === "accepted" ? reply.statuses : [];
  return entry?.kind === "running" ? entry.twapId : null;
}

const COMPARED =
  "the exchange has named a TWAP for it; that it is this one is told once something shows it as it was asked for";

/** False where something else has ended it meanwhile. */
function noteNamed(world: With<"clock" | "store">, attempt: Attempt, exchangeId: string): boolean {
  return inTransaction(world.store, () => {
    if (!updateAttempt(world.store, attempt, { state: "ambiguous", sentAtMs: attempt.createdAtMs })) {
      note(world, attempt, "contradiction", `it had ended when the exchange named it TWAP ${exchangeId}`);
      return false;
    }
    const change = { status: "unknown", exchangeId, error: COMPARED } as const;
    updateOperation(world.store, attempt.resource.id, change, world.clock.nowMs());
    return true;
  });
}

/** Says, once, what an operation without a known outcome waits for, with what the exchange had answered. */
export function tellPending(world: With<"clock" | "store">, attempt: Attempt, words: string): void {
  const waiting = `${words}${saidWith(attempt)}`;
  inTransaction(world.store, () => {
    const { exchangeId, error } = operationOf(world, attempt);
    if (error === waiting || error?.startsWith(ALARM) === true) return;
    // Its answer may have come while something was read.
    if (openAttempt(world.store, attempt.id) === null) return;
    note(world, attempt, "waiting", waiting);
    const change = { status: "unknown", exchangeId, error: waiting } as const;
    updateOperation(world.store, attempt.resource.id, change, world.clock.nowMs());
  });
}

/** What speaks against the name that the exchange has given it, as it was told; null where nothing has been seen. */
export function nameDoubtOf(world: With<"store">, attempt: Attempt): string | null {
  return nameDoubtIn(operationOf(world, attempt));
}

export function nameDoubtIn({ exchangeId, error }: Pick<StoredOperation, "error" | "exchangeId">): string | null {
  return exchangeId === null || error === COMPARED ? null : error;
}

/**
 * What the exchange shows is not what was asked for: it is told, and nothing increases in the market until its list has been
 * read again. Returns the words.
 */
export function raiseDifference(
  world: With<"clock" | "log" | "markets" | "store">,
  attempt: Attempt,
  doubt: MarketDoubt,
): string {
  const { because: difference } = doubt;
  const { id, market, exchangeId, error } = operationOf(world, attempt);
  const reason = `${ALARM}: the exchange shows ${difference} for this operation. Look at the account at the exchange.`;
  if (error === reason) return reason;
  world.markets.doubt(market, doubt);
  world.log.error({ operation_id: id, error: reason }, "the exchange shows something else than was asked for");
  inTransaction(world.store, () => {
    note(world, attempt, "difference", difference);
    updateOperation(world.store, id, { status: "unknown", exchangeId, error: reason }, world.clock.nowMs());
  });
  return reason;
}

function keptText(reply: Reply): string | null {
  return reply.kind === "ambiguous" ? wordsWithoutProof(reply) : refusalIn(reply);
}

/** The words in which the exchange has refused it; null where it has not. */
export function refusalIn(reply: Reply): string | null {
  if (reply.kind !== "accepted") return reply.kind === "refused" ? reply.text : null;
  const [entry] = reply.statuses;
  return entry?.kind === "error" ? entry.text : null;
}

/** True for the cancel of a TWAP that the exchange did not find: it says so of one that runs, too. */
export function saysNothingToCancel(attempt: Pick<Attempt, "kind">, reply: Reply): boolean {
  return attempt.kind === "twap_cancel" && foundNothing({ answerText: refusalIn(reply) });
}

function readReply(reply: Reply): OperationEnd | null {
  if (reply.kind === "refused") return { status: "rejected", error: plainWords(reply.text) };
  if (reply.kind !== "accepted") return null;
  if (reply.type === "default") return { status: "succeeded", exchangeId: null };
  const [entry] = reply.statuses;
  if (entry?.kind === "success") return { status: "succeeded", exchangeId: null };
  if (entry?.kind !== "error" || !isListedRefusal(entry.text)) return null;
  return { status: "rejected", error: plainWords(entry.text) };
}

/** Words for an operation of which it is proven that it never reached the exchange, and no longer can. */
export function neverExecuted(attempt: Attempt): OperationEnd {
  return { status: "rejected", error: `It was never executed and no longer can be.${saidWith(attempt)}` };
}

/** Words for an operation of which nothing more will be learned, with what the exchange had answered. */
export function neverProven(attempt: Attempt, words: string): OperationEnd {
  return { status: "unknown", error: `${words}${saidWith(attempt)}` };
}

/** Words for a setting that is not what was asked for, and that the action can change no more. */
export function notInForce(attempt: Attempt, words: string): OperationEnd {
  return { status: "rejected", error: `${words}${saidWith(attempt)}` };
}

function saidWith({ answerText }: Attempt): string {
  return answerText === null ? "" : ` The exchange had answered: ${printable(answerText)}`;
}

/** The exchange's own refusal in words that are not listed, whose number something of ours has taken. */
export function refusedUnlisted(text: string): OperationEnd {
  return {
    status: "rejected",
    error: `The exchange refused it, in words that are new to this gateway: "${printable(text)}"`,
  };
}
