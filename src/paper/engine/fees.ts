/** Trading fees, cut as the exchange cuts them. */
import { dexOf } from "./accounts.ts";
import type { PerpMarket, SpotMarket, Token, Venue, VenueBuilder } from "./state.ts";
import { atRate, cut, ONE_E12 } from "./units.ts";

/** Builder fees are in tenths of a basis point of the notional. */
const TENTHS_BP_IN_ONE = 100_000n;
const USD_DECIMALS = 6;
const GROWTH_MODE_DIVISOR = 10n;

export type FeeCharge = { fee: bigint; builderFee: bigint };

/** A positive rate after the discount of everybody; rebates are not discounted. */
function discounted(venue: Venue, rateE12: bigint): bigint {
  if (rateE12 <= 0n) return rateE12;
  return atRate(rateE12, ONE_E12 - venue.options.feeDiscountE12);
}

/** Effective rate in 10^-12: a HIP-3 dex takes its scale on top, growth mode a tenth of it all. */
export function perpRateE12(venue: Venue, market: PerpMarket, isMaker: boolean): bigint {
  let rate = isMaker ? venue.options.perpMakerRateE12 : venue.options.perpTakerRateE12;
  if (market.dex !== 0) {
    const scale = dexOf(venue, market.dex).deployerFeeScaleE12;
    rate = atRate(rate, scale < ONE_E12 ? ONE_E12 + scale : 2n * scale);
  }
  if (market.growthMode) rate /= GROWTH_MODE_DIVISOR;
  return discounted(venue, rate);
}

export type PerpFeeInput = { market: PerpMarket; notional: bigint; isMaker: boolean; builder: VenueBuilder | null };

/** `fee` holds `builderFee`; each is cut to micro-dollars on its own. */
export function perpFee(venue: Venue, { market, notional, isMaker, builder }: PerpFeeInput): FeeCharge {
  const own = cut(atRate(notional, perpRateE12(venue, market, isMaker)), USD_DECIMALS);
  const builderFee = builderShare(notional, builder);
  return { fee: own + builderFee, builderFee };
}

function builderShare(notional: bigint, builder: VenueBuilder | null): bigint {
  if (builder === null) return 0n;
  return cut((notional * BigInt(builder.feeTenthsBp)) / TENTHS_BP_IN_ONE, USD_DECIMALS);
}

export function spotRateE12(venue: Venue, isMaker: boolean): bigint {
  return discounted(venue, isMaker ? venue.options.spotMakerRateE12 : venue.options.spotTakerRateE12);
}

export type SpotFeeInput = {
  market: SpotMarket;
  isBuy: boolean;
  price: bigint;
  notional: bigint;
  isMaker: boolean;
  builder: VenueBuilder | null;
};

/** Paid in the token received: quote for a sell, base for a buy. A builder is paid on sells only. */
export function spotFee(venue: Venue, input: SpotFeeInput): FeeCharge {
  const quote = token(venue, input.market.quoteToken);
  const fee = quoteFee(input.notional, quote, spotRateE12(venue, input.isMaker));
  if (input.isBuy) {
    const base = token(venue, input.market.baseToken);
    return { fee: cut((fee * 100_000_000n) / input.price, base.weiDecimals), builderFee: 0n };
  }
  const builderFee = builderShare(input.notional, input.builder);
  return { fee: fee + builderFee, builderFee };
}

/**
 * The one place with floats, because the exchange multiplies here in floats (measured) and a whole result may
 * fall one unit short: floor(f64(gross in wei) * f64(rate)) wei.
 */
function quoteFee(gross: bigint, quote: Token, rateE12: bigint): bigint {
  const step = 10n ** BigInt(8 - quote.weiDecimals);
  const rate = Number(rateE12) / Number(ONE_E12);
  return BigInt(Math.floor(Number(gross / step) * rate)) * step;
}

function token(venue: Venue, index: number): Token {
  const found = venue.tokens.get(index);
  if (found === undefined) throw new Error(`bug: no token ${index}`);
  return found;
}
