/**
 * The texts with which the exchange refuses an action for good, and what they mean to a trader. Braces hold variable
 * parts. Texts about nonces and expiry are left out on purpose: they tell that some copy of the action was refused,
 * not that no copy was executed.
 */

import type { ActionType } from "../action/index.ts";

/** `of`: `all` where it may stand for every order of an action. */
export type ListedText = readonly [text: string, words: string, of?: "all"];

const ORDER: readonly ListedText[] = [
  [
    "Price must be divisible by tick size.",
    "The price has more digits than this market allows: at most 5 significant figures.",
    "all",
  ],
  [
    "Order must have minimum value of {dollars}.",
    "The order is too small: size times price has to reach the minimum value.",
  ],
  [
    "Order must have minimum value of {number} {name}.",
    "The order is too small: size times price has to reach the minimum value.",
  ],
  ["Order value too large. Max is {dollars}.", "The order is too large: split it into several."],
  [
    "Insufficient margin to place order.",
    "There is not enough free margin: add collateral, or lower the size or raise the leverage.",
  ],
  [
    "Reduce only order would increase position.",
    "Nothing to reduce: a reduce-only order needs a position on the other side.",
  ],
  [
    "Post only order would have immediately matched, bbo was {rest}",
    "A post-only order may not take: its price crosses the book.",
  ],
  [
    "Order could not immediately match against any resting orders.",
    "Nothing was offered within the price bound: an immediate-or-cancel order needs a price that crosses the book.",
  ],
  ["Invalid TP/SL price.", "The trigger is already met, or the price lies on the wrong side of the trigger."],
  [
    "Placing trigger orders is not enabled on spot trading yet.",
    "The exchange takes no trigger orders on spot: watch the price yourself and place a plain order.",
    "all",
  ],
  ["No liquidity available for market order.", "Nothing was offered within the price bound."],
  ["Insufficient spot balance", "There is not enough of the token to pay with."],
  ["Order has insufficient spot balance to trade", "There is not enough of the token to pay with."],
  ["Price too far from oracle", "The price is too far from the oracle price: bring it nearer."],
  ["Order price too far from oracle", "The price is too far from the oracle price: bring it nearer."],
  [
    "Order price cannot be more than {number}% away from the reference price",
    "The price is too far from the reference price: bring it nearer.",
    "all",
  ],
  [
    "Order would increase open interest while open interest is capped",
    "This market is at its cap of open interest: only orders that reduce are taken.",
  ],
  [
    "Cannot increase position when open interest is at cap.",
    "This market is at its cap of open interest: only orders that reduce are taken.",
  ],
  [
    "Cannot flip position when open interest is at cap.",
    "This market is at its cap of open interest: close the position without turning it round.",
  ],
  [
    "Order rejected due to price more aggressive than oracle while at open interest cap",
    "This market is at its cap of open interest: the price may not be more aggressive than the oracle price.",
  ],
  ["Asset open interest is at cap.", "This market is at its cap of open interest: only orders that reduce are taken."],
  [
    "Order would increase open interest too quickly",
    "Open interest of this market grows too fast: try again in a few seconds.",
  ],
  [
    "Open interest is increasing too quickly. Try again in a few seconds.",
    "Open interest of this market grows too fast: try again in a few seconds.",
  ],
  [
    "Order would cause position to exceed margin tier limit at current leverage",
    "The position would be too large for the leverage: lower the leverage or the size.",
  ],
  [
    "Order would exceed maximum position size for current leverage.",
    "The position would be too large for the leverage: lower the leverage or the size.",
  ],
  ["Too many open orders", "The account has as many open orders as the exchange allows: cancel some."],
  ["Order has invalid size.", "The size has more decimals than this market allows, or is zero.", "all"],
  ["Order has invalid price.", "The price is not one that this market allows.", "all"],
  ["Order has zero size.", "The size is zero at this market's precision.", "all"],
  ["Orders are empty.", "The action held no order.", "all"],
  ["Reduce-only is invalid for spot trading.", "Spot orders cannot be reduce-only: leave `reduce_only` out.", "all"],
  ["Invalid spot", "The exchange does not know this spot pair.", "all"],
  ["Invalid TIF", "The exchange does not take this time in force here.", "all"],
  ["Order action has different asset classes", "One action cannot mix spot and perpetual orders.", "all"],
  ["A nonzero cloid is required for each order", "The order had no client order id.", "all"],
  ["Order size cannot be larger than half of total supply", "The size is larger than half of the token's supply."],
  ["Unexpected number of trigger orders", "The trigger orders do not fit their parent order.", "all"],
  ["Trigger order is not reduce only.", "A trigger order of this kind has to be reduce-only.", "all"],
  ["Trigger order has unexpected side.", "A trigger order of this kind has to be on the other side.", "all"],
  [
    "Cross margin currently only supports reduce-only orders",
    "This market takes new positions with isolated margin only: set isolated margin first.",
  ],
  ["Cross margin disabled", "This market takes isolated margin only: set isolated margin first."],
  [
    "Only post-only orders allowed immediately after {rest}",
    "The exchange was just upgraded and takes post-only orders alone for a moment: try again shortly.",
  ],
  ["Insufficient delegatable balance for priority order", "There is not enough balance for a priority order."],
];

