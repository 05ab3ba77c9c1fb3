/** What `/v1` answers, as far as the page shows it. Money and sizes are decimal strings, as they come. */
import type { TypedData } from "../../wire/wallet-form.ts";

export type NetworkName = "mainnet" | "testnet" | "paper";
export type ExchangePlace = "official" | "unofficial" | "simulated";
export type Scope = "trading:read" | "trading:write";

export type WhoAmI = {
  account: string;
  label: string;
  kind: string;
  /** Who signs for the account's keys. */
  owner_address: string;
  trading_address: string;
  network: NetworkName;
  exchange: ExchangePlace;
  key_hash: string;
  scopes: Scope[];
};

export type DexBalance = { dex: string; equity: string; withdrawable: string; margin_used: string };

export type SpotBalance = {
  token: string;
  token_id: number | null;
  total: string;
  hold: string;
  available: string;
  entry_value: string;
};

export type AccountMode = "standard" | "unified" | "portfolio_margin";

export type Account = {
  account: string;
  equity: string;
  withdrawable: string;
  margin_used: string;
  perpetuals: DexBalance[];
  spot: SpotBalance[];
  account_mode: AccountMode;
};

export type Position = {
  dex: string;
  market: string;
  side: "long" | "short";
  size: string;
  entry_price: string;
  mark_price: string;
  position_value: string;
  unrealized_pnl: string;
  return_on_equity: string;
  leverage: number;
  margin_type: "cross" | "isolated";
  margin_used: string;
  max_leverage: number;
  liquidation_price: string | null;
  funding_since_open: string;
};

export type Trigger = { price: string; kind: "take_profit" | "stop_loss"; market: boolean };

export type OrderStatus =
  | "processing"
  | "open"
  | "filled"
  | "canceled"
  | "rejected"
  | "unknown"
  | "waiting_for_trigger";

export type Order = {
  id: string;
  object: "order";
  account: string;
  market: string;
  side: "buy" | "sell";
  size: string;
  price: string;
  time_in_force: "gtc" | "ioc" | "alo";
  reduce_only: boolean;
  trigger?: Trigger;
  status: OrderStatus;
  exchange_order_id: string | null;
  filled_size: string | null;
  average_price: string | null;
  error: string | null;
  created_at: string;
};

export type Fill = {
  id: string;
  dex: string;
  market: string;
  order_id: string | null;
  exchange_order_id: string;
  side: "buy" | "sell";
  price: string;
  size: string;
  liquidity: "maker" | "taker";
  fee: string;
  fee_token: string;
  builder_fee: string | null;
  realized_pnl: string;
  direction: string;
  twap_id: string | null;
  liquidation: boolean;
  created_at: string;
  /** Which key placed the order; absent or null where that is not known. */
  key_hash?: string | null;
};

export type Operation = {
  id: string;
  object: "operation";
  action: string;
  status: "processing" | "succeeded" | "rejected" | "unknown";
  exchange_id: string | null;
  error: string | null;
};

export type Twap = {
  exchange_id: string;
  operation_id: string | null;
  market: string;
  side: "buy" | "sell";
  size: string;
  filled_size: string;
  average_price: string | null;
  duration_minutes: number;
  randomize: boolean;
  reduce_only: boolean;
  status: string;
  error: string | null;
  created_at: string;
  ended_at: string | null;
};

export type ApiKey = {
  account: string;
  key_hash: string;
  scopes: Scope[];
  created_at?: string | null;
  last_used_at?: string | null;
  state?: string;
};

export type Market = {
  market: string;
  kind: "perpetual" | "spot";
  dex: string;
  pair: string | null;
  size_decimals: number;
  price_decimals: number;
  price_significant_figures: number;
  max_leverage: number | null;
};

export type Unknowns = { count: number; oldest_since: string | null; oldest_age_s: number | null };

export type Status = {
  network: NetworkName;
  phase: string;
  writes_stopped_because: string | null;
  orders: { are_taken: boolean; reason: string | null; detail: string | null };
  exchange_budget: {
    order_wait_s: number;
    cancel_wait_s: number;
    actions_used: number | null;
    actions_cap: number | null;
  };
  agent: { address: string; name: string; is_unlocked: boolean; valid_until: string | null } | null;
  builder_fee: { fee_bps: string; is_required: boolean; is_approved: boolean | null } | null;
  unknown_orders: Unknowns;
  unknown_operations: Unknowns;
  unsettled_actions: number;
  feed_live: boolean;
  feed_not_live_because: string | null;
  market_feed_live: boolean | null;
  picture: {
    balances_as_of: string | null;
    positions_as_of: string | null;
    open_orders_as_of: string | null;
    twaps_as_of: string | null;
  };
  fills_complete_to: string | null;
  fills_read_at: string | null;
  markets_read_at: string | null;
};

export type AgentRenewal = {
  is_due: boolean;
  signing: { address: string; name: string; valid_until: string | null } | null;
  waiting: { address: string; name: string } | null;
  approval: { nonce: number; chain_id: number; valid_until: string | null; typed_data: TypedData } | null;
};

export type AgentRenewalOutcome = {
  status: "succeeded" | "rejected" | "unknown";
  error: string | null;
  what_to_do: string | null;
};

export type StoryLeg = {
  client_order_id: string;
  exchange_order_id: string | null;
  size: string;
  price: string;
  time_in_force: string;
  state: string;
  filled_size: string;
  reason: string | null;
};

export type StoryAttempt = {
  action: string;
  idempotency_key: string;
  state: string;
  nonce: number;
  created_at: string;
  expires_at: string;
  settled_at: string | null;
  noops: number;
  seal: string | null;
  negative_looks: number;
  waits_for: string | null;
  exchange_text: string | null;
};

export type Story = {
  order: Order;
  legs: StoryLeg[];
  attempts: StoryAttempt[];
  steps: { at: string; what: string; detail: string }[];
};

export type List<Item> = { data: Item[]; has_more: boolean; next_cursor: string | null };

export type TypedDataDescription = {
  audience: string;
  domain: { name: string; version: string };
  types: Record<string, { name: string; type: string }[]>;
};
