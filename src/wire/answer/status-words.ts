/** What a status of the exchange means for an order. */
export type StatusMeaning = "open" | "filled" | "triggered" | "canceled" | "rejected" | "unknown";

const WORDS = new Map([
  ["marginCanceled", "canceled by the exchange: not enough margin when it was about to fill"],
  ["vaultWithdrawalCanceled", "canceled by the exchange: a withdrawal from the vault"],
  ["openInterestCapCanceled", "canceled by the exchange: the market reached its cap of open interest"],
  ["selfTradeCanceled", "canceled by the exchange: it would have traded against an order of the same account"],
  ["reduceOnlyCanceled", "canceled by the exchange: reduce-only, and there is nothing left to reduce"],
  ["siblingFilledCanceled", "canceled by the exchange: the other order of its pair was filled"],
  ["delistedCanceled", "canceled by the exchange: the market was delisted"],
  ["liquidatedCanceled", "canceled by the exchange: the account was liquidated"],
  ["outcomeSettledCanceled", "canceled by the exchange: the market was settled"],
  ["scheduledCancel", "canceled by a scheduled cancel of the account"],
  ["internalCancel", "canceled by the exchange"],
  ["perpMaxPositionCanceled", "canceled by the exchange: the position would be too large for the leverage"],
  ["rejected", "rejected by the exchange"],
  ["tickRejected", "rejected: the price has more digits than this market allows"],
  ["minTradeNtlRejected", "rejected: below the minimum order value"],
  ["minTradeSpotNtlRejected", "rejected: below the minimum order value"],
  ["perpMarginRejected", "rejected: not enough free margin"],
  ["reduceOnlyRejected", "rejected: reduce-only, and it would increase the position"],
  ["badAloPxRejected", "rejected: post-only, and its price crosses the book"],
  ["iocCancelRejected", "rejected: nothing was offered within the price bound"],
  ["badTriggerPxRejected", "rejected: the trigger is already met, or lies on the wrong side of the price"],
  ["marketOrderNoLiquidityRejected", "rejected: nothing was offered within the price bound"],
  ["positionIncreaseAtOpenInterestCapRejected", "rejected: the market is at its cap of open interest"],
  ["positionFlipAtOpenInterestCapRejected", "rejected: the market is at its cap of open interest"],
  ["tooAggressiveAtOpenInterestCapRejected", "rejected: the market is at its cap of open interest"],
  ["openInterestIncreaseRejected", "rejected: open interest of this market grows too fast"],
  ["insufficientSpotBalanceRejected", "rejected: not enough of the token to pay with"],
  ["oracleRejected", "rejected: the price is too far from the oracle price"],
  ["perpMaxPositionRejected", "rejected: the position would be too large for the leverage"],
  ["tooManyOpenOrdersRejected", "rejected: the account has too many open orders"],
  ["outcomeSettledRejected", "rejected: the market was settled"],
]);

/**
 * Only words that are listed here are believed by themselves. The ending of a new one tells nothing: what waits to be
 * canceled, or the refusal of a cancel, may end like the order's own end and be said of an order that lives.
 */
export function statusMeaning(status: string): StatusMeaning {
  if (status === "open" || status === "filled" || status === "triggered" || status === "canceled") return status;
  if (!WORDS.has(status)) return "unknown";
  return status === "rejected" || status.endsWith("Rejected") ? "rejected" : "canceled";
}

/** Whether the word is one for an end: an order that had it is open no more, whatever is told of it later. */
export function saysOver(status: string): boolean {
  const meaning = statusMeaning(status);
  return meaning === "filled" || meaning === "canceled" || meaning === "rejected";
}

/**
 * How a word that is new says that an order ended, by its own ending; null where it does not. Nothing is told by it alone: a list of open
 * orders has to lack the order as well (`settle/look`).
 */
export function endingOf(status: string): "canceled" | "rejected" | null {
  if (status.endsWith("Rejected")) return "rejected";
  return status.endsWith("Canceled") || status.endsWith("Cancel") ? "canceled" : null;
}

/** Longest unknown status that is shown. */
const MAX_SHOWN = 60;

/** Why, in plain words and with the exchange's own word; null for statuses that need no reason. */
export function statusWords(status: string): string | null {
  const meaning = statusMeaning(status);
  if (status === "canceled" || meaning === "open" || meaning === "filled" || meaning === "triggered") return null;
  const shown = status.slice(0, MAX_SHOWN).replace(/\p{Cc}+/gu, " ");
  const words = WORDS.get(status) ?? "unknown status";
  return `${words} (${shown})`;
}
