/** Balances that a server shows as of before an own write: they name no time, and what they show stood there before it. */
import type { Account } from "../../core/account.ts";
import { compare, type Decimal, decimal, isZero, multiply, subtract, sum, ZERO } from "../../core/decimal.ts";
import { dexOf, isSpot, type Universe } from "../../core/market.ts";
import type { With } from "../../deps.ts";
import { listNewOrders, type NewOrder } from "../../store/new-orders.ts";
import { listNewFills, type NewFill } from "../../store/position-fills.ts";
import type { AccountMode, SpotBalance } from "../../wire/answer/account.ts";
import { tokensOf } from "./balance-check.ts";

type ToDate = With<"clock" | "exchange" | "markets" | "picture" | "store">;
type Shown = { mode: AccountMode; balances: readonly SpotBalance[] };

/** What a write has moved, and when at the earliest, by the monotonic clock, milliseconds. */
type Moved = { token: string; atMs: number };
/** What an order of ours holds back. */
type Held = Moved & { amount: Decimal };

/** So long a server is taken to be behind for, milliseconds: what it shows after that is taken for what is. */
const DOUBTED_FOR_MS = 20_000;
/** By so much our idea of the exchange's time may be wrong beside what is known of that, milliseconds. */
const CLOCK_SLACK_MS = 250;
/** By so much one moment may differ by two of our own clocks, milliseconds. */
const ROUNDED_MS = 2;
/** What holds back is worked out by the exchange with less decimals than ours. */
const NEARLY_ALL = decimal("0.999999");
/** Collateral of the native dex. */
const CASH = "USDC";

/**
 * True where a token that a fill or an order of ours has moved has the very total that was shown before it, and where less of a token is
 * held back than open orders of ours hold, while its total is of before them. In the modes that share collateral what a perpetual pays
 * comes out of the same balance. Transfers move totals as well, and hardly ever to the last digit of before.
 */
export function areBeforeWrites(world: ToDate, account: Account, { mode, balances }: Shown): boolean {
  const universe = world.markets.current();
  if (universe === null) return false;
  const { clock, exchange, store } = world;
  const orders = listNewOrders(store, account.id, DOUBTED_FOR_MS, {
    elapsedMs: clock.elapsedMs(),
    wallMs: clock.nowMs(),
  });
  const fills = listNewFills(store, account.id, exchange.nowMs() - DOUBTED_FOR_MS);
  const among = { universe, isShared: mode !== "standard", fills };
  const totalOf = (token: string) => balances.find(({ coin }) => coin === token)?.total ?? ZERO;
  const isListed = (token: string) => balances.some(({ coin }) => coin === token);
  const isOfBefore = ({ token, atMs }: Moved): boolean => {
    const firstMs = world.picture.totalShownMs(account.tradingAddress, token, totalOf(token));
    return firstMs !== null && firstMs + ROUNDED_MS < atMs;
  };
  const moved = [
    // A token that is paid with is listed.
    ...fills.flatMap((fill) => movedByFill(world, fill, among)).filter(({ token }) => isListed(token)),
    ...orders.flatMap((order) => movedByOrder(order, { ...among, totalOf })),
  ];
  if (moved.some(isOfBefore)) return true;
  const held = orders.flatMap((order) => heldByOrder(order, universe));
  return [...Map.groupBy(held, ({ token }) => token)].some(([token, ofToken]) => {
    const least = multiply(sum(ofToken.map(({ amount }) => amount)), NEARLY_ALL);
    const hold = balances.find(({ coin }) => coin === token)?.hold ?? ZERO;
    const atMs = Math.max(...ofToken.map((one) => one.atMs));
    return compare(hold, least) < 0 && isOfBefore({ token, atMs });
  });
}

type Among = { universe: Universe; isShared: boolean; fills: readonly NewFill[] };

/** What a purchase or a sale on spot is paid with or pays; its other side is held against where the fill started. */
function movedByFill({ clock, exchange }: ToDate, fill: NewFill, { universe, isShared }: Among): Moved[] {
  const agoMs = exchange.nowMs() - fill.timeMs + exchange.mayBeAheadMs() + CLOCK_SLACK_MS;
  const token = isSpot(fill.market) ? tokensOf(universe, fill.market)[1] : paidBy(fill, isShared);
  return token === undefined || token === null ? [] : [{ token, atMs: clock.elapsedMs() - agoMs }];
}

/** What a perpetual's fill pays in, where that is of the balances and it pays anything. */
function paidBy({ realizedPnl, fee, feeToken }: NewFill, isShared: boolean): string | null {
  return isShared && compare(realizedPnl, fee) !== 0 ? feeToken : null;
}

type ByOrder = Among & { totalOf(token: string): Decimal };

/** What is filled of it was filled after it was taken, by our own clock. */
function movedByOrder(order: NewOrder, among: ByOrder): Moved[] {
  const { market, filledSize } = order;
  if (filledSize === null || isZero(filledSize)) return [];
  const atMs = order.takenElapsedMs;
  const tokens = isSpot(market) ? tradedBy(order, among) : [paidByOrder(order, among)];
  return tokens.flatMap((token) => (token === null || token === undefined ? [] : { token, atMs }));
}

/** The fills say in what and whether it pays; while there are none, that is known of the native dex alone. */
function paidByOrder({ market, isIndexed }: NewOrder, { fills, isShared }: Among): string | null {
  if (!isIndexed) return isShared && dexOf(market) === "" ? CASH : null;
  const paid = fills.filter((fill) => fill.market === market).map((fill) => paidBy(fill, isShared));
  return paid.find((token) => token !== null) ?? null;
}

/** What it trades is held against where its fills started, once there are some. All of it may have been sold: then it is as before the first purchase. */
function tradedBy({ market, side, isIndexed }: NewOrder, { universe, totalOf }: ByOrder): (string | undefined)[] {
  const [base, quote] = tokensOf(universe, market);
  const isSoldOut = side === "sell" && base !== undefined && isZero(totalOf(base));
  return [isIndexed || isSoldOut ? undefined : base, quote];
}

/** Of a purchase what it would pay, of a sale what it sells. */
function heldByOrder(order: NewOrder, universe: Universe): Held[] {
  const { market, side, status, size, price, filledSize } = order;
  if (!isSpot(market) || status !== "open") return [];
  const [base, quote] = tokensOf(universe, market);
  const left = subtract(decimal(size), filledSize ?? ZERO);
  const token = side === "buy" ? quote : base;
  const amount = side === "buy" ? multiply(left, decimal(price)) : left;
  return token === undefined ? [] : [{ token, amount, atMs: order.takenElapsedMs }];
}
