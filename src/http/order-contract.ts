/** What the contracts of the routes under /v1/orders share. */

import { ApiError } from "../core/errors.ts";
import type { ContractAnswer } from "./contract.ts";
import { EXAMPLE_ORDER_ID, EXAMPLE_UNKNOWN_ORDER } from "./examples.ts";
import { ANY_ORDER_ID, UUID } from "./schema/common.ts";
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

/** The id in an order's path, lower case: a UUID, a native order id or a client order id. */
export function readOrderId(text: string): string {
  if (ANY_ORDER_ID.test(text)) return text.toLowerCase();
  throw new ApiError(
    "invalid_id",
    "The id must be a UUID, a native order id (1 to 20 digits) or 0x and 32 hex characters.",
  );
}

export function readOperationId(text: string): string {
  if (UUID.test(text)) return text.toLowerCase();
  throw new ApiError("invalid_id", "The id must be the UUID of an operation.");
}
