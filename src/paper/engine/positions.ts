/** How a fill changes a position and the cash beside it. The fee is charged apart. */
import { addCash } from "./accounts.ts";
import { leverageSetting } from "./leverage-setting.ts";
import type { CumulativeFunding, PerpMarket, Venue, VenueAccount, VenuePosition } from "./state.ts";
import { least, magnitude, share, times } from "./units.ts";

export type PerpTrade = { isBuy: boolean; price: bigint; size: bigint };
export type PositionChange = { startPosition: bigint; dir: string; closedPnl: bigint };

/** Closes first, then opens what is left on the other side. */
export function applyTrade(venue: Venue, account: VenueAccount, market: PerpMarket, trade: PerpTrade): PositionChange {
  const start = account.positions.get(market.asset)?.size ?? 0n;
  const isOpposite = start !== 0n && start > 0n !== trade.isBuy;
  const closing = isOpposite ? least(magnitude(start), trade.size) : 0n;
  let closedPnl = 0n;
  if (closing > 0n) closedPnl = close(venue, account, market, { ...trade, size: closing });
  if (trade.size > closing) open(venue, account, market, { ...trade, size: trade.size - closing });
  const position = account.positions.get(market.asset);
  if (position !== undefined) position.funding.sinceChange = 0n;
  const end = position?.size ?? 0n;
  market.openInterest += longPart(end) - longPart(start);
  return { startPosition: start, dir: direction(start, end), closedPnl };
}

function longPart(size: bigint): bigint {
  return size > 0n ? size : 0n;
}

function direction(start: bigint, end: bigint): string {
  if (start > 0n && end < 0n) return "Long > Short";
  if (start < 0n && end > 0n) return "Short > Long";
  if (start === 0n) return end > 0n ? "Open Long" : "Open Short";
  if (magnitude(end) > magnitude(start)) return start > 0n ? "Open Long" : "Open Short";
  return start > 0n ? "Close Long" : "Close Short";
}

/** Realises the pnl of a part and releases its share of isolated collateral. */
function close(venue: Venue, account: VenueAccount, market: PerpMarket, trade: PerpTrade): bigint {
  const position = account.positions.get(market.asset);
  if (position === undefined) throw new Error("bug: closing a position that is not there");
  const held = magnitude(position.size);
  const entry = share(position.signedEntry, trade.size, held);
  const released = share(position.isolatedMargin, trade.size, held);
  const value = times(trade.size, trade.price);
  const pnl = (position.size > 0n ? value : -value) - entry;
  position.signedEntry -= entry;
  position.isolatedMargin -= released;
  position.size += position.size > 0n ? -trade.size : trade.size;
  addCash(venue, account, market.dex, released + pnl);
  if (position.size === 0n) account.positions.delete(market.asset);
  return pnl;
}

function open(venue: Venue, account: VenueAccount, market: PerpMarket, trade: PerpTrade): void {
  const position = account.positions.get(market.asset) ?? freshPosition(account, market);
  const value = times(trade.size, trade.price);
  position.size += trade.isBuy ? trade.size : -trade.size;
  position.signedEntry += trade.isBuy ? value : -value;
  account.positions.set(market.asset, position);
  if (position.isCross) return;
  const collateral = value / BigInt(position.leverage);
  position.isolatedMargin += collateral;
  addCash(venue, account, market.dex, -collateral);
}

function freshPosition(account: VenueAccount, market: PerpMarket): VenuePosition {
  const allTime = account.fundingPaid.get(market.asset) ?? 0n;
  const funding: CumulativeFunding = { allTime, sinceOpen: 0n, sinceChange: 0n };
  const { isCross, leverage } = leverageSetting(account, market);
  return { asset: market.asset, size: 0n, signedEntry: 0n, isCross, leverage, isolatedMargin: 0n, funding };
}