const CANCEL: readonly ListedText[] = [
  [
    "Order was never placed, already canceled, or filled.",
    "There is nothing left to cancel: the order is gone, filled, or not yet visible.",
  ],
];

const MODIFY: readonly ListedText[] = [
  ["Cannot modify canceled or filled order", "The order is already closed."],
  [
    "Attempted to modify to invalid new order",
    "This change is not allowed without `always_place`: the replacement must rest in the book, on the same side.",
  ],
  ["Error placing new order during modify: {rest}", "The original order was canceled and its replacement was refused."],
];

const LEVERAGE: readonly ListedText[] = [
  ["Invalid leverage value", "The leverage is zero or above this market's maximum."],
  [
    "Cannot switch leverage type with open position.",
    "Close the position before changing between cross and isolated margin.",
  ],
  [
    "Isolated position does not have sufficient margin available to decrease leverage. To decrease leverage, add margin to the position.",
    "Add margin to the position before lowering the leverage.",
  ],
  [
    "Cross position does not have sufficient margin available to decrease leverage. To decrease leverage, deposit more collateral.",
    "Deposit more collateral before lowering the leverage.",
  ],
  ["Cross margin is not allowed for this asset.", "This market takes isolated margin only."],
  [
    "Cannot automatically accept new margin tiers on {rest}",
    "The margin tiers of this market changed: set the leverage again to accept them.",
  ],
];

const MARGIN: readonly ListedText[] = [
  [
    "Position does not use isolated margin.",
    "The position uses cross margin: margin can be moved on isolated positions only.",
  ],
  ["Update to isolated margin cannot be zero.", "The amount is zero."],
  ["Cannot update margin for empty position.", "There is no position in this market."],
  [
    "Account does not have sufficient margin available for increase.",
    "There is not enough free collateral for this amount.",
  ],
  [
    "Position does not have sufficient margin for reduction.",
    "So much margin cannot be taken out: what stays must cover the initial margin and 10% of the position's value.",
  ],
  [
    "Cannot remove isolated margin for this asset. To remove margin, reduce the position.",
    "Margin cannot be taken out in this market: reduce the position instead.",
  ],
  ["Asset not strict isolated", "This market does not work that way."],
  ["Unknown user while updating isolated margin.", "The exchange does not know the account: deposit first."],
];

