import { EXAMPLE_ACCOUNT_ID } from "./examples.ts";

export const EXAMPLE_CREATE_TRADE = {
  account: EXAMPLE_ACCOUNT_ID,
  market: "BTC",
  side: "buy",
  size: "0.01",
  entry: { price: "60000" },
  stop_loss: { trigger_price: "58500" },
  take_profit: { trigger_price: "64000", limit_price: "63900" },
};

export const EXAMPLE_TRADE = {
  id: "01a1fbcb-1a60-7c3d-8e2f-7c8d9e0f1a2b",
  object: "trade",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  market: "BTC",
  side: "buy",
  size: "0.01",
  entry: { price: "60000", time_in_force: "gtc", order: null },
  stop_loss: { trigger_price: "58500", price: "52650", market: true, order: null },
  take_profit: { trigger_price: "64000", price: "63900", market: false, order: null },
  path: "stop_first",
  status: "arming",
  filled_size: "0",
  held_size: "0",
  protected: true,
  unprotected_since: null,
  unprotected_because: null,
  error: null,
  created_at: "2026-11-21T09:30:00.000Z",
  ended_at: null,
};
