/** Whether a TWAP may still increase what a close has closed: what protects that has to stay then, as it does for an order. */
import type { Close } from "../../core/close.ts";
import type { With } from "../../deps.ts";
import { listOpenAttempts } from "../../store/attempts.ts";
import { findBotTwap, listBotTwaps } from "../../store/bot-twap-rows.ts";
import { botOf } from "../../store/bots.ts";
import { findOperation, listCanceledTwaps, listSentTwaps } from "../../store/operations.ts";
import { mayTwapRun } from "../stop/cancel-twaps.ts";
import { askedTwap } from "../stop/remaining.ts";

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
  const canceled = listCanceledTwaps(store, accountId);
  const running = [...listSentTwaps(store, accountId), ...open].filter((operation) => {
    const { id, market: its, keyHash, exchangeId } = operation;
    if (its !== market || !isTouched(keyHash) || askedTwap(operation).reduce_only) return false;
    if (exchangeId !== null && canceled.has(exchangeId)) return false;
    const isOverInBooks = botOf(store, keyHash) !== null && findBotTwap(store, id) === null;
    return !isOverInBooks && mayTwapRun({ store, exchange }, operation);
  });
  return [...new Set(running.map(({ id }) => id))];
}

/** Of a bot that closes its own: those in its market that run no more by our rows, and of which its books may lack fills. */
export function listUnbookedTwaps(world: With<"exchange" | "store">, close: Close): string[] {
  const { accountId, market, keyHash, touches } = close;
  const bot = touches === "own" ? botOf(world.store, keyHash) : null;
  if (bot === null) return [];
  const running = listRunningTwaps(world, close, (placedBy) => botOf(world.store, placedBy) === bot);
  return listBotTwaps(world.store, accountId)
    .filter((twap) => twap.bot === bot && twap.market === market && !twap.reduceOnly)
    .map(({ operationId }) => operationId)
    .filter((id) => !running.includes(id));
}
