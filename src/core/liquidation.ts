/** Where a position would be liquidated once an entry is filled. Pure; figures of the exchange in, one price out. */
import { absolute, add, compare, type Decimal, decimal, divide, multiply, subtract, ZERO } from "./decimal.ts";
import { type Market, roundPrice } from "./market.ts";
import type { Side } from "./order.ts";
import { signedSize } from "./signed-size.ts";

export type Backing = {
  /** Signed size that is held in the market, and its signed value at the mark. */
  held: Decimal;
  heldValue: Decimal;
  /** All that stands behind the position at these marks, USD; of an isolated one with what the entry brings along. */
  equity: Decimal;
  /** What other positions need of the same equity, USD. */
  otherMaintenance: Decimal;
  /** In words: `cross` or `isolated at 20x`. */
  margin: string;
};

/** `size` zero: nothing is entered any more. `price`: the worst that it fills at. */
export type Entering = { side: Side; size: Decimal; price: Decimal };

/** Decimals of a price that the exchange prints. */
const PRICE_DECIMALS = 10;

/**
 * Price at which equity is as much as half of the initial margin at the market's highest leverage; null where there is none, or the
 * position would not be on the entry's side. Larger positions need more where the market has tiers: this is the price that is
 * certain, and theirs is nearer.
 */
export function liquidationPrice(
  { maxLeverage }: Pick<Market, "maxLeverage">,
  { held, heldValue, equity, otherMaintenance }: Backing,
  { side, size, price }: Entering,
): Decimal | null {
  const bought = signedSize(side, size);
  const all = add(held, bought);
  const isOnSide = compare(all, ZERO) === (side === "buy" ? 1 : -1);
  if (!isOnSide || maxLeverage === null) return null;
  // equity + all * x - (heldValue + bought * price) = otherMaintenance + |all| * x / twice, solved for x.
  const twice = decimal(String(2 * maxLeverage));
  const entered = add(heldValue, multiply(bought, price));
  const above = multiply(twice, add(subtract(entered, equity), otherMaintenance));
  const below = subtract(multiply(twice, all), absolute(all));
  const found = divide(above, below, PRICE_DECIMALS);
  return compare(found, ZERO) === 1 ? found : null;
}

/** Why a stop on this side would come too late; null where it would not. */
export function lateStop(
  market: Market,
  entering: Entering,
  { backing, triggerPrice }: { backing: Backing; triggerPrice: Decimal },
): string | null {
  const price = liquidationPrice(market, backing, entering);
  const { side } = entering;
  if (price === null || compare(triggerPrice, price) === (side === "buy" ? 1 : -1)) return null;
  const shown = roundPrice(market, price, side === "buy" ? "up" : "down");
  const all = absolute(add(backing.held, signedSize(side, entering.size)));
  const filled = compare(entering.size, ZERO) === 0 ? "" : `, filled at ${entering.price},`;
  return (
    `A position of ${all}${filled} would be liquidated at ${shown} (${backing.margin}, ${backing.equity} USD behind it, ` +
    `maintenance 1/${2 * (market.maxLeverage ?? 1)} of its value), and stop_loss.trigger_price ${triggerPrice} is not before that`
  );
}
