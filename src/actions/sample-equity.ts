/** Notes now and then what each account is worth. */
import type { Account } from "../core/account.ts";
import type { Decimal } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { isSpot } from "../core/market.ts";
import type { Reader } from "../exchange/exchange.ts";
import type { AccountState } from "../exchange/reads.ts";
import { worthOf } from "../settle/account/account-worth.ts";
import { isAtLeisure } from "../settle/ledger/leisure.ts";
import { listAccounts } from "../store/accounts.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";
import { findSampleBefore, insertEquitySample, thinEquitySamples } from "../store/equity.ts";
import { listNewestFillsByMarket } from "../store/position-fills.ts";
import { currentAccount, type ToShowPositions, type ToShowSpot } from "./current.ts";

export type ToSampleEquity = ToShowSpot & ToShowPositions;

/** Between two rounds, milliseconds. */
export const EQUITY_INTERVAL_MS = 20_000;
/** Between two samples, milliseconds: one in each such stretch of time. */
export const SAMPLE_EVERY_MS = 5 * 60_000;
const HOUR_MS = 3_600_000;
/** So long after it a fill is listed as good as always, milliseconds. */
const LISTED_WITHIN_MS = 2_000;
/** Accounts of one round: what no feed tells of them costs 26 of our weight each. */
const ACCOUNTS_AT_ONCE = 3;
/** A reader of its own: it takes from nobody what clients may read. */
const READER: Reader = { reader: "equity" };

/** One round: accounts whose turn it is, the one that waits longest first. */
export async function sampleEquity(deps: ToSampleEquity, isStopped: () => boolean): Promise<void> {
  const nowMs = deps.exchange.nowMs();
  const due = listAccounts(deps.store)
    .map((account) => ({
      account,
      lastMs: findSampleBefore(deps.store, account.id, Number.MAX_SAFE_INTEGER)?.atMs ?? 0,
    }))
    .filter(({ lastMs }) => partOf(nowMs, SAMPLE_EVERY_MS) > partOf(lastMs, SAMPLE_EVERY_MS))
    .sort((a, b) => a.lastMs - b.lastMs);
  for (const { account, lastMs } of due.slice(0, ACCOUNTS_AT_ONCE)) {
    if (isStopped() || !isAtLeisure(deps)) return;
    const sample = await sampleOf(deps, account);
    if (isStopped()) return;
    if (sample === null || sample.atMs <= lastMs) continue;
    inTransactionNotWaiting(deps.store, (store) => {
      insertEquitySample(store, sample);
      if (partOf(sample.atMs, HOUR_MS) > partOf(lastMs, HOUR_MS)) thinEquitySamples(store, account.id, sample.atMs);
    });
  }
}

function partOf(atMs: number, periodMs: number): number {
  return Math.floor(atMs / periodMs);
}

/** Null where the exchange could not be asked, or where what it was asked for may be of two moments: the next round asks again. */
async function sampleOf(deps: ToSampleEquity, account: Account) {
  try {
    const knownBefore = newFills(deps, account);
    const current = await currentAccount(deps, { account, reader: READER }, ["", ...deps.settings.dexes]);
    if (current.state.mode !== "standard" && !(await isOfOneMoment(deps, account, knownBefore))) return null;
    const { equity, unpriced } = worthOf(current.state, await pricesFor(deps, current.state));
    const atMs = Math.min(current.spotAsOfMs, current.marginAsOfMs);
    return { accountId: account.id, atMs, equity, unpriced: unpriced.toSorted().join(",") };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/**
 * Where collateral is shared the sum is of several stores: what was filled meanwhile one of them may hold and another lack, and what was won by it would be
 * counted twice, or not at all. What was known before all of them hold. Without sharing each sum is one answer's.
 */
async function isOfOneMoment(deps: ToSampleEquity, account: Account, knownBefore: string): Promise<boolean> {
  if (!deps.feeds.isLive(account.tradingAddress)) deps.fillIndex.readSoon(account);
  await deps.clock.sleep(LISTED_WITHIN_MS);
  return newFills(deps, account) === knownBefore;
}

/** The newest of each perpetual, in brief. */
function newFills({ store }: Pick<ToSampleEquity, "store">, { id }: Account): string {
  const fills = [...listNewestFillsByMarket(store, id)].filter(([market]) => !isSpot(market));
  return JSON.stringify(fills.map(([market, newest]) => [market, newest.length, newest[0]?.timeMs]));
}

type PriceOf = (token: string) => Decimal | null;

/** Names of tokens are not unique at the exchange: where two pairs have one name, neither price counts. */
async function pricesFor({ reads, markets }: ToSampleEquity, { spotBalances }: AccountState): Promise<PriceOf> {
  const universe = markets.current();
  const isAllDollars = spotBalances.every(({ coin }) => coin === "USDC");
  if (universe === null || isAllDollars) return () => null;
  const mids = await reads.mids("", READER);
  if (mids.kind === "failed") return () => null;
  return (token) => {
    const name = universe.byPairName.get(`${token}/USDC`);
    return name === undefined ? null : (mids.value.get(name) ?? null);
  };
}
