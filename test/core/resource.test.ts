import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Order } from "../../src/core/order.ts";
import { orderText } from "../../src/core/resource.ts";

const ORDER: Order = {
  id: "0190a0b0-0000-7000-8000-000000000001",
  accountId: "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90",
  market: "BTC",
  side: "buy",
  size: "1.50",
  price: "64250",
  timeInForce: "gtc",
  reduceOnly: false,
  trigger: null,
  status: "open",
  exchangeOrderId: "77",
  filledSize: decimal("0"),
  averagePrice: null,
  error: null,
  createdAtMs: 1_700_000_000_123,
};

test("an order is written with the fields of the specification, as sent, and no others", () => {
  expect(orderText(ORDER)).toBe(
    '{"id":"0190a0b0-0000-7000-8000-000000000001","object":"order","account":"5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90",' +
      '"market":"BTC","side":"buy","size":"1.50","price":"64250","time_in_force":"gtc","reduce_only":false,' +
      '"network":"exchange_mainnet","status":"open","exchange_order_id":"77","filled_size":"0","average_price":null,' +
      '"error":null,"created_at":"2023-11-14T22:13:20.123Z"}',
  );
});

test("a trigger is written only where there is one", () => {
  const trigger = { price: "1.0", kind: "stop_loss", market: true } as const;
  expect(JSON.parse(orderText({ ...ORDER, trigger }))).toHaveProperty("trigger", trigger);
  expect(JSON.parse(orderText(ORDER))).not.toHaveProperty("trigger");
});
