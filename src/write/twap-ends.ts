import type { Account } from "../core/account.ts";
import { CLOCK_DOUBT_MS } from "../core/evidence.ts";
import { isTwapOver } from "../core/rails/twap-end.ts";
import type { ToJudge } from "../deps.ts";
import { exchangeTimeOf } from "../exchange/reads.ts";
import { type BotTwap, forgetBotTwap, listBotTwaps } from "../store/bot-twap-rows.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";
import { findWholeTo } from "../store/fill-holes.ts";
import type { TwapRecord } from "../wire/answer/twap.ts";
import { bookEqualTwaps, listUnnamedOver } from "./unnamed-twaps.ts";

/**
 * How long a history of TWAPs counts that no feed tells anew, milliseconds: a TWAP that has ended only frees what it
 * held.
 */
const HISTORY_STANDS_MS = 30_000;

/** Before a bot's increase is judged: takes TWAPs that are over out of what bots have out. */
export async function closeEndedTwaps(deps: ToJudge, account: Account): Promise<void> {
  const { store } = deps;
  if (listBotTwaps(store, account.id).length === 0) return;
  const rows = await shownTwaps(deps, account);
  if (rows === null) return;
  bookEqualTwaps(deps, account, rows);
  const unnamed = await listUnnamedOver(deps, account);
  const knownToMs = ({ createdAtMs }: BotTwap) => findWholeTo(store, account.id, createdAtMs - CLOCK_DOUBT_MS);
  const named = listBotTwaps(store, account.id).filter((twap) => isTwapOver(twap, rows, knownToMs(twap)));
  const over = [...unnamed, ...named];
  if (over.length === 0) return;
  inTransactionNotWaiting(store, () => {
    for (const { operationId } of over) forgetBotTwap(store, operationId);
  });
}

async function shownTwaps(deps: ToJudge, { tradingAddress }: Account): Promise<readonly TwapRecord[] | null> {
  const { picture, exchange } = deps;
  const known = picture.twaps(tradingAddress);
  if (known !== null && exchange.nowMs() - known.toldToMs <= HISTORY_STANDS_MS) return known.value;
  const read = await deps.reads.twapHistory(tradingAddress, "order");
  if (read.kind === "failed") return null;
  const { value, askedAtMs } = read;
  picture.take(tradingAddress, { part: "twaps", value }, { timeMs: exchangeTimeOf(deps, askedAtMs), askedAtMs });
  return value;
}
