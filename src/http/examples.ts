/** Answers as this gateway gives them, for the interface description. */

export const EXAMPLE_ACCOUNT_ID = "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90";
export const EXAMPLE_ORDER_ID = "01a1fbc7-3a5e-7c3d-9a4b-2f6d1c0b9e8f";
export const EXAMPLE_KEY_HASH = "3c73f719839477b4b8c76ff79c1260ba83255da46dfd703c49305714c70d4f2d";

export const EXAMPLE_PLACE_ORDER = {
  account: EXAMPLE_ACCOUNT_ID,
  market: "BTC",
  side: "buy",
  size: "0.015",
  price: "64250",
};

export const EXAMPLE_ORDER = {
  id: EXAMPLE_ORDER_ID,
  object: "order",
  account: EXAMPLE_ACCOUNT_ID,
  market: "BTC",
  side: "buy",
  size: "0.015",
  price: "64250",
  time_in_force: "gtc",
  reduce_only: false,
  network: "exchange_mainnet",
  status: "open",
  exchange_order_id: "214748364801",
  filled_size: "0",
  average_price: null,
  error: null,
  created_at: "2026-11-21T09:30:00.000Z",
};

export const EXAMPLE_PLACE_MARKET_ORDER = {
  account: EXAMPLE_ACCOUNT_ID,
  market: "BTC",
  side: "buy",
  size: "0.015",
  max_slippage_bps: 50,
};

export const EXAMPLE_MARKET_ORDER = {
  ...EXAMPLE_ORDER,
  price: "64571",
  time_in_force: "ioc",
  status: "filled",
  filled_size: "0.015",
  average_price: "64251.2",
};

export const EXAMPLE_UNKNOWN_ORDER = {
  ...EXAMPLE_ORDER,
  status: "unknown",
  exchange_order_id: null,
  filled_size: null,
  error: "the outcome of this request is not known yet; it is being looked up",
};

export const EXAMPLE_CANCELED_ORDER = { ...EXAMPLE_ORDER, status: "canceled", error: "canceled on request" };

export const EXAMPLE_ORDER_LIST = { object: "list", data: [EXAMPLE_ORDER], has_more: false, next_cursor: null };

export const EXAMPLE_CONSENT = {
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  key_hash: EXAMPLE_KEY_HASH,
  policy: { scopes: ["trading:read", "trading:write"] },
  issued_at: 1_795_253_400_000,
  expires_at: null,
};

export const EXAMPLE_RAILS = {
  bot: "grid-1",
  may: "increase,reduce,modify,cancel",
  markets: "BTC,ETH",
  max_order: "500 USD",
  max_position: "1000 USD",
  max_exposure: "1500 USD",
  max_turnover_per_day: "5000 USD",
  max_loss_per_day: "any",
  max_actions_per_day: "2000",
  max_distance: "2 %",
  max_stop_distance: "10 %",
  max_leverage: "any",
  max_open_orders: "40",
  touches: "own",
  sources: "203.0.113.7/32",
};

export const EXAMPLE_LIMITED_GRANT = {
  account: EXAMPLE_ACCOUNT_ID,
  network: "mainnet",
  owner: "0x8d2a0f1f6a4b6f3f2f3b6c1d4e5f60718293a4b5",
  trading_address: "0x8d2a0f1f6a4b6f3f2f3b6c1d4e5f60718293a4b5",
  key_hash: EXAMPLE_KEY_HASH,
  scopes: "trading:read,trading:write",
  ...EXAMPLE_RAILS,
  issued_at: "2026-11-21T09:30:00.000Z",
  expires_at: "2027-02-19T09:30:00.000Z",
};

export const EXAMPLE_SIGNATURE = `0x${"1b".repeat(64)}1c`;

export const EXAMPLE_API_KEY = {
  object: "api_key",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  key_hash: EXAMPLE_KEY_HASH,
  scopes: ["trading:read", "trading:write"],
  expires_at: null,
};

export const EXAMPLE_LISTED_API_KEY = {
  ...EXAMPLE_API_KEY,
  state: "active",
  created_at: "2026-11-21T09:30:00.000Z",
  last_used_at: "2026-11-21T10:04:00.000Z",
};

