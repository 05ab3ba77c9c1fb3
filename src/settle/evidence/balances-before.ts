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
  world: With<"exchange" | "markets" | "store">,
  accountId: string,
  balances: readonly SpotBalance[],
): boolean {
  return tradedTokens(world, accountId).some(({ token, fills }) => isBefore(totalIn(balances, token), fills));
}

/**
 * The time of the newest of these fills of which a balance shows that it holds it, exchange time, unix milliseconds: it stands where that has left it,
 * and stood there at no other moment that they tell of. Null where none does.
 */
export function heldByFillsMs(
  world: With<"exchange" | "markets" | "store">,
  accountId: string,
  balances: readonly SpotBalance[],
): number | null {
  const heldMs = tradedTokens(world, accountId).flatMap(({ token, fills }) => {
    const total = totalIn(balances, token);
    const [newest, ...others] = fills;
    const isThere = (fill: NewFill) => [fill.startPosition, balanceAfter(fill, fill.market)].includes(total);
    const isEnd = newest !== undefined && balanceAfter(newest, newest.market) === total;
    return isEnd && newest.startPosition !== total && !others.some(isThere) ? newest.timeMs : [];
  });
  return heldMs.length === 0 ? null : Math.max(...heldMs);
}

type TradedToken = { token: string; fills: readonly NewFill[] };

/** What was traded on spot a while ago and pays in no other market that was; its fills the newest first. */
function tradedTokens(
  { store, markets, exchange }: With<"exchange" | "markets" | "store">,
  accountId: string,
): TradedToken[] {
  const fills = listNewFills(store, accountId, exchange.nowMs() - BEHIND_MS).filter(({ market }) => isSpot(market));
  const universe = fills.length === 0 ? null : markets.current();
  if (universe === null) return [];
  const traded = fills.map((fill) => {
    const [base, quote] = tokensOf(universe, fill.market);
    return { fill, base, quote };
  });
  const paying = new Set(traded.map(({ quote }) => quote));
  return [...Map.groupBy(traded, ({ base }) => base)].flatMap(([token, ofToken]) =>
    token === undefined || paying.has(token) ? [] : [{ token, fills: ofToken.map(({ fill }) => fill) }],
  );
}

function totalIn(balances: readonly SpotBalance[], token: string): SpotBalance["total"] {
  return balances.find(({ coin }) => coin === token)?.total ?? ZERO;
}

/** Newest first. */
function isBefore(total: SpotBalance["total"], fills: readonly NewFill[]): boolean {
  const newest = fills.filter(({ timeMs }) => timeMs === fills[0]?.timeMs);
  const end = lastEnd(newest, (fill) => balanceAfter(fill, fill.market));
  if (end === null || compare(total, end) === 0) return false;
  return fills.some(({ startPosition }) => compare(startPosition, total) === 0);
}
