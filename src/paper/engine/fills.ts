/** One match: both sides are settled at the maker's price in the same step. */
import { addCash, collateralOf, collectFee, spotBalance } from "./accounts.ts";
import { tradeId, ZERO_HASH } from "./chance.ts";
import type { FeeCharge } from "./fees.ts";
import { perpFee, spotFee } from "./fees.ts";
import { noteResting } from "./order-margin.ts";
import { applyTrade } from "./positions.ts";
import type {
  FillLiquidation,
  PerpMarket,
  SpotMarket,
  VenueAccount,
  VenueFill,
  VenueMarket,
  VenueOrder,
} from "./state.ts";
import type { Turn } from "./turn.ts";
import { accountOf, markChanged, marketOf } from "./turn.ts";
import { share, times } from "./units.ts";

/** Fills kept per account. */
export const MAX_FILLS = 10_000;
const DAY_MS = 86_400_000;
/** Days of volume kept for `userFees`. */
const MAX_VOLUME_DAYS = 15;

export type Match = {
  maker: VenueOrder;
  taker: VenueOrder;
  price: bigint;
  size: bigint;
  liquidation: FillLiquidation | null;
  twapId: number | null;
};

type FillSide = { match: Match; order: VenueOrder; isMaker: boolean; notional: bigint; hash: string; tid: number };
type Settlement = { startPosition: bigint; dir: string; closedPnl: bigint; charge: FeeCharge; feeToken: number };

export function executeMatch(turn: Turn, match: Match): void {
  const { maker, taker, price, size } = match;
  const market = marketOf(turn.venue, maker.asset);
  const notional = times(price, size);
  const [buyer, seller] = taker.isBuy ? [taker, maker] : [maker, taker];
  const tid = tradeId(buyer.oid, seller.oid);
  const hash = match.twapId === null ? turn.hash : ZERO_HASH;
  if (turn.venue.orders.has(maker.oid)) noteResting(accountOf(turn.venue, maker.user), maker, -size);
  maker.size -= size;
  taker.size -= size;
  for (const order of [maker, taker]) {
    settleSide(turn, market, { match, order, isMaker: order === maker, notional, hash, tid });
  }
  noteTrade(market, price, size, notional);
  turn.booksTouched.add(market.coin);
  turn.events.push({
    kind: "trade",
    trade: {
      coin: market.coin,
      isBuy: taker.isBuy,
      price,
      size,
      timeMs: turn.nowMs,
      hash,
      tid,
      users: [buyer.user, seller.user],
    },
  });
}

function noteTrade(market: VenueMarket, price: bigint, size: bigint, notional: bigint): void {
  market.stats.lastTradePrice = price;
  market.stats.dayNotional += notional;
  market.stats.dayBase += size;
}

function settleSide(turn: Turn, market: VenueMarket, side: FillSide): void {
  const account = accountOf(turn.venue, side.order.user);
  const settlement =
    market.kind === "perp" ? settlePerp(turn, account, market, side) : settleSpot(turn, account, market, side);
  const { match, order } = side;
  const fill: VenueFill = {
    coin: market.coin,
    asset: market.asset,
    price: match.price,
    size: match.size,
    isBuy: order.isBuy,
    timeMs: turn.nowMs,
    startPosition: settlement.startPosition,
    dir: settlement.dir,
    closedPnl: settlement.closedPnl,
    hash: side.hash,
    oid: order.oid,
    crossed: !side.isMaker,
    fee: settlement.charge.fee,
    tid: side.tid,
    cloid: order.cloid,
    feeToken: turn.venue.tokens.get(settlement.feeToken)?.name ?? "",
    builderFee: settlement.charge.builderFee === 0n ? null : settlement.charge.builderFee,
    twapId: side.isMaker ? null : match.twapId,
    liquidation: match.liquidation,
  };
  account.fills.push(fill);
  if (account.fills.length > MAX_FILLS) account.fills.shift();
  turn.events.push({ kind: "fill", user: account.address, fill });
  noteVolume(turn, account, market, side);
}

function settlePerp(turn: Turn, account: VenueAccount, market: PerpMarket, side: FillSide): Settlement {
  const { order, isMaker, notional, match } = side;
  const change = applyTrade(turn.venue, account, market, { isBuy: order.isBuy, price: match.price, size: match.size });
  const charge = perpFee(turn.venue, { market, notional, isMaker, builder: order.builder });
  const feeToken = collateralOf(turn.venue, market.dex);
  addCash(turn.venue, account, market.dex, -charge.fee);
  collectFee(turn.venue, feeToken, charge.fee);
  markChanged(turn, account.address, market.asset);
  const dir = isLiquidated(side, account) ? liquidatedDir(account, change.startPosition, market) : change.dir;
  return { ...change, dir, charge, feeToken };
}

function isLiquidated(side: FillSide, account: VenueAccount): boolean {
  return side.match.liquidation?.liquidatedUser === account.address && !side.isMaker;
}

function liquidatedDir(account: VenueAccount, startPosition: bigint, market: PerpMarket): string {
  const isCross = account.leverages.get(market.asset)?.isCross ?? !market.onlyIsolated;
  return `Liquidated ${isCross ? "Cross" : "Isolated"} ${startPosition > 0n ? "Long" : "Short"}`;
}

/** The fee comes out of the token received. */
function settleSpot(turn: Turn, account: VenueAccount, market: SpotMarket, side: FillSide): Settlement {
  const { order, isMaker, notional, match } = side;
  const { isBuy, builder } = order;
  const charge = spotFee(turn.venue, { market, isBuy, price: match.price, notional, isMaker, builder });
  const base = spotBalance(account, market.baseToken);
  const quote = spotBalance(account, market.quoteToken);
  const startPosition = base.total;
  let closedPnl = 0n;
  if (isBuy) {
    base.total += match.size - charge.fee;
    base.entryNotional += notional;
    quote.total -= notional;
  } else {
    const left = base.total - match.size;
    const entryLeft = base.total === 0n ? 0n : share(base.entryNotional, left, base.total);
    closedPnl = notional - (base.entryNotional - entryLeft);
    base.total = left;
    base.entryNotional = entryLeft;
    quote.total += notional - charge.fee;
  }
  const feeToken = isBuy ? market.baseToken : market.quoteToken;
  collectFee(turn.venue, feeToken, charge.fee);
  return { startPosition, dir: isBuy ? "Buy" : "Sell", closedPnl, charge, feeToken };
}

/** Growth-mode volume counts a tenth toward the address limit. */
function noteVolume(turn: Turn, account: VenueAccount, market: VenueMarket, side: FillSide): void {
  const isGrowth = market.kind === "perp" && market.growthMode;
  account.volume += isGrowth ? side.notional / 10n : side.notional;
  const dayStartMs = turn.nowMs - (turn.nowMs % DAY_MS);
  let day = account.volumes.at(-1);
  if (day === undefined || day.dayStartMs !== dayStartMs) {
    day = { dayStartMs, cross: 0n, add: 0n };
    account.volumes.push(day);
    if (account.volumes.length > MAX_VOLUME_DAYS) account.volumes.shift();
  }
  if (side.isMaker) day.add += side.notional;
  else day.cross += side.notional;
}
