/**
 * Numbers that a refusal has left unused: some server refused an action before it came to its number, and a copy of the action on
 * another way can still be executed until it has expired. Nothing is stopped before each is taken or has ended.
 */
import type { Account } from "../../core/account.ts";
import { type Attempt, EXPIRY_MARGIN_MS, endsAtMs, isNoopDue } from "../../core/attempt.ts";
import { cloidOf } from "../../core/cloid.ts";
import type { ToSend, With } from "../../deps.ts";
import { inTransaction } from "../../store/commit.ts";
import { findLegByCloid } from "../../store/legs.ts";
import { listUnusedNumbers, type Refused, sealUnused } from "../../store/unused-numbers.ts";
import { parseOrderStatus } from "../../wire/answer/order-status.ts";
import { isAnother, noteReported } from "../feed/known-leg.ts";
import { takeUnused } from "../send/seal.ts";

/** So long after its end an order is looked for, where the exchange cannot be asked at once, milliseconds. */
const LOOKED_FOR_MS = 30_000;

export function listUnused({ store, exchange }: With<"exchange" | "store">, accountId: string): Refused[] {
  return listUnusedNumbers(store, accountId, exchange.nowMs() - EXPIRY_MARGIN_MS - LOOKED_FOR_MS);
}

/**
 * One step: its number is taken, or the exchange is asked whether a copy was in time, for the last time when it has ended.
 *
 * @param lastNoopElapsedMs by number: elapsed time of the last empty action on its number
 */
export async function settleUnused(
  world: ToSend & With<"markets">,
  { tradingAddress }: Account,
  { attempt }: Refused,
  lastNoopElapsedMs: Map<number, number>,
): Promise<void> {
  const { store, clock, exchange } = world;
  const lastMs = lastNoopElapsedMs.get(attempt.nonce) ?? null;
  const hasEnded = exchange.nowMs() > endsAtMs(attempt);
  if (hasEnded || lastMs === TAKEN) {
    const isAnswered = await isLookedFor(world, tradingAddress, attempt);
    if (isAnswered && hasEnded) inTransaction(store, () => sealUnused(store, attempt, "expiry"));
    return;
  }
  if (!isNoopDue(lastMs, clock.elapsedMs(), false)) return;
  lastNoopElapsedMs.set(attempt.nonce, clock.elapsedMs());
  const answer = await takeUnused(world, attempt);
  if (answer === "ok") inTransaction(store, () => sealUnused(store, attempt, "noop"));
  else if (answer !== "no_information") lastNoopElapsedMs.set(attempt.nonce, TAKEN);
}

/** By the refused action itself, or by a copy that was executed: no empty action can tell which. */
const TAKEN = Number.POSITIVE_INFINITY;

/** False where the exchange could not be asked. What it shows is told, and goes as all that is alive does. */
async function isLookedFor(world: ToSend & With<"markets">, user: string, { resource }: Attempt): Promise<boolean> {
  const cloid = cloidOf(resource.id);
  const outcome = await world.exchange.info({ type: "orderStatus", user, oid: cloid }, { purpose: "cancel" });
  const answer = outcome.kind === "ok" ? parseOrderStatus(outcome.json) : null;
  if (answer === null || answer.kind === "unreadable") return false;
  const leg = findLegByCloid(world.store, cloid);
  if (answer.kind === "order" && leg !== null && !isAnother(world, leg, answer.order))
    noteReported(world, leg, answer.order.oid);
  return true;
}
