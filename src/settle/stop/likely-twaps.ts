/** TWAPs that nothing has proven to be ours yet, and that may be: a stop cancels them before, and what is told waits for the proof. */
import type { Account } from "../../core/account.ts";
import type { Attempt } from "../../core/attempt.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import type { StoredOperation } from "../../store/operations.ts";
import { readSlicedTwaps, toldTwaps } from "../operation/twap-sights.ts";
import { ofItsTime } from "../operation/twap-terms.ts";
import { mayTwapRun, type TwapsShown, type UnendedTwap } from "./cancel-twaps.ts";

type ToLookForTwaps = With<"exchange" | "feeds" | "picture" | "settings" | "store">;

/** `shown`: what the exchange's history shows; `areSlicesDue`: fills may be read, where nothing else shows one. */
type TwapsAsked = { sent: readonly StoredOperation[]; shown: TwapsShown; areSlicesDue: boolean };

/**
 * For each of our operations that the exchange has taken and of which nothing is proven: the one TWAP that is as it was asked for, by the history or
 * by the feed, or else the one that has traded as it would have. None where they are more than one: they cannot be told apart.
 */
export async function listLikely(
  world: ToLookForTwaps,
  account: Account,
  { sent, shown, areSlicesDue }: TwapsAsked,
): Promise<Pick<UnendedTwap, "market" | "twapId">[]> {
  const likely = sent.map(async (operation) => {
    const [attempt] = listAttemptsOf(world.store, operation.id);
    const isTaken = attempt?.seal === "nonce_taken" && mayTwapRun(world, operation);
    if (attempt === undefined || operation.status === "succeeded" || !isTaken) return [];
    const ids = await idsOf(world, { attempt, user: account.tradingAddress }, { shown, areSlicesDue });
    const [twapId] = ids;
    if (twapId === undefined || ids.length > 1 || shown.ended.has(twapId)) return [];
    return [{ twapId, market: operation.market }];
  });
  return (await Promise.all(likely)).flat();
}

async function idsOf(
  world: ToLookForTwaps,
  about: { attempt: Attempt; user: string },
  { shown, areSlicesDue }: Omit<TwapsAsked, "sent">,
): Promise<string[]> {
  const records = [...shown.records, ...toldTwaps(world, about.user)];
  const equal = ofItsTime(world, about.attempt, records);
  if (equal.length > 0 || !areSlicesDue) return equal;
  const sliced = await readSlicedTwaps(world, about, { purpose: "cancel" });
  // What is shown, and not as it was asked for, is another.
  const isShown = new Set(records.map(({ twapId }) => twapId));
  return (sliced ?? []).filter((twapId) => !isShown.has(twapId));
}
