/** What an account is worth in all, with nothing counted twice and nothing guessed. */
import type { ApiAccount, ApiMarket, ApiPosition } from "../api/resources.ts";
import { add, isZero, multiply } from "./decimal.ts";

/** The collateral of the known dexes, and what everything is told in. */
const DOLLAR = "USDC";

export type AccountHoldings = {
  account: ApiAccount;
  /** Null while they have not been read. */
  positions: readonly ApiPosition[] | null;
  markets: readonly ApiMarket[];
  /** Middle prices by market. */
  prices: ReadonlyMap<string, string>;
};

export type Total = {
  /** USDC. */
  worth: string;
  /** Tokens held whose price nobody tells: they are not in it. */
  unpriced: readonly string[];
};

/**
 * Standard accounts: the value of every dex and of spot. Where collateral is shared it lies in the spot balances, and what the dexes
 * say of themselves is the same money again: there it is spot, what cross positions have won or lost, and what isolated ones hold.
 * Null where that needs positions which have not been read.
 */
export function totalOf(holdings: AccountHoldings): Total | null {
  const spot = spotWorth(holdings);
  const { account, positions } = holdings;
  if (account.account_mode === "standard") {
    return { ...spot, worth: sumOf([spot.worth, ...account.perpetuals.map(({ equity }) => equity)]) };
  }
  if (positions === null) return null;
  const inPositions = positions.map(({ margin_type, margin_used, unrealized_pnl }) =>
    margin_type === "isolated" ? margin_used : unrealized_pnl,
  );
  return { ...spot, worth: sumOf([spot.worth, ...inPositions]) };
}

function spotWorth({ account, markets, prices }: AccountHoldings): Total {
  const unpriced: string[] = [];
  const worths = account.spot
    .filter(({ total }) => !isZero(total))
    .map(({ token, total }) => {
      const price = token === DOLLAR ? "1" : priceOf(token, markets, prices);
      if (price === undefined) unpriced.push(token);
      return price === undefined ? "0" : multiply(total, price);
    });
  return { worth: sumOf(worths), unpriced };
}

/** Names of tokens are not unique at the exchange: where two pairs have one name, neither price counts. */
function priceOf(
  token: string,
  markets: readonly ApiMarket[],
  prices: ReadonlyMap<string, string>,
): string | undefined {
  const [found, ...others] = markets.filter(({ pair }) => pair === `${token}/${DOLLAR}`);
  return found === undefined || others.length > 0 ? undefined : prices.get(found.market);
}

export function sumOf(amounts: readonly string[]): string {
  return amounts.reduce(add, "0");
}
