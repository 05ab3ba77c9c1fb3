import { decimal, decimalPlaces } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { findMarket, type Market, priceFault, sizeFault, suggestMarkets } from "../core/market.ts";
import type { OrderTerms } from "../core/order.ts";
import type { With } from "../deps.ts";
import { MAX_LIST_AGE_MS } from "../settle/pre-trade/obstacles.ts";
import { notBegun } from "./not-asked.ts";

/**
 * The market by its canonical name or pair name; an unknown one makes the universe be read again first. So does, for what
 * needs a list that is trusted, one that is old or that something which the exchange has shown contradicts. All orders need it
 * that are not reduce-only, a sale on spot as well: under the number of another market it would sell something else.
 */
export async function requireMarket(
  deps: With<"exchange" | "markets">,
  name: string,
  needsTrustedList: boolean,
): Promise<Market> {
  const known = deps.markets.current();
  const market = known === null ? null : findMarket(known, name);
  const isGood = ({ name: found }: Market) => !needsTrustedList || isListTrusted(deps, found);
  if (known !== null && market !== null && isGood(market)) return market;
  const fresh = await deps.markets.refresh();
  if (fresh === null) throw notRead(deps, "The exchange's markets could not be read yet");
  const found = findMarket(fresh, name);
  if (found !== null && isGood(found)) return found;
  if (found !== null) throw notTrusted(deps, found.name);
  const near = suggestMarkets(fresh, name);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.join(", ")}?`;
  throw new ApiError("unknown_market", `There is no market \`${name}\`.${hint}`);
}

function isListTrusted({ markets }: With<"markets">, name: string): boolean {
  const ageMs = markets.ageMs();
  return markets.doubtOf(name) === null && ageMs !== null && ageMs <= MAX_LIST_AGE_MS;
}

function notTrusted(deps: With<"exchange" | "markets">, name: string): ApiError {
  const doubt = deps.markets.doubtOf(name);
  if (doubt === null)
    return notRead(deps, "The list of markets is older than five minutes and could not be read again");
  const why = `The exchange shows ${doubt}, which contradicts its list of markets`;
  return notRead(deps, `${why}; that is being read again`);
}

/** Why a list of markets that a write needs is not there, or not good enough. */
export function notRead(deps: With<"exchange" | "markets">, plain: string): ApiError {
  const { isOurBudget, waitS } = deps.markets.nextReading();
  if (isOurBudget) return notBegun(deps, plain, { isOurBudget, waitS }, "settle");
  return new ApiError("exchange_unreachable", `${plain}. Nothing was sent.`, waitS);
}

/** Rules of an older universe than this are not held against a client, milliseconds. */
const MAX_UNIVERSE_AGE_MS = 10 * 60 * 1_000;

/** Decimals that the exchange's hashing can carry at all. */
const MAX_WIRE_DECIMALS = 8;

export function wireFault(value: string, field: string): string | null {
  if (decimalPlaces(decimal(value)) <= MAX_WIRE_DECIMALS) return null;
  return `${field} ${value} has more than ${MAX_WIRE_DECIMALS} decimals, which no market of the exchange takes.`;
}

/** A rule that would refuse these terms is read again before it does: rules change, and the key would be used up. */
export async function readRulesAgain(
  deps: With<"exchange" | "markets" | "settings">,
  market: Market,
  terms: Pick<OrderTerms, "size" | "price" | "trigger">,
  needsTrustedList: boolean,
): Promise<{ market: Market; fault: string | null }> {
  const spotFault = spotTriggerFault(deps, market, terms.trigger);
  if (spotFault !== null) return { market, fault: spotFault };
  await deps.markets.refresh("urgently");
  const again = await requireMarket(deps, market.name, needsTrustedList);
  return { market: again, fault: knownFault(deps, again, terms) };
}

/** That a market is spot does not change; that the exchange takes no triggers there may. */
function spotTriggerFault(
  { settings }: With<"settings">,
  { kind, name }: Market,
  trigger: OrderTerms["trigger"],
): string | null {
  if (kind !== "spot" || trigger === null || settings.areSpotTriggersSent) return null;
  return `${name} is spot, and the exchange takes no trigger orders on spot. Nothing was sent.`;
}

/** A rule that the exchange is certain to hold against the order, in words; null when it is the exchange's to decide. */
export function knownFault(
  deps: With<"markets" | "settings">,
  market: Market,
  { size, price, trigger }: Pick<OrderTerms, "size" | "price" | "trigger">,
): string | null {
  const spotFault = spotTriggerFault(deps, market, trigger);
  if (spotFault !== null) return spotFault;
  const unsendable =
    wireFault(size, "size") ??
    wireFault(price, "price") ??
    (trigger === null ? null : wireFault(trigger.price, "trigger.price"));
  if (unsendable !== null) return unsendable;
  // By our monotonic clock: the wall clock may have been set.
  if ((deps.markets.ageMs() ?? 0) > MAX_UNIVERSE_AGE_MS) return null;
  if (market.isDelisted) return `${market.name} is delisted: no orders are taken.`;
  return (
    sizeFault(market, decimal(size), "size") ??
    priceFault(market, decimal(price), "price") ??
    (trigger === null ? null : priceFault(market, decimal(trigger.price), "trigger.price"))
  );
}
