/** What the contracts of the routes under /v1/orders share. */
import type { ContractAnswer } from "./contract.ts";
import { EXAMPLE_ORDER_ID, EXAMPLE_UNKNOWN_ORDER } from "./examples.ts";
import { OrderResource } from "./schema/order.ts";

export const ORDERS_TAG = "Orders";

export const ORDER_ID = {
  description: "UUID of the order, native order id (1 to 20 digits), or client order id (`0x` and 32 hex characters).",
  example: EXAMPLE_ORDER_ID,
};

/** Any write whose outcome is not known when its time is up. */
export const UNKNOWN_ORDER: ContractAnswer = {
  status: 202,
  description:
    "Sent, and the outcome is not known yet. Retrieve the order to reconcile; repeat with the same Idempotency-Key if you like, never under a new one.",
  schema: OrderResource,
  example: EXAMPLE_UNKNOWN_ORDER,
  headers: ["Idempotent-Replayed"],
};

export const NOT_2XX = "Any answer but 2xx means that this request sent nothing to the exchange.";