export const EXAMPLE_ACCOUNT = {
  object: "account",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  equity: "99871.25",
  withdrawable: "98907.5",
  margin_used: "963.75",
  perpetuals: [
    { dex: "", equity: "99871.25", withdrawable: "98907.5", margin_used: "963.75" },
    { dex: "xyz", equity: "100000", withdrawable: "100000", margin_used: "0" },
  ],
  spot: [
    { token: "USDC", token_id: 0, total: "100000", hold: "0", available: "100000", entry_value: "0" },
    { token: "PURR", token_id: 1, total: "1000", hold: "0", available: "1000", entry_value: "0" },
  ],
  account_mode: "standard",
};

export const EXAMPLE_OPERATION = {
  id: "01a1fbc9-77d2-7c3d-8b1e-5a4f3c2d1e0f",
  object: "operation",
  account: EXAMPLE_ACCOUNT_ID,
  action: "leverage",
  status: "succeeded",
  exchange_id: null,
  error: null,
};

export const EXAMPLE_HEARTBEAT = {
  object: "heartbeat",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  bot: "grid-1",
  key_hash: EXAMPLE_KEY_HASH,
  status: "armed",
  within_s: 60,
  beat_at: "2026-11-21T09:30:00.000Z",
  missed_at: null,
  stop: null,
};

export const EXAMPLE_POSITION = {
  object: "position",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  dex: "",
  market: "BTC",
  side: "long",
  size: "0.015",
  entry_price: "64250",
  mark_price: "64300.5",
  position_value: "964.5075",
  unrealized_pnl: "0.7575",
  return_on_equity: "0.0039",
  leverage: 5,
  margin_type: "cross",
  margin_used: "192.9015",
  max_leverage: 40,
  liquidation_price: null,
  funding_since_open: "0.012",
};

export const EXAMPLE_FILL = {
  object: "fill",
  id: "1795253400000-BTC-118906512037719",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  dex: "",
  market: "BTC",
  order_id: EXAMPLE_ORDER_ID,
  key_hash: EXAMPLE_KEY_HASH,
  exchange_order_id: "214748364801",
  side: "buy",
  price: "64250",
  size: "0.015",
  liquidity: "taker",
  fee: "0.433687",
  fee_token: "USDC",
  builder_fee: null,
  realized_pnl: "0",
  start_position: "0",
  direction: "Open Long",
  twap_id: null,
  liquidation: false,
  transaction_hash: `0x${"4f".repeat(32)}`,
  created_at: "2026-11-21T09:30:00.000Z",
};

const EXAMPLE_CLOID = `0x${EXAMPLE_ORDER_ID.replaceAll("-", "")}`;

export const EXAMPLE_ORDER_STORY = {
  object: "order_story",
  order: EXAMPLE_ORDER,
  legs: [
    {
      client_order_id: EXAMPLE_CLOID,
      exchange_order_id: "214748364801",
      size: "0.015",
      price: "64250",
      time_in_force: "gtc",
      state: "resting",
      filled_size: "0",
      reason: null,
    },
  ],
  attempts: [
    {
      action: "place",
      idempotency_key: "2026-11-21-btc-entry-0001",
      state: "done",
      nonce: 1_795_253_400_000,
      client_order_id: EXAMPLE_CLOID,
      target_exchange_order_id: null,
      created_at: "2026-11-21T09:30:00.000Z",
      expires_at: "2026-11-21T09:30:12.000Z",
      settled_at: "2026-11-21T09:30:00.240Z",
      noops: 0,
      seal: null,
      negative_looks: 0,
      looks_needed: null,
      waits_for: null,
      exchange_text: null,
    },
  ],
  steps: [
    { at: "2026-11-21T09:30:00.000Z", what: "taken", detail: "buy BTC" },
    {
      at: "2026-11-21T09:30:00.000Z",
      what: "intent stored",
      detail:
        "place 0.015 at 64250 gtc, to be signed with nonce 1795253400000; the exchange takes it until 2026-11-21T09:30:12.000Z",
    },
    { at: "2026-11-21T09:30:00.240Z", what: "settled", detail: "place" },
  ],
};

