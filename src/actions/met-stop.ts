/** A stop that the mark has come to already protects nothing: it would execute at once. Nor does a take-profit wait there. */
import type { Decimal } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { findMarket } from "../core/market.ts";
import { isProfitMet, isStopMet, type Trade } from "../core/trade.ts";
import type { With } from "../deps.ts";
import type { Purpose } from "../exchange/exchange.ts";
import { MARK_MAX_AGE_MS } from "../write/newest-reference.ts";
import { notBegun } from "./not-asked.ts";

type ToKnowMark = With<"exchange" | "marketView" | "markets">;

type Stopped = Pick<Trade, "market" | "side"> & { stopLoss: { triggerPrice: string } };

/** Throws `stop_already_met`, and where nobody knows the mark that nothing was begun. */
export async function requireUnmetStop(deps: ToKnowMark, trade: Stopped): Promise<void> {
  const look = await lookAtMark(deps, trade.market, "order");
  if (look?.kind === "ok") return requireUnmet(trade, look.value.mark);
  const failed = look ?? { isOurBudget: false };
  throw notBegun(
    deps,
    `The mark of ${trade.market} is not known, nor so whether its stop would execute at once`,
    failed,
  );
}

type MovedGuards = Pick<Trade, "market" | "side"> & {
  stopLoss: { triggerPrice: string } | null;
  takeProfit: { triggerPrice: string } | null;
};

/**
 * Throws `stop_already_met` or `take_profit_already_met` for a guard that is moved to where it would execute at once.
 * Where nobody knows the mark it passes.
 */
export async function requireUnmetWhereKnown(
  deps: ToKnowMark,
  { market, side, stopLoss, takeProfit }: MovedGuards,
): Promise<void> {
  if (stopLoss === null && takeProfit === null) return;
  const mark = await markNow(deps, market, "reduce");
  if (mark === null) return;
  if (stopLoss !== null) requireUnmet({ market, side, stopLoss }, mark);
  if (takeProfit === null || !isProfitMet(side, takeProfit.triggerPrice, mark)) return;
  const where = side === "buy" ? "not above" : "not below";
  throw new ApiError(
    "take_profit_already_met",
    `The mark of ${market} is ${mark}, and take_profit.trigger_price ${takeProfit.triggerPrice} is ${where} it: close it instead. Nothing was sent.`,
  );
}

/** Not older than five seconds; null where that could not be had. */
export async function markNow(deps: ToKnowMark, market: string, purpose: Purpose): Promise<Decimal | null> {
  const look = await lookAtMark(deps, market, purpose);
  return look?.kind === "ok" ? look.value.mark : null;
}

async function lookAtMark({ marketView, markets }: ToKnowMark, name: string, purpose: Purpose) {
  const universe = markets.current();
  const market = universe === null ? null : findMarket(universe, name);
  return market === null ? null : marketView.mark(market, purpose, MARK_MAX_AGE_MS);
}

function requireUnmet({ market, side, stopLoss: { triggerPrice } }: Stopped, mark: Decimal): void {
  if (!isStopMet(side, triggerPrice, mark)) return;
  const where = side === "buy" ? "not below" : "not above";
  throw new ApiError(
    "stop_already_met",
    `The mark of ${market} is ${mark}, and stop_loss.trigger_price ${triggerPrice} is ${where} it: the stop would execute at once. Nothing was sent.`,
  );
}
