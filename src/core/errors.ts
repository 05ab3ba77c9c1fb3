/**
 * Every code that a refusal may carry, with its HTTP status. A code that is not here does not compile, and a
 * status that the specification does not list does not compile either.
 */
export const ERROR_STATUS = {
  invalid_json: 400,
  invalid_content_type: 400,
  body_too_large: 400,
  invalid_parameter: 400,
  unknown_parameter: 400,
  missing_parameter: 400,
  invalid_id: 400,
  invalid_limit: 400,
  invalid_cursor: 400,
  invalid_status: 400,
  unknown_market: 400,
  unknown_dex: 400,
  perpetual_market_required: 400,
  always_place_required: 400,
  nothing_to_modify: 400,
  order_refused: 400,
  idempotency_key_required: 400,
  invalid_idempotency_key: 400,
  mainnet_required: 400,
  grant_expired: 400,
  issued_at_in_future: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  revoked_api_key: 401,
  invalid_signature: 401,
  invalid_setup_token: 401,
  expired_api_key: 401,
  insufficient_scope: 403,
  account_mismatch: 403,
  main_account_required: 403,
  host_not_allowed: 403,
  trading_stopped: 403,
  rail_refused: 403,
  rails_required: 403,
  demo_required: 403,
  source_not_allowed: 403,
  route_not_found: 404,
  account_not_found: 404,
  order_not_found: 404,
  operation_not_found: 404,
  stop_not_found: 404,
  cancel_all_not_found: 404,
  trade_not_found: 404,
  proposal_not_found: 404,
  hook_not_found: 404,
  idempotency_key_reused: 409,
  idempotency_in_progress: 409,
  key_already_registered: 409,
  key_revoked: 409,
  hook_refused: 409,
  order_not_modifiable: 409,
  too_many_open_orders: 409,
  no_price_within_bounds: 409,
  nothing_to_close: 409,
  position_unproven: 409,
  close_in_progress: 409,
  stop_not_flattenable: 409,
  trade_not_modifiable: 409,
  proposal_not_open: 409,
  stop_already_met: 409,
  take_profit_already_met: 409,
  stop_beyond_liquidation: 409,
  setup_done: 409,
  rate_limited: 429,
  exchange_rate_limited: 429,
  exchange_unreachable: 503,
  not_ready: 503,
  draining: 503,
  agent_not_approved: 503,
  storage_unavailable: 503,
  too_many_connections: 503,
  rails_unproven: 503,
  book_stale: 503,
  internal_error: 503,
} as const satisfies Record<string, 400 | 401 | 403 | 404 | 409 | 429 | 503>;

export type ErrorCode = keyof typeof ERROR_STATUS;
export type ErrorStatus = (typeof ERROR_STATUS)[ErrorCode];

/** The `type` of the error body (spec 2.9), one a status. */
export const ERROR_TYPE = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  429: "rate_limit_error",
  503: "service_unavailable_error",
} as const satisfies Record<ErrorStatus, string>;

/** Seconds a client is told to wait when the refusal passes by itself and nothing better is known. */
const DEFAULT_RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = {
  rate_limited: 1,
  exchange_rate_limited: 5,
  exchange_unreachable: 5,
  not_ready: 2,
  draining: 5,
  idempotency_in_progress: 1,
  rails_unproven: 1,
  book_stale: 1,
  close_in_progress: 1,
};

/** Why one order of a batch cannot be sent. */
export type OrderRefusal = { index: number; code: ErrorCode; message: string };

/**
 * A refusal that the client is meant to read, thrown only while nothing has left for the exchange. Past that
 * point there is no error to throw: what became of the action is data on its order or operation.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  /** Whole seconds for the `Retry-After` header, or null where waiting does not help. */
  readonly retryAfterS: number | null;
  /** Of a batch: each of its orders that cannot be sent, and why. Empty for everything else. */
  readonly orders: readonly OrderRefusal[];

  constructor(code: ErrorCode, message: string, retryAfterS?: number, orders: readonly OrderRefusal[] = []) {
    super(message);
    this.code = code;
    this.orders = orders;
    this.retryAfterS = retryAfterS ?? DEFAULT_RETRY_AFTER_S[code] ?? null;
  }
}

/** A batch of which some orders cannot be sent, and so none is: with the code of the first of them. */
export function batchRefused(orders: readonly OrderRefusal[], count: number): ApiError {
  const [first] = orders;
  if (first === undefined) throw new Error("bug: a batch refused for nothing");
  return new ApiError(first.code, batchWords(orders, count), undefined, orders);
}

export function batchWords(orders: readonly OrderRefusal[], count: number): string {
  const [first] = orders;
  return `${orders.length} of the ${count} orders cannot be sent, and nothing was sent. orders[${first?.index}]: ${first?.message}`;
}
