/** Numbers as the exchange prints them: float style, no trailing zeros, except that whole numbers keep ".0". */
import { fromUnits } from "../../core/decimal.ts";

/** State counts in 10^-8. */
const STATE_DECIMALS = 8;
/** Dollar figures of margin summaries, fees and funding are cut here. */
const USD_DECIMALS = 6;

function floatText(units: bigint, scale: number): string {
  const plain = fromUnits(units, scale);
  return plain.includes(".") ? plain : `${plain}.0`;
}

/** Prices, sizes and token amounts, with everything they have. */
export function numberText(value: bigint): string {
  return floatText(value, STATE_DECIMALS);
}

/** Dollars cut toward zero to 6 decimals. */
export function usdText(value: bigint): string {
  return floatText(value / 10n ** BigInt(STATE_DECIMALS - USD_DECIMALS), USD_DECIMALS);
}

/** A ratio held in 10^-12, cut toward zero to `decimals`. */
export function ratioText(valueE12: bigint, decimals: number): string {
  return floatText(valueE12 / 10n ** BigInt(12 - decimals), decimals);
}
