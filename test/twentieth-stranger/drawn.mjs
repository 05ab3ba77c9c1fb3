// How often what is asked for.
export const WRITES = {
  limit: 12,
  alo: 3,
  ioc: 4,
  market: 6,
  trigger: 4,
  batch: 2,
  modify: 6,
  cancel: 6,
  cancelAll: 1,
  close: 3,
  trade: 2,
  tradeModify: 1,
  tradeCancel: 1,
  twap: 1.5,
  twapCancel: 1.5,
  leverage: 2,
  margin: 1,
  again: 4,
  other: 3,
  read: 22,
};
export const READS = {
  account: 5,
  positions: 6,
  open: 5,
  order: 8,
  orders: 2,
  fills: 3,
  operations: 1,
  twaps: 2,
  trades: 1,
  story: 2,
  performance: 1,
  byKey: 1,
  status: 0.3,
};

/** The path of a read; nothing where no order is known yet. */
export function readPath(what, { order, named, key }) {
  return {
    account: "/v1/account",
    positions: "/v1/positions",
    open: "/v1/orders?status=open&limit=500",
    order: order && `/v1/orders/${named}`,
    orders: "/v1/orders?limit=100",
    fills: "/v1/fills?limit=500",
    operations: "/v1/operations?limit=100",
    twaps: "/v1/twaps",
    trades: "/v1/trades",
    story: order && `/v1/orders/${order.id}/story`,
    performance: "/v1/performance?group_by=market",
    byKey: `/v1/orders?idempotency_key=${key}`,
    status: "/v1/status",
  }[what];
}
