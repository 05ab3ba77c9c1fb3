/** Where oracle prices come from: a seeded random walk, a file of recorded prices, or only what a test sets. */
import { parseDecimal, toUnits } from "../core/decimal.ts";
import { type ChanceState, nextChance, spread } from "./chance.ts";
import type { VenueMarket } from "./engine/state.ts";

const PRICE_SCALE = 8;
/** Largest move of one tick, in millionths. */
const MAX_STEP_PPM = 300;
/** Pull back to the price of the listing at every tick, in millionths of the distance. */
const PULL_PPM = 500n;
const PPM = 1_000_000n;
/** Lines of a price file; beyond this it is not read. */
const MAX_ROWS = 1_000_000;

export type PriceRow = { readonly atMs: number; readonly coin: string; readonly price: bigint };

export type PriceSource =
  | { readonly kind: "walk" }
  | { readonly kind: "scripted" }
  /** Times count from the start of the venue; after the last row prices stand still. */
  | { readonly kind: "file"; readonly rows: readonly PriceRow[] };

/**
 * Lines `milliseconds,coin,price`, times from the start of the run, oldest first; empty lines and lines that
 * begin with `#` are skipped. Throws with the line number on anything else.
 */
export function readPriceFile(text: string): PriceSource {
  const rows: PriceRow[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const row = priceRow(line);
    const isLate = row !== null && row.atMs >= (rows.at(-1)?.atMs ?? 0);
    if (row === null || !isLate || rows.length >= MAX_ROWS) {
      throw new Error(`price file, line ${index + 1}: want "milliseconds,coin,price", oldest first`);
    }
    rows.push(row);
  }
  return { kind: "file", rows };
}

function priceRow(line: string): PriceRow | null {
  const [time = "", coin = "", price = "", ...rest] = line.split(",").map((part) => part.trim());
  const value = parseDecimal(price);
  if (rest.length > 0 || !/^[0-9]{1,15}$/.test(time) || coin === "" || value === null) return null;
  return { atMs: Number(time), coin, price: toUnits(value, PRICE_SCALE) };
}

/** One step of the walk: a random move, and a little of the way back to where the market was listed. */
export function walked(price: bigint, anchor: bigint, chance: ChanceState): bigint {
  const move = (price * BigInt(spread(nextChance(chance), MAX_STEP_PPM))) / PPM;
  const pull = ((anchor - price) * PULL_PPM) / PPM;
  const next = price + move + pull;
  return next > 0n ? next : price;
}

/** Cut to a price that the market takes: 5 significant figures, 6 (spot 8) less size decimals after the point. */
export function tickedPrice(market: VenueMarket, price: bigint): bigint {
  const maxDecimals = (market.kind === "perp" ? 6 : 8) - market.szDecimals;
  const byDecimals = 10n ** BigInt(PRICE_SCALE - Math.max(0, maxDecimals));
  const surplus = price.toString().length - 5;
  const byFigures = surplus > 0 ? 10n ** BigInt(surplus) : 1n;
  const whole = 10n ** BigInt(PRICE_SCALE);
  // Whole numbers are always allowed, however many figures they have.
  const coarse = byFigures > whole ? whole : byFigures;
  const step = coarse > byDecimals ? coarse : byDecimals;
  const down = price - (price % step);
  return down > 0n ? down : step;
}

/** The smallest difference between two prices near this one. */
export function tickAt(market: VenueMarket, price: bigint): bigint {
  let step = 1n;
  // At most 9 times: a tick of one whole unit is always allowed.
  for (let power = 0; power <= PRICE_SCALE; power += 1) {
    const up = price + step;
    if (tickedPrice(market, up) === up && tickedPrice(market, price) === price) return step;
    step *= 10n;
  }
  return step;
}
