/** What is told of a stop, as examples of the description. */
import { WAITS } from "../core/wait.ts";
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_ORDER_ID } from "./examples.ts";

export const EXAMPLE_STOP = {
  id: "01a1fbca-2c40-7c3d-9f0a-6b1d2e3f4a5b",
  object: "stop",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  scope: "account",
  key_hash: null,
  cause: "asked",
  keep_protection: true,
  status: "stopping",
  created_at: "2026-11-21T09:30:00.000Z",
  stopped_at: null,
  resumed_at: null,
  remaining: { orders: 1, order_ids: [EXAMPLE_ORDER_ID], twaps: 0, twap_operation_ids: [] },
  waits_for: [
    {
      reason: "cancel_unanswered",
      order: EXAMPLE_ORDER_ID,
      operation: null,
      market: "BTC",
      since: "2026-11-21T09:30:00.100Z",
      until: WAITS.cancel_unanswered,
    },
  ],
  kept: { orders: 0, order_ids: [] },
  outside: { is_done: false, canceled: [], kept: [] },
  flatten: null,
};

export const EXAMPLE_FLATTEN = {
  status: "flattening",
  asked_at: "2026-11-21T09:30:10.000Z",
  ended_at: null,
  max_slippage_bps: 50,
  order_ids: [],
  waits_for: [
    {
      reason: "not_stopped",
      order: null,
      operation: null,
      market: null,
      since: "2026-11-21T09:30:10.000Z",
      until: WAITS.not_stopped,
    },
  ],
  left: [],
};
