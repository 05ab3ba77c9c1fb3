/**
 * TWAPs of bots that no answer has named. In an account that does nothing else no history ever goes on past one, so that nothing newer says
 * that it is over; but it runs no longer than its minutes, and then the fills and the position tell whether it has left anything.
 */
import type { Account } from "../core/account.ts";
import { BEHIND_MS, type PositionWord } from "../core/evidence.ts";
import { hasLeftNothing, type UnnamedTwap, unnamedTwapEndsAtMs } from "../core/rails/twap-end.ts";
import type { ToJudge, With } from "../deps.ts";
import { compareHolding } from "../settle/evidence/position-check.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import { type BotTwap, listBotTwaps } from "../store/bot-twap-rows.ts";
import { findCompleteTo, hasSliceOfNobody } from "../store/fills.ts";

/** A slice may carry a time this much before the signing, milliseconds. */
const LEAD_MS = 1_000;

/** Those of an account that have ended and left nothing. What is held is asked for only where all else says so. */
export async function listUnnamedOver(deps: ToJudge, account: Account): Promise<BotTwap[]> {
  const unnamed = listBotTwaps(deps.store, account.id).filter(({ twapId }) => twapId === null);
  const holdings = await Promise.all(unnamed.map((twap) => holdingAfter(deps, account, twap)));
  // A slice may have come meanwhile.
  return unnamed.filter((twap, nth) => isOver(knownOf(deps, account, twap), holdings[nth] ?? null));
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
  const fillsKnownToMs = Math.max(findCompleteTo(store, account.id) ?? 0, readToMs);
  const mayHaveSlices = hasSliceOfNobody(store, twap, { fromMs: placing.nonce - LEAD_MS, toMs: endsAtMs });
  return { endsAtMs, fillsKnownToMs, mayHaveSlices };
}
