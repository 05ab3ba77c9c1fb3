import { decimal, decimalPlaces } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { findMarket, type Market, priceFault, sizeFault, suggestMarkets, type Universe } from "../core/market.ts";
import type { OrderTerms } from "../core/order.ts";
import type { Deps } from "../deps.ts";

/** The market by its canonical name or pair name; an unknown one makes the universe be read again first. */
export async function requireMarket(deps: Deps, name: string): Promise<{ market: Market; universe: Universe }> {
  const known = deps.markets.current();
  const market = known === null ? null : findMarket(known, name);
  if (known !== null && market !== null) return { market, universe: known };
  const fresh = await deps.markets.refresh();
  if (fresh === null) {
    throw new ApiError("exchange_unreachable", "The exchange's markets could not be read yet. Nothing was sent.");
  }
  const found = findMarket(fresh, name);
  if (found !== null) return { market: found, universe: fresh };
  const near = suggestMarkets(fresh, name);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(", ")}?`;
  throw new ApiError("unknown_market", `There is no market \`${name}\`.${hint}`);
}

/** Rules of an older universe than this are not held against a client, milliseconds. */
const MAX_UNIVERSE_AGE_MS = 10 * 60 * 1_000;

/** Decimals that the exchange's hashing can carry at all. */
const MAX_WIRE_DECIMALS = 8;

export function wireFault(value: string, field: string): string | null {
  if (decimalPlaces(decimal(value)) <= MAX_WIRE_DECIMALS) return null;
  return `${field} ${value} has more than ${MAX_WIRE_DECIMALS} decimals, which no market of the exchange takes.`;
}

/** A rule that the exchange is certain to hold against the order, in words; null when it is the exchange's to decide. */
export function knownFault(
  deps: Deps,
  about: { market: Market; universe: Universe; terms: Pick<OrderTerms, "size" | "price" | "trigger"> },
): string | null {
  const { market, universe, terms } = about;
  const { size, price, trigger } = terms;
  const unsendable =
    wireFault(size, "size") ??
    wireFault(price, "price") ??
    (trigger === null ? null : wireFault(trigger.price, "trigger.price"));
  if (unsendable !== null) return unsendable;
  if (deps.clock.nowMs() - universe.readAtMs > MAX_UNIVERSE_AGE_MS) return null;
  if (market.isDelisted) return `${market.name} is delisted: no orders are taken.`;
  return (
    sizeFault(market, decimal(size), "size") ??
    priceFault(market, decimal(price), "price") ??
    (trigger === null ? null : priceFault(market, decimal(trigger.price), "trigger.price"))
  );
}
