/** The moving figures of a market: mids, mark, oracle, funding, volumes. */
import type { PerpMarket, SpotMarket, Venue, VenueLevel, VenueMarket } from "../engine/state.ts";
import { cut } from "../engine/units.ts";
import { numberText, ratioText, usdText } from "./number-format.ts";

/** Dollars of depth behind which impact prices are taken. */
const IMPACT_NOTIONAL = 20_000n * 100_000_000n;
/** Hourly rate when premium is nothing: 0.01 % in 8 hours. */
const BASE_HOURLY_RATE_E12 = 12_500_000n;
const E8 = 100_000_000n;
const E12 = 1_000_000_000_000n;

/** Middle of the book, or the last trade's price when a side is empty; null when there was neither. */
export function midPrice(venue: Venue, market: VenueMarket): bigint | null {
  return bookMid(venue, market) ?? market.stats.lastTradePrice;
}

function bookMid(venue: Venue, market: VenueMarket): bigint | null {
  const book = venue.books.get(market.asset);
  const bid = book?.bids[0]?.price;
  const ask = book?.asks[0]?.price;
  return bid === undefined || ask === undefined ? null : (bid + ask) / 2n;
}

export function perpContext(venue: Venue, market: PerpMarket): Record<string, unknown> {
  const mid = bookMid(venue, market);
  const impact = impactPrices(venue, market);
  const premium = impact === null ? null : premiumE12(market.oraclePrice, impact);
  return {
    funding: ratioText(fundingRateE12(premium ?? 0n), 10),
    openInterest: numberText(market.openInterest),
    prevDayPx: numberText(market.stats.previousDayPrice),
    dayNtlVlm: usdText(market.stats.dayNotional),
    premium: premium === null ? null : ratioText(premium, 10),
    oraclePx: numberText(market.oraclePrice),
    markPx: numberText(market.markPrice),
    midPx: mid === null ? null : numberText(mid),
    impactPxs:
      impact === null ? null : impact.map((price) => numberText(cut(price, Math.max(0, 6 - market.szDecimals)))),
    dayBaseVlm: numberText(market.stats.dayBase),
  };
}

export function spotContext(venue: Venue, market: SpotMarket): Record<string, unknown> {
  const mid = bookMid(venue, market);
  return {
    prevDayPx: numberText(market.stats.previousDayPrice),
    dayNtlVlm: usdText(market.stats.dayNotional),
    markPx: numberText(market.markPrice),
    midPx: mid === null ? null : numberText(mid),
    circulatingSupply: CIRCULATING_SUPPLY,
    coin: market.coin,
    totalSupply: CIRCULATING_SUPPLY,
    dayBaseVlm: numberText(market.stats.dayBase),
  };
}

/** Tokens are paid in by `fund` without end; a round figure stands for the supply. */
export const CIRCULATING_SUPPLY = "1000000000.0";

function impactPrices(venue: Venue, market: PerpMarket): [bigint, bigint] | null {
  const book = venue.books.get(market.asset);
  const bid = book === undefined ? null : impactPrice(venue, book.bids);
  const ask = book === undefined ? null : impactPrice(venue, book.asks);
  return bid === null || ask === null ? null : [bid, ask];
}

/** Average price of trading IMPACT_NOTIONAL against one side; null when the side is thinner than that. */
function impactPrice(venue: Venue, levels: readonly VenueLevel[]): bigint | null {
  let notional = 0n;
  let size = 0n;
  for (const level of levels) {
    const levelSize = levelSizeOf(venue, level);
    const levelNotional = (levelSize * level.price) / E8;
    if (notional + levelNotional >= IMPACT_NOTIONAL) {
      const rest = ((IMPACT_NOTIONAL - notional) * E8) / level.price;
      return size + rest === 0n ? level.price : (IMPACT_NOTIONAL * E8) / (size + rest);
    }
    notional += levelNotional;
    size += levelSize;
  }
  return null;
}

export function levelSizeOf(venue: Venue, level: VenueLevel): bigint {
  return level.oids.reduce((sum, oid) => sum + (venue.orders.get(oid)?.size ?? 0n), 0n);
}

function premiumE12(oracle: bigint, [bid, ask]: readonly [bigint, bigint]): bigint {
  if (oracle === 0n) return 0n;
  const above = bid > oracle ? bid - oracle : 0n;
  const below = oracle > ask ? oracle - ask : 0n;
  return ((above - below) * E12) / oracle;
}

/** 8-hour rate is premium plus the clamped distance to 0.01 %; an hour pays an eighth of it. */
function fundingRateE12(premium: bigint): bigint {
  const interest = BASE_HOURLY_RATE_E12 * 8n;
  const clampAt = 5n * interest;
  const distance = interest - premium;
  const clamped = distance > clampAt ? clampAt : distance < -clampAt ? -clampAt : distance;
  return (premium + clamped) / 8n;
}
