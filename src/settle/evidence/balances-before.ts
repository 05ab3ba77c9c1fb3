/** Balances that a server shows as of before a fill on spot: they name no time, and each fill says what it started from. */
import { compare, ZERO } from "../../core/decimal.ts";
import { BEHIND_MS } from "../../core/evidence.ts";
import { isSpot } from "../../core/market.ts";
import type { With } from "../../deps.ts";
import { listNewFills, type NewFill } from "../../store/position-fills.ts";
import type { SpotBalance } from "../../wire/answer/account.ts";
import { balanceAfter, tokensOf } from "./balance-check.ts";
import { lastEnd } from "./last-end.ts";

/**
 * True where the balance of a token stands where one of its fills that are known started, and not where the last of them has left
 * it: then it is of before that fill. Anywhere else transfers may have moved it, or another market in which it pays, and it says
 * nothing. No server is behind for longer than fills are looked at here.
 */
export function areBeforeFills(
  { store, markets, exchange }: With<"exchange" | "markets" | "store">,
  accountId: string,
  balances: readonly SpotBalance[],
): boolean {
  const fills = listNewFills(store, accountId, exchange.nowMs() - BEHIND_MS).filter(({ market }) => isSpot(market));
  const universe = fills.length === 0 ? null : markets.current();
  if (universe === null) return false;
  const traded = fills.map((fill) => {
    const [base, quote] = tokensOf(universe, fill.market);
    return { fill, base, quote };
  });
  const paying = new Set(traded.map(({ quote }) => quote));
  const byToken = Map.groupBy(traded, ({ base }) => base);
  return [...byToken].some(([token, ofToken]) => {
    if (token === undefined || paying.has(token)) return false;
    const total = balances.find(({ coin }) => coin === token)?.total ?? ZERO;
    return isBefore(
      total,
      ofToken.map(({ fill }) => fill),
    );
  });
}

/** Newest first. */
function isBefore(total: SpotBalance["total"], fills: readonly NewFill[]): boolean {
  const newest = fills.filter(({ timeMs }) => timeMs === fills[0]?.timeMs);
  const end = lastEnd(newest, (fill) => balanceAfter(fill, fill.market));
  if (end === null || compare(total, end) === 0) return false;
  return fills.some(({ startPosition }) => compare(startPosition, total) === 0);
}
