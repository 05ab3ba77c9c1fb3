import { type Attempt, endsAtMs } from "../../core/attempt.ts";
import { type CancelsWord, isUnfound } from "../../core/evidence.ts";
import { hasFilled, type Leg } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { findAttempt, findAttemptByCloid } from "../../store/attempts.ts";
import { findOrder } from "../../store/orders.ts";
import { mayHaveNamesake } from "../evidence/namesake.ts";
import { actionOf } from "../send/intent.ts";
import { listedAssetId } from "./asset-id.ts";
import { isCarriedOut, missedUnder } from "./cancel.ts";

/**
 * By a leg's client order id: cancels that found nothing of it under the number that the list of markets has, each by a newer reading of
 * that list. Losing it costs cancels.
 */
export type CancelMisses = Map<string, Misses>;

/** Monotonic times, milliseconds: of the newest reading of the list, and of the first of these answers. */
type Misses = { assetId: number; times: number; listReadElapsedMs: number; sinceElapsedMs: number };

/** Legs of which misses are remembered; past it the oldest start over. */
const MAX_REMEMBERED = 10_000;

export function openCancelMisses(): CancelMisses {
  return new Map();
}

type Missing = With<"clock" | "markets" | "store">;

/** Nothing of it by the list's own number counts, once a reading of the list: the number of an older one may find nothing. */
export function countMissed(
  world: Missing,
  misses: CancelMisses,
  { attemptId, leg, listReadElapsedMs }: { attemptId: number; leg: Leg; listReadElapsedMs: number },
): void {
  const attempt = findAttempt(world.store, attemptId);
  const assetId = attempt === null ? null : missedUnder(attempt, leg);
  const order = findOrder(world.store, leg.orderId);
  if (assetId === null || order === null || assetId !== listedAssetId(world, order)) return;
  const before = misses.get(leg.cloid);
  // What was not found under another number is no word of this one.
  const known = before?.assetId === assetId ? before : undefined;
  if (known !== undefined && known.listReadElapsedMs >= listReadElapsedMs) return;
  const sinceElapsedMs = known?.sinceElapsedMs ?? world.clock.elapsedMs();
  const oldest = misses.keys().next().value;
  if (misses.size >= MAX_REMEMBERED && oldest !== undefined) misses.delete(oldest);
  misses.set(leg.cloid, { assetId, times: (known?.times ?? 0) + 1, listReadElapsedMs, sinceElapsedMs });
}

/**
 * What cancels of it have found, by readings of the market list one after another; null where none of them found nothing.
 *
 * @param placing where no answer has confirmed the number that it was signed with
 */
export function cancelsWord(
  world: Missing,
  misses: CancelMisses,
  leg: Leg,
  placing: Attempt | null = null,
): CancelsWord | null {
  const known = misses.get(leg.cloid);
  const order = findOrder(world.store, leg.orderId);
  if (known === undefined || order === null) return null;
  const listed = listedAssetId(world, order);
  const isSigned = placing === null || assetIdSigned(placing) === listed;
  const isConfirmedNumber =
    isSigned && listed === order.assetId && listed === known.assetId && !world.markets.isSuspected(order.market);
  return { readings: known.times, forMs: world.clock.elapsedMs() - known.sinceElapsedMs, isConfirmedNumber };
}

/** The number of the market that an action which places carries; of a batch, what its attempt alone has stored. */
function assetIdSigned(placing: Attempt): number | null {
  const action = actionOf(placing);
  if (action?.type === "order") return action.orders[0]?.a ?? null;
  return action?.type === "batchModify" ? (action.modifies[0]?.order.a ?? null) : null;
}

type ToAskByName = Missing & With<"exchange">;

/**
 * Of a leg whose answer was lost, that nothing shows and of which nothing can newly come: the word of the cancels that carry its client
 * order id. Null where they can have none: another's order under that id would be what they find.
 */
export function wordOfLost(world: ToAskByName, misses: CancelMisses, leg: Leg): { word: CancelsWord | null } | null {
  if ((leg.state !== "sent" && leg.state !== "lost") || leg.oid !== null || hasFilled(leg)) return null;
  if (mayHaveNamesake(world, leg) || isCarriedOut(world, leg)) return null;
  const placing = findAttemptByCloid(world.store, leg.cloid);
  if (placing === null || canCome(world, placing)) return null;
  return { word: cancelsWord(world, misses, leg, placing) };
}

/** Nothing has taken its number, and its time is not over. One that our own empty action has taken says the same. */
export function canCome({ exchange }: With<"exchange">, { seal, expiresAtMs }: Attempt): boolean {
  return seal === null && exchange.nowMs() <= endsAtMs({ expiresAtMs });
}

/** True while another cancel by its client order id would tell something. */
export function isToAskByName(world: ToAskByName, misses: CancelMisses, leg: Leg): boolean {
  const asked = wordOfLost(world, misses, leg);
  return asked !== null && !isUnfound(asked.word, { canCome: false, unseenForMs: Number.POSITIVE_INFINITY });
}
