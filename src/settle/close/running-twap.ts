/** Whether a TWAP may still increase what a close has closed: what protects that has to stay then, as it does for an order. */
import type { Attempt } from "../../core/attempt.ts";
import type { Close } from "../../core/close.ts";
import { unnamedTwapEndsAtMs } from "../../core/rails/twap-end.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf, listOpenAttempts } from "../../store/attempts.ts";
import { findBotTwap } from "../../store/bot-twap-rows.ts";
import { botOf } from "../../store/bots.ts";
import { findOperation, listSentTwaps, listTwapCancels, type StoredOperation } from "../../store/operations.ts";
import { twapIdIn } from "../stop/cancel-twaps.ts";
import { askedTwap } from "../stop/remaining.ts";

/** Cancels of a TWAP that are looked through. */
const MAX_CANCELS = 1_000;

/**
 * Ids of the operations. By our rows alone: one that ended before its minutes were over, and that neither we have canceled nor a bot's books
 * know to be over, counts until then, since a trigger that stays harms less than one that is missed.
 */
export function listRunningTwaps(
  { store, exchange }: With<"exchange" | "store">,
  { accountId, market }: Close,
  isTouched: (keyHash: string | null) => boolean,
): string[] {
  const open = listOpenAttempts(store).flatMap(({ kind, accountId: of, resource }) =>
    kind === "twap" && of === accountId ? (findOperation(store, resource.id) ?? []) : [],
  );
  const canceled = new Set(
    listTwapCancels(store, accountId, MAX_CANCELS).map(({ parameters }) => twapIdIn(parameters)),
  );
  const running = [...listSentTwaps(store, accountId), ...open].filter((operation) => {
    const { id, market: its, keyHash, exchangeId } = operation;
    if (its !== market || !isTouched(keyHash) || askedTwap(operation).reduce_only) return false;
    if (exchangeId !== null && canceled.has(exchangeId)) return false;
    const isOverInBooks = botOf(store, keyHash) !== null && findBotTwap(store, id) === null;
    return !isOverInBooks && mayRun(operation, listAttemptsOf(store, id)[0], exchange.nowMs());
  });
  return [...new Set(running.map(({ id }) => id))];
}

function mayRun(operation: StoredOperation, attempt: Attempt | undefined, exchangeMs: number): boolean {
  if (attempt === undefined || attempt.seal === "noop") return false;
  return attempt.state !== "done" || exchangeMs <= unnamedTwapEndsAtMs(attempt, askedTwap(operation).duration_minutes);
}
