/** What an account is worth in all, with nothing counted twice and nothing guessed. */
import { add, type Decimal, isZero, multiply, ZERO } from "../../core/decimal.ts";
import type { AccountState } from "../../exchange/reads.ts";

export type Worth = {
  /** USD. */
  equity: Decimal;
  /** Tokens held of which no price is known: they are not in it. */
  unpriced: readonly string[];
};

const DOLLAR = "USDC";

/**
 * Standard accounts: the value of every dex and of spot. Where collateral is shared it lies in the spot balances, and what the
 * dexes say of themselves is the same money again: there it is spot, what cross positions have won or lost, and what
 * isolated ones hold.
 *
 * @param priceOf USD for one of a token; null where nobody tells it
 */
export function worthOf(
  { mode, spotBalances, byDex }: AccountState,
  priceOf: (token: string) => Decimal | null,
): Worth {
  const unpriced: string[] = [];
  let equity = ZERO;
  for (const { coin, total } of spotBalances) {
    const price = coin === DOLLAR ? null : priceOf(coin);
    if (coin === DOLLAR) equity = add(equity, total);
    else if (price !== null) equity = add(equity, multiply(total, price));
    else if (!isZero(total)) unpriced.push(coin);
  }
  for (const { state } of byDex) {
    if (mode === "standard") equity = add(equity, state.marginSummary.accountValue);
    else for (const position of state.positions) equity = add(equity, heldIn(position));
  }
  return { equity, unpriced };
}

type WorthPosition = AccountState["byDex"][number]["state"]["positions"][number];

function heldIn({ leverage, marginUsed, unrealizedPnl }: WorthPosition): Decimal {
  return leverage.type === "isolated" ? marginUsed : unrealizedPnl;
}
