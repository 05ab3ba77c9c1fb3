import { compare, type Decimal, subtract, ZERO } from "../../core/decimal.ts";
import type { PositionWord } from "../../core/evidence.ts";
import { isPaidInKind, isSpot, type Universe } from "../../core/market.ts";
import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { findFillCursor } from "../../store/fills.ts";
import type { Store } from "../../store/open.ts";
import { listNewestFillsByMarket, listNewestFillsIn, type PositionFill } from "../../store/position-fills.ts";
import { listUnkept } from "../../store/short-of-fills.ts";
import { parseSpotState } from "../../wire/answer/account.ts";
import { endOf, lastEnd } from "./last-end.ts";

type FilledSide = { user: string; accountId: string; market: string; side: "buy" | "sell" };

/**
 * Whether the balance of what a spot market trades stands where the fills that we know have left it. Transfers move it as well, so that
 * elsewhere says nothing of a fill; of a purchase what was paid for all of it tells more, where nothing was. Nothing tells of when a balance
 * is: an answer counts by when it was asked for. What is held back is no word: each order that pays with the same token holds some of
 * it, and where one balance is of everything, positions do.
 */
export async function compareBalance(
  world: With<"exchange" | "markets" | "store">,
  { user, accountId, market, side }: FilledSide,
  options: InfoOptions,
): Promise<PositionWord> {
  const outcome = await world.exchange.info({ type: "spotClearinghouseState", user }, options);
  const balances = outcome.kind === "ok" ? parseSpotState(outcome.json) : null;
  const universe = world.markets.current();
  const [token] = universe === null ? [] : tokensOf(universe, market);
  if (balances === null || universe === null || token === undefined) return "unknown";
  const expected = balanceByFills(world.store, { accountId, market, token }, universe);
  if (expected === null) return "unknown";
  const shown = balances.find(({ coin }) => coin === token) ?? { total: ZERO, entryNotional: ZERO };
  const isUnbought = side === "buy" && expected === ZERO && compare(shown.entryNotional, ZERO) === 0;
  if (!isUnbought && compare(shown.total, expected) !== 0) return "moved";
  // What else there is may have been made up for.
  return listUnkept(world.store, accountId).some((order) => mayMove(universe, token, order.market))
    ? "behind"
    : "unmoved";
}

/** Base and quote; none of a market that is not listed. */
export function tokensOf({ byName }: Universe, market: string): string[] {
  return byName.get(market)?.pairName?.split("/") ?? [];
}

/** Whether what is filled in a market moves the balance of a token; of a spot market that is not listed nobody can say. */
function mayMove(universe: Universe, token: string, market: string): boolean {
  const tokens = tokensOf(universe, market);
  return isSpot(market) && (tokens.length === 0 || tokens.includes(token));
}

type OfToken = { accountId: string; market: string; token: string };

/** Null where the fills do not tell: the token was traded in another market since, or by more than is kept. */
function balanceByFills(store: Store, { accountId, market, token }: OfToken, universe: Universe): Decimal | null {
  const newest = listNewestFillsIn(store, accountId, market);
  if (newest === null) return null;
  const newestMs = newest[0]?.timeMs ?? Number.NEGATIVE_INFINITY;
  const isElsewhere = [...listNewestFillsByMarket(store, accountId)].some(([each, fills]) => {
    return each !== market && (fills[0]?.timeMs ?? 0) >= newestMs && mayMove(universe, token, each);
  });
  if (isElsewhere) return null;
  if (newest.length === 0) return findFillCursor(store, accountId) === null ? null : ZERO;
  return lastEnd(newest, (fill) => balanceAfter(fill, market));
}

/** Where a fill leaves a balance: the fee of a purchase is taken out of what was bought. */
export function balanceAfter(fill: PositionFill, market: string): Decimal {
  const end = endOf(fill);
  return fill.side === "buy" && isPaidInKind({ market, ...fill }) ? subtract(end, fill.fee) : end;
}
