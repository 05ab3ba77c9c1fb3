import type { ErrorCode } from "../core/errors.ts";

/** What each code means, for the interface description; the answer's own message says what was wrong this time. */
export const ERROR_WORDS = {
  invalid_json:
    "The body is no JSON, is cut off, not UTF-8, nests too deep, holds too many values, or names a member twice.",
  invalid_content_type: "The body is not declared as application/json.",
  body_too_large: "The body has more bytes than this request may have.",
  invalid_parameter: "A parameter does not have the documented form; the message names it.",
  unknown_parameter: "The request has a parameter that the route does not know.",
  missing_parameter: "A required parameter is missing.",
  invalid_id: "The id in the path has none of the documented forms.",
  invalid_limit: "limit is no whole number from 1 to 500.",
  invalid_cursor: "cursor is not one that this list gave out.",
  invalid_status: "status is none of the documented words.",
  unknown_market: "There is no such market on the supported dexes.",
  unknown_dex: "dex is not supported here.",
  perpetual_market_required: "The action exists for perpetual markets only.",
  always_place_required: "A trigger can be modified with always_place only.",
  order_refused:
    "An order of a batch has a known fault, as a price off the tick or a size below the step. Nothing was sent, and the Idempotency-Key is not used.",
  nothing_to_modify: "None of what can be changed was given.",
  idempotency_key_required: "The Idempotency-Key header is missing.",
  invalid_idempotency_key: "Idempotency-Key is not one header of 8 to 128 visible ASCII characters.",
  mainnet_required: "Grants are for exchange_mainnet only.",
  grant_expired: "issued_at is more than 60 minutes ago.",
  issued_at_in_future: "issued_at is more than 60 seconds ahead.",
  missing_api_key: "There is no Authorization header.",
  invalid_api_key: "The Authorization header holds no API key that is registered here.",
  revoked_api_key: "The key was revoked, blocked, or is on hold after a restore.",
  invalid_signature: "The signature is not the account owner's for exactly this message and this gateway.",
  invalid_setup_token: "The set-up token is wrong or used.",
  expired_api_key: "The limited key's time is over. Its orders stay as they are.",
  insufficient_scope: "The key lacks the scope of this route.",
  account_mismatch: "account is not the account of the key.",
  main_account_required: "Keys cannot be registered for a copy wallet.",
  host_not_allowed: "The Host header is not a name of this gateway, or a page of another site is asking.",
  trading_stopped:
    "Trading is stopped, for this key or for the account, and what was asked for could make a position larger. Nothing was sent, and the Idempotency-Key is not used. What can only make a position smaller passes, and so do cancels.",
  too_many_open_orders:
    "The account has nearly as many open orders as the exchange takes stops with, and the rest is kept for what can only reduce. Nothing was sent, and the Idempotency-Key is not used.",
  no_price_within_bounds:
    "Nobody is on the other side of the book, or the best price is more than 5 % from mark and oracle. Nothing was sent, and the Idempotency-Key is not used.",
  nothing_to_close:
    "The account, or the key's bot, holds nothing of the market, or the fraction of it is less than one step. Nothing was sent, and the Idempotency-Key is not used.",
  position_unproven:
    "By its books the key's bot holds nothing of the market, and nobody can say yet that this is so: an order of the bot of which no answer has come, one that rests and that no look shows just now, or a TWAP of it may have been filled on the side that the account holds (the message names it; ask again in a second), or a TWAP that was begun after a backup which has been restored may have bought it for the bot (close it for the whole account then, `touches` all). Nothing was sent, and the Idempotency-Key is not used.",
  close_in_progress:
    "What became of an earlier close of the same bot in this market is not known yet, or what the bot had resting to reduce is still being canceled before it. Nothing was closed, and the Idempotency-Key is not used.",
  rail_refused:
    "The request is beyond what the owner has signed for this key; the message names the rail, its limit, the use, and the largest size that passes. Nothing was sent.",
  rails_required:
    "This gateway's operator takes increases from keys with rails alone: a key without them only cancels and reduces, and none that may write is registered. Nothing was sent.",
  demo_required:
    "Only the demo of `postern serve --paper` holds its owner's key: everywhere else the owner's wallet signs. Nothing was made.",
  source_not_allowed: "The limited key may not be used from this address.",
  route_not_found: "There is no such route.",
  account_not_found: "There is no such account here.",
  order_not_found: "The account has no such order.",
  operation_not_found: "The account has no such operation.",
  stop_not_found: "The account has no such stop.",
  cancel_all_not_found: "The account has no such cancel-all.",
  proposal_not_found: "The account has no such proposal that was to be approved.",
  hook_not_found: "The account has no such hook.",
  trade_not_found: "The account has no such trade.",
  idempotency_key_reused: "The Idempotency-Key was used for another request. Nothing was sent.",
  idempotency_in_progress: "Another modify of the order is still running.",
  key_already_registered: "The key hash is registered with another account or other scopes.",
  key_revoked: "The key was revoked for this account, perhaps before it was registered.",
  hook_refused:
    "The hook cannot be made beside what is there: its name or secret is taken, its key opens nothing or has no rails, or another says already what the bot is to hold.",
  trade_not_modifiable:
    "The trade has ended, or what is to be moved has been placed as often as it is moved at most. Nothing was sent.",
  stop_already_met:
    "The mark has come to the trigger of the stop-loss, which would execute at once; the message has the mark. Nothing was sent, and the Idempotency-Key is not used.",
  take_profit_already_met:
    "The mark has come to the trigger of the take-profit, and the exchange takes none such; the message has the mark. Nothing was sent, and the Idempotency-Key is not used.",
  stop_beyond_liquidation:
    "The exchange would liquidate the position before the stop-loss executes; the message has the price. Nothing was sent, and the Idempotency-Key is not used.",
  stop_not_flattenable: "The stop does not stand, or what it covers cannot be told apart.",
  order_not_modifiable: "The order's state is not known; retrieve it first.",
  proposal_not_open: "It was decided before, or nobody did in time: what was not approved is refused.",
  setup_done: "The gateway is set up already.",
  rate_limited: "Too many requests; wait for Retry-After and repeat with the same Idempotency-Key.",
  exchange_rate_limited:
    "The exchange asked this gateway to slow down, or what may be asked of it now is used up; the message says which. Nothing was sent.",
  exchange_unreachable: "The exchange could not be reached. Nothing was sent.",
  not_ready: "The gateway has just started and is still looking up what was in flight.",
  draining: "The gateway is shutting down.",
  agent_not_approved: "The account's owner has not approved the gateway's signing key, or its approval ended.",
  storage_unavailable:
    "The gateway's database cannot be used, its disk is full for one. Nothing was sent, and what was asked for, a stop too, does not hold.",
  too_many_connections: "Too many requests are being answered at this moment.",
  rails_unproven:
    "What the rails of this key are judged by could not be had. A cancel needs none of it, and a reduction only, where others hold something in its market, a position that is told of after what was filled last. Nothing was sent.",
  book_stale:
    "No book of the last 2 s, by the exchange's time, could be had to price an order at market by; for one that only reduces, no mark of the last five minutes either. Nothing was sent, and the Idempotency-Key is not used.",
  internal_error: "The gateway failed on this request. Nothing was sent.",
} as const satisfies Record<ErrorCode, string>;
