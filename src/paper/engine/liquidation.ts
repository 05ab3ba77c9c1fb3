/** Accounts below maintenance: a market close, in slices when large, and the backstop when it is too late. */
import { addCash, cashOf, openAccount, writeLedger } from "./accounts.ts";
import { tradeId } from "./chance.ts";
import { endOrder } from "./ending.ts";
import { executeMatch } from "./fills.ts";
import { maintenanceMargin, marginUsed, pooledPositions, poolOf, positionValue } from "./margin.ts";
import { matchOrder } from "./matching.ts";
import { plainOrder } from "./plain-order.ts";
import type { Address, FillLiquidation, PerpMarket, VenueAccount, VenueOrder, VenuePosition } from "./state.ts";
import { lotOf } from "./ticks.ts";
import type { Turn } from "./turn.ts";
import { accountOf, perpOf } from "./turn.ts";
import { dollars, magnitude, most } from "./units.ts";

/** Takes over what the book cannot; its account may be of any value. */
export const LIQUIDATOR: Address = "0x2e3d94f0562703b25c83308a05046ddaf9a8dd14";
const SLICE_PARTS = 5n;

type Danger = { equity: bigint; maintenance: bigint; positions: [PerpMarket, VenuePosition][] };

/** The group of positions that stands or falls with this one: all cross ones of the pool, or itself. */
function dangerOf(turn: Turn, account: VenueAccount, position: VenuePosition): Danger {
  const market = perpOf(turn.venue, position.asset);
  if (!position.isCross) {
    return {
      equity: marginUsed(market, position),
      maintenance: maintenanceMargin(turn.venue, market, positionValue(market, position)),
      positions: [[market, position]],
    };
  }
  const pool = poolOf(turn.venue, account, market.dex);
  const positions = pooledPositions(turn.venue, account, market.dex).filter(([, other]) => other.isCross);
  return { equity: pool.accountValue, maintenance: pool.crossMaintenance, positions };
}

export function liquidateIfNeeded(turn: Turn, user: Address, asset: number): void {
  if (user === LIQUIDATOR) return;
  const account = accountOf(turn.venue, user);
  const position = account.positions.get(asset);
  if (position === undefined) {
    account.liquidationAfterMs.delete(asset);
    return;
  }
  const danger = dangerOf(turn, account, position);
  if (danger.equity >= danger.maintenance) return;
  const isTooLate = danger.equity * 3n < danger.maintenance * 2n;
  const due = danger.positions.filter(([market]) => isDue(turn, account, market));
  if (!isTooLate && due.length === 0) return;
  announce(turn, account, danger);
  cancelOrders(turn, account, position);
  if (isTooLate) takeOver(turn, account, danger);
  else closeLargestFirst(turn, account, due);
  if (position.isCross) coverDebt(turn, account, perpOf(turn.venue, asset).dex);
}

function isDue(turn: Turn, account: VenueAccount, market: PerpMarket): boolean {
  return turn.nowMs >= (account.liquidationAfterMs.get(market.asset) ?? 0);
}

function closeLargestFirst(turn: Turn, account: VenueAccount, due: [PerpMarket, VenuePosition][]): void {
  due.sort(([a, x], [b, y]) => (positionValue(a, x) > positionValue(b, y) ? -1 : 1));
  for (const [market, held] of due) {
    if (account.positions.get(market.asset) !== held) continue;
    const danger = dangerOf(turn, account, held);
    if (danger.equity >= danger.maintenance) return;
    closeAtMarket(turn, account, market, held);
  }
}

/** With no cross position left, a negative balance is nobody's to pay but the liquidator's. */
function coverDebt(turn: Turn, account: VenueAccount, dex: number): void {
  const hasCross = pooledPositions(turn.venue, account, dex).some(([, position]) => position.isCross);
  const cash = cashOf(turn.venue, account, dex);
  if (!hasCross && cash < 0n) moveCash(turn, account, dex, cash);
}

/** All perpetual orders of the account go, or those of the isolated position's market. */
function cancelOrders(turn: Turn, account: VenueAccount, position: VenuePosition): void {
  for (const oid of [...account.openOids]) {
    const order = turn.venue.orders.get(oid);
    const market = order === undefined ? undefined : turn.venue.markets.get(order.asset);
    if (order === undefined || market?.kind !== "perp") continue;
    if (position.isCross || order.asset === position.asset) endOrder(turn, order, "liquidatedCanceled");
  }
}

