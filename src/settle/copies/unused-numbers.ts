/**
 * Numbers that a refusal has left unused: some server refused an action before it came to its number, and a copy of the action on
 * another way can still be executed until it has expired. No stop and no trade is at its end before each is taken or has ended.
 */
import type { Account } from "../../core/account.ts";
import { copiesSinceMs, endsAtMs, isNoopDue } from "../../core/attempt.ts";
import type { ToSend, With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { sealUnused, type UnusedNumber } from "../../store/unused-numbers.ts";
import { takeUnused } from "../send/seal.ts";
import { lookForCopy } from "./late-copies.ts";

/** By number: what is kept in mind of it between two steps. Losing it costs requests. */
export type NumbersMemory = Map<
  number,
  { noopElapsedMs: number | null; isTaken: boolean; lookElapsedMs: number | null }
>;

/** Between two questions for the same copy, milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** What was refused so long ago that nobody looks for a copy of it any more is at its end. */
export function endUnused({ store, exchange }: With<"exchange" | "store">, orderId: string): void {
  const sinceMs = copiesSinceMs(exchange.nowMs());
  const old = listAttemptsOf(store, orderId).filter(({ cloid, state, seal, expiresAtMs }) => {
    return cloid !== null && state === "done" && seal === null && expiresAtMs <= sinceMs;
  });
  if (old.length === 0) return;
  inTransaction(store, () => {
    for (const attempt of old) sealUnused(store, attempt, "expiry");
  });
}

/** One step: its number is taken, or the exchange is asked whether a copy was in time, for the last time when it has ended. */
export async function settleUnused(
  world: ToSend & With<"markets">,
  account: Account,
  refused: UnusedNumber,
  memory: NumbersMemory,
): Promise<void> {
  const { store, clock, exchange } = world;
  const { attempt } = refused;
  const known = memory.get(attempt.nonce) ?? { noopElapsedMs: null, isTaken: false, lookElapsedMs: null };
  memory.set(attempt.nonce, known);
  const nowMs = clock.elapsedMs();
  const hasEnded = exchange.nowMs() > endsAtMs(attempt);
  if (hasEnded || known.isTaken) {
    if (known.lookElapsedMs !== null && nowMs - known.lookElapsedMs < LOOK_EVERY_MS) return;
    known.lookElapsedMs = nowMs;
    const sight = await lookForCopy(world, account, refused, "cancel");
    if (sight === "silent" && hasEnded) inTransaction(store, () => sealUnused(store, attempt, "expiry"));
    return;
  }
  if (!isNoopDue(known.noopElapsedMs, nowMs, false)) return;
  known.noopElapsedMs = nowMs;
  const answer = await takeUnused(world, attempt);
  if (answer === "ok") inTransaction(store, () => sealUnused(store, attempt, "noop"));
  // By the refused action itself, or by a copy that was executed: no empty action can tell which.
  else if (answer !== "no_information") known.isTaken = true;
}