export const EXAMPLE_TWAP = {
  object: "twap",
  exchange_id: "77738",
  operation_id: EXAMPLE_OPERATION.id,
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  dex: "",
  market: "BTC",
  side: "buy",
  size: "0.5",
  filled_size: "0.1",
  average_price: "64251.5",
  duration_minutes: 30,
  randomize: false,
  reduce_only: false,
  status: "running",
  error: null,
  created_at: "2026-11-21T09:30:00.000Z",
  ended_at: null,
};

export const EXAMPLE_STATUS = {
  object: "status",
  account: EXAMPLE_ACCOUNT_ID,
  network: "mainnet",
  phase: "ready",
  orders: { are_taken: true, reason: null, detail: null },
  writes_stopped_because: null,
  replica_fault: null,
  restore: null,
  exchange_budget: {
    order_wait_s: 0,
    cancel_wait_s: 0,
    weight: {
      reads: { left: 174, wait_s: 0 },
      orders: { left: 681, wait_s: 0 },
      reductions: { left: 741, wait_s: 0 },
      settling: { left: 981, wait_s: 0 },
      cancels: { left: 1101, wait_s: 0 },
    },
    actions_used: 2890,
    actions_cap: 2_864_574,
  },
  agent: {
    address: "0x3c3e4f1b0a9d8c7e6f5a4b3c2d1e0f9a8b7c6d5e",
    name: "postern-k7q2m-1",
    is_unlocked: true,
    valid_until: "2027-05-20T09:30:00.000Z",
  },
  builder_fee: { fee_bps: "5", is_required: false, is_approved: true },
  unlimited_write_keys: [],
  unknown_orders: { count: 1, oldest_since: "2026-11-21T09:29:48.000Z", oldest_age_s: 12 },
  unknown_operations: { count: 0, oldest_since: null, oldest_age_s: null },
  unsettled_actions: 1,
  feed_live: true,
  feed_not_live_because: null,
  market_feed_live: true,
  picture: {
    balances_as_of: "2026-11-21T09:30:00.000Z",
    positions_as_of: "2026-11-21T09:30:00.000Z",
    open_orders_as_of: "2026-11-21T09:30:00.000Z",
    twaps_as_of: "2026-11-21T09:30:00.000Z",
  },
  fills_complete_to: "2026-11-21T09:28:11.402Z",
  fills_read_at: "2026-11-21T09:30:00.000Z",
  markets_read_at: "2026-11-21T09:28:11.000Z",
};

export const EXAMPLE_MARKET = {
  object: "market",
  market: "BTC",
  kind: "perpetual",
  dex: "",
  pair: null,
  size_decimals: 5,
  price_decimals: 1,
  price_significant_figures: 5,
  max_leverage: 40,
  margin_mode: "any",
};

const EXAMPLE_BEST = {
  best_bid: { price: "64250", size: "1.25" },
  best_ask: { price: "64251", size: "0.4" },
  mid_price: "64250.5",
  best_at: "2026-11-21T09:30:00.125Z",
};

export const EXAMPLE_BEST_PRICES = { object: "best_prices", market: "BTC", ...EXAMPLE_BEST };

export const EXAMPLE_MARKET_DETAILS = {
  ...EXAMPLE_MARKET,
  mark_price: "64250.3",
  oracle_price: "64248",
  previous_day_price: "63110",
  day_volume: "2118345170.25",
  open_interest: "31250.4",
  prices_at: "2026-11-21T09:29:59.480Z",
  funding_rate: "0.0000125",
  next_funding_at: "2026-11-21T10:00:00.000Z",
  funding_at: "2026-11-21T09:29:59.480Z",
  ...EXAMPLE_BEST,
};

export const EXAMPLE_BOOK = {
  object: "book",
  market: "BTC",
  bids: [{ price: "64250", size: "1.25", orders: 3 }],
  asks: [{ price: "64251", size: "0.4", orders: 1 }],
  book_at: "2026-11-21T09:30:00.125Z",
};

export const EXAMPLE_LISTED_OPERATION = {
  ...EXAMPLE_OPERATION,
  market: "BTC",
  key_hash: "3c73f719839477b4b8c76ff79c1260ba83255da46dfd703c49305714c70d4f2d",
  leverage: 5,
  margin_type: "cross",
  amount: null,
  side: null,
  size: null,
  duration_minutes: null,
  randomize: null,
  reduce_only: null,
  twap_id: null,
  created_at: "2026-11-21T09:30:00.125Z",
};