/** Positions above the threshold lose a fifth and wait; `liquidationAfterMs` brings the next look. */
function closeAtMarket(turn: Turn, account: VenueAccount, market: PerpMarket, position: VenuePosition): void {
  const { options } = turn.venue;
  const whole = magnitude(position.size);
  const isLarge = positionValue(market, position) > dollars(options.liquidationSliceFromUsd);
  const lot = lotOf(market);
  const size = isLarge ? most(lot, (whole / SLICE_PARTS / lot) * lot) : whole;
  account.liquidationAfterMs.set(market.asset, turn.nowMs + options.liquidationCoolDownMs);
  const cashBefore = cashOf(turn.venue, account, market.dex);
  const order = liquidationOrder(turn, account, market, { isBuy: position.size < 0n, size });
  const liquidation: FillLiquidation = {
    liquidatedUser: account.address,
    markPrice: market.markPrice,
    method: "market",
  };
  matchOrder(turn, order, { liquidation, twapId: null });
  if (!position.isCross) coverLoss(turn, account, market, cashBefore);
}

/** An isolated position can lose its own collateral and not a cent more; the liquidator bears the rest. */
function coverLoss(turn: Turn, account: VenueAccount, market: PerpMarket, cashBefore: bigint): void {
  const loss = cashBefore - cashOf(turn.venue, account, market.dex);
  if (loss <= 0n) return;
  addCash(turn.venue, account, market.dex, loss);
  addCash(turn.venue, openAccount(turn.venue, LIQUIDATOR), market.dex, -loss);
}

function liquidationOrder(
  turn: Turn,
  account: VenueAccount,
  market: PerpMarket,
  terms: { isBuy: boolean; size: bigint },
): VenueOrder {
  return plainOrder(turn, market, {
    ...terms,
    user: account.address,
    // As far as the book reaches within the band of a market order.
    limitPrice: terms.isBuy ? market.markPrice * 2n : market.markPrice / 20n,
    reduceOnly: true,
    orderType: "Market",
    tif: "LiquidationMarket",
  });
}

/** Backstop: positions go to the liquidator at mark, and with them all collateral that stood behind them. */
function takeOver(turn: Turn, account: VenueAccount, danger: Danger): void {
  const liquidator = openAccount(turn.venue, LIQUIDATOR);
  let dex = 0;
  let isCross = true;
  for (const [market, position] of danger.positions) {
    dex = market.dex;
    isCross = position.isCross;
    const size = magnitude(position.size);
    const terms = { isBuy: position.size < 0n, size };
    const cashBefore = cashOf(turn.venue, account, market.dex);
    const taker = liquidationOrder(turn, account, market, terms);
    const maker = liquidationOrder(turn, liquidator, market, { isBuy: !terms.isBuy, size });
    executeMatch(turn, {
      maker,
      taker,
      price: market.markPrice,
      size,
      liquidation: { liquidatedUser: account.address, markPrice: market.markPrice, method: "backstop" },
      twapId: null,
    });
    if (!isCross) moveCash(turn, account, dex, cashOf(turn.venue, account, dex) - cashBefore);
  }
  if (isCross) moveCash(turn, account, dex, cashOf(turn.venue, account, dex));
}

function moveCash(turn: Turn, account: VenueAccount, dex: number, amount: bigint): void {
  addCash(turn.venue, account, dex, -amount);
  addCash(turn.venue, openAccount(turn.venue, LIQUIDATOR), dex, amount);
}

function announce(turn: Turn, account: VenueAccount, danger: Danger): void {
  let notional = 0n;
  for (const [market, position] of danger.positions) notional += positionValue(market, position);
  const isCross = danger.positions[0]?.[1].isCross === true;
  turn.events.push({
    kind: "liquidation",
    lid: tradeId(turn.venue.block, turn.venue.nextOid),
    liquidator: LIQUIDATOR,
    liquidatedUser: account.address,
    liquidatedNotional: notional,
    accountValue: danger.equity,
  });
  writeLedger(turn, account, {
    type: "liquidation",
    liquidatedNotional: notional,
    accountValue: danger.equity,
    leverageType: isCross ? "Cross" : "Isolated",
    liquidatedPositions: danger.positions.map(([market, position]) => ({ coin: market.coin, size: position.size })),
  });
}