const TWAP: readonly ListedText[] = [
  ["Invalid TWAP duration: {number} min(s)", "The exchange does not take a TWAP of this length."],
  ["TWAP order value too small. Min is {dollars}.", "The TWAP is too small: raise its size."],
  [
    "TWAP order value too small. Min is {dollars}, which is {dollars} per minute.",
    "The TWAP is too small for its length: raise its size or shorten it.",
  ],
  ["TWAP order value too large. Max is {dollars}", "The TWAP is too large: lower its size."],
  ["Exceeded max number of active TWAP orders.", "Too many TWAPs are running: cancel one first."],
  [
    "Reduce-only TWAP order would increase position.",
    "Nothing to reduce: a reduce-only TWAP needs a position on the other side.",
  ],
];

const TWAP_CANCEL: readonly ListedText[] = [
  [
    "TWAP was never placed, already canceled, or filled.",
    "There is nothing left to cancel: the TWAP has ended or never was.",
  ],
];

/** Of the account, of a market that is closed, or of any action that carries several things. */
const GENERAL: readonly ListedText[] = [
  ["Trading is halted.", "Trading in this market is halted."],
  ["Signed action over weight limit of {number}.", "The batch is larger than the exchange takes.", "all"],
  [
    "User or API Wallet {address} does not exist.",
    "The exchange does not accept this agent key: the owner has to approve it (again), see `postern agent approval`.",
    "all",
  ],
  [
    "Must deposit before performing actions. User: {address}",
    "The exchange sees no funded account behind this agent key: deposit to the account, or, if it has funds, approve the agent again.",
    "all",
  ],
  ["Unable to recover signer.", "The exchange could not read our signature: please report this.", "all"],
  ["Vault not registered: {address}", "The exchange does not know this sub-account or vault.", "all"],
  [
    "Too many cumulative requests sent ({number} > {number}) for cumulative volume traded {dollars}. Place taker orders to free up 1 request per USDC traded.",
    "The account has used up its actions at the exchange: each USDC traded frees one; until then one action every ten seconds is taken.",
    "all",
  ],
  ["Action disabled when unified account is active", "The account's mode does not allow this."],
  [
    "Cannot set scheduled cancel time until enough volume traded. Required: {dollars}. Traded: {dollars}.",
    "The account has not traded enough for scheduled cancels.",
  ],
  ["Too many scheduled cancels triggered for the day. Limit is {number}", "The day's scheduled cancels are used up."],
  [
    "Scheduled cancel time too early, must be at least 5 seconds from now.",
    "The time of the scheduled cancel is too near.",
  ],
  [
    "Too many extra agents for cumulative volume traded. Current limit is {number}",
    "All agent slots of the account are taken: remove one at the exchange first.",
  ],
  ["Extra agent already used.", "This agent key was used before: make a new one with `postern agent new`."],
  ["Agent valid_until already expired.", "The approval's end is in the past or more than 180 days ahead."],
  ["User has pending agent removal", "An agent was just removed: try again in ten seconds."],
  ["Builder has insufficient balance to be approved.", "The builder needs 100 USDC in its perpetuals account.", "all"],
  [
    "Builder fee has not been approved.",
    "The owner has not approved the builder fee: approve it, or turn the builder fee off.",
    "all",
  ],
];

/** `of`: the actions that are refused in these words; null for every action. */
type TextsOfActions = { of: readonly ActionType[] | null; texts: readonly ListedText[] };

export const TEXTS_OF_ACTIONS: readonly TextsOfActions[] = [
  { of: ["order", "batchModify", "twapOrder"], texts: ORDER },
  { of: ["cancel", "cancelByCloid", "batchModify"], texts: CANCEL },
  { of: ["batchModify"], texts: MODIFY },
  { of: ["updateLeverage"], texts: LEVERAGE },
  { of: ["updateIsolatedMargin"], texts: MARGIN },
  { of: ["twapOrder"], texts: TWAP },
  { of: ["twapCancel"], texts: TWAP_CANCEL },
  { of: null, texts: GENERAL },
];

export const REFUSAL_TEXTS: readonly ListedText[] = TEXTS_OF_ACTIONS.flatMap(({ texts }) => texts);
