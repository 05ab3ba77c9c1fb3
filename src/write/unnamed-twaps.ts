/**
 * TWAPs of bots that no answer has named. In an account that does nothing else no history ever goes on past one, so that nothing newer says
 * that it is over; but it runs no longer than its minutes, and then the fills and the position tell whether it has left anything.
 */
import type { Account } from "../core/account.ts";
import { BEHIND_MS, CLOCK_DOUBT_MS, type PositionWord } from "../core/evidence.ts";
import { type LostTwap, namesInBooks } from "../core/rails/equal-twaps.ts";
import { hasLeftNothing, type UnnamedTwap, unnamedTwapEndsAtMs } from "../core/rails/twap-end.ts";
import type { ToJudge, With } from "../deps.ts";
import { compareHolding } from "../settle/evidence/position-check.ts";
import { ofItsTime } from "../settle/operation/twap-terms.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import { type BotTwap, listBotTwaps } from "../store/bot-twap-rows.ts";
import { nameInBooks } from "../store/bot-twaps.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";
import { wholeAtMost } from "../store/fill-holes.ts";
import { findFillCursor, hasSliceOfNobody } from "../store/fills.ts";
import { findOperation, listSentTwaps } from "../store/operations.ts";
import type { TwapRecord } from "../wire/answer/twap.ts";

/** A slice may carry a time this much before the signing, milliseconds. */
const LEAD_MS = 1_000;

/**
 * Books equal ones of one bot that were all carried out, each under one of the native ids that are shown: their answers were lost together, and
 * nothing will ever say which is which. Their operations stay as they are told.
 */
export function bookEqualTwaps({ store }: With<"store">, { id }: Account, shown: readonly TwapRecord[]): void {
  const unnamed = new Map(
    listBotTwaps(store, id).flatMap((twap) => (twap.twapId === null ? [[twap.operationId, twap]] : [])),
  );
  if (unnamed.size < 2) return;
  const lost = listSentTwaps(store, id).flatMap((operation): LostTwap[] => {
    const [placing] = operation.exchangeId === null ? listAttemptsOf(store, operation.id) : [];
    if (placing === undefined) return [];
    const isTaken = placing.state === "done" && placing.seal === "nonce_taken";
    const bot = unnamed.get(operation.id)?.bot ?? null;
    return [{ operationId: operation.id, bot, isTaken, ids: ofItsTime({ store }, placing, [...shown]) }];
  });
  const names = namesInBooks(lost);
  if (names.size === 0) return;
  inTransactionNotWaiting(store, () => {
    for (const [operationId, twapId] of names) nameInBooks(store, operationId, twapId);
  });
}

/** Those of an account that have ended and left nothing, whatever an answer has named them. What is held is asked for only where all else says so. */
export async function listUnnamedOver(deps: ToJudge, account: Account): Promise<BotTwap[]> {
  const unnamed = listBotTwaps(deps.store, account.id).filter((twap) => twap.twapId === null || !isShown(deps, twap));
  const holdings = await Promise.all(unnamed.map((twap) => holdingAfter(deps, account, twap)));
  // A slice may have come meanwhile.
  return unnamed.filter((twap, nth) => isOver(knownOf(deps, account, twap), holdings[nth] ?? null));
}

/** Its number may be the word of an answer that was another's. */
function isShown({ store }: With<"store">, { operationId }: BotTwap): boolean {
  return findOperation(store, operationId)?.status === "succeeded";
}

function isOver(known: Omit<UnnamedTwap, "holding"> | null, holding: PositionWord | null): boolean {
  return known !== null && hasLeftNothing({ ...known, holding });
}

async function holdingAfter(deps: ToJudge, account: Account, twap: BotTwap): Promise<PositionWord | null> {
  const { accountId, market, side } = twap;
  const known = knownOf(deps, account, twap);
  if (known === null || !isOver(known, "unmoved")) return null;
  const about = { user: account.tradingAddress, accountId, market, side, read: [], sinceMs: known.endsAtMs };
  return compareHolding(deps, about, { purpose: "order" });
}

/** Null where nothing was signed for it. */
function knownOf(
  { store, fillIndex }: With<"fillIndex" | "store">,
  account: Account,
  { operationId, durationMinutes, ...twap }: BotTwap,
): Omit<UnnamedTwap, "holding"> | null {
  const [placing] = listAttemptsOf(store, operationId);
  if (placing === undefined) return null;
  const endsAtMs = unnamedTwapEndsAtMs(placing, durationMinutes);
  // A list that was read to its end lacks nothing of before the time by which no server is behind.
  const readToMs = (fillIndex.readToMs(account) ?? 0) - BEHIND_MS;
  const wholeToMs = wholeAtMost(store, account.id, placing.nonce - CLOCK_DOUBT_MS);
  const fillsKnownToMs = Math.min(Math.max(findFillCursor(store, account.id) ?? 0, readToMs), wholeToMs);
  const mayHaveSlices = hasSliceOfNobody(store, twap, { fromMs: placing.nonce - LEAD_MS, toMs: endsAtMs });
  return { endsAtMs, fillsKnownToMs, mayHaveSlices };
}
