/** What a price and a size may look like. */
import { trimTail } from "../../core/trim.ts";
import type { VenueMarket } from "./state.ts";

const MAX_SIGNIFICANT_FIGURES = 5;
const PERP_PRICE_DECIMALS = 6;
const SPOT_PRICE_DECIMALS = 8;

/** Most decimals of a price: 6 (perpetuals) or 8 (spot) less those of a size. */
export function priceDecimals(market: VenueMarket): number {
  return (market.kind === "perp" ? PERP_PRICE_DECIMALS : SPOT_PRICE_DECIMALS) - market.szDecimals;
}

/** Whole prices always pass; others have at most 5 significant figures and the market's decimals. */
export function isOnTick(market: VenueMarket, price: bigint): boolean {
  if (price % 100_000_000n === 0n) return true;
  if (price % 10n ** BigInt(8 - priceDecimals(market)) !== 0n) return false;
  // Not a whole number, so the digits without the zeros at the end are the figures.
  return trimTail(price.toString(), "0").length <= MAX_SIGNIFICANT_FIGURES;
}

export function isOnLot(market: VenueMarket, size: bigint): boolean {
  return size % lotOf(market) === 0n;
}

/** The smallest size, in 10^-8. */
export function lotOf(market: VenueMarket): bigint {
  return 10n ** BigInt(8 - market.szDecimals);
}

/** The nearest allowed price at or below (`down`) or at or above. Only for prices that the venue itself makes. */
export function toTick(market: VenueMarket, price: bigint, down: boolean): bigint {
  const digits = (price / 100_000_000n).toString();
  const whole = digits === "0" ? 0 : digits.length;
  const byFigures = whole > 0 ? MAX_SIGNIFICANT_FIGURES - whole : MAX_SIGNIFICANT_FIGURES + leadingZeros(price);
  const decimals = Math.max(0, Math.min(byFigures, priceDecimals(market)));
  const step = 10n ** BigInt(8 - decimals);
  const floor = (price / step) * step;
  return down || floor === price ? floor : floor + step;
}

/** Zeros between the point and the first figure of a price below 1. */
function leadingZeros(price: bigint): number {
  return 8 - price.toString().length;
}
