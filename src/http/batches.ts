/** /v1/orders/batch. It translates in, calls one verb, translates out. */
import type { Static } from "@sinclair/typebox";
import { placeBatch } from "../actions/place-batch.ts";
import { ApiError, batchRefused, type OrderRefusal } from "../core/errors.ts";
import type { OrderTerms } from "../core/order.ts";
import { type PrintedBody, printedTerms, printRequest } from "../write/fingerprint.ts";
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_ORDER, EXAMPLE_PLACE_ORDER, EXAMPLE_UNKNOWN_ORDER } from "./examples.ts";
import { NOT_2XX, ORDERS_TAG } from "./order-contract.ts";
import { readOrderTerms } from "./order-rules.ts";
import { type Route, writeRoute } from "./route.ts";
import { BatchResource, PlaceBatchBody } from "./schema/order.ts";

const { account: _ACCOUNT, ...EXAMPLE_TERMS } = EXAMPLE_PLACE_ORDER;

const EXAMPLE_PLACE_BATCH = {
  account: EXAMPLE_ACCOUNT_ID,
  orders: [EXAMPLE_TERMS, { ...EXAMPLE_TERMS, price: "64100" }],
};

const EXAMPLE_SECOND_ID = "019aa5d8-3a40-7a3e-8d2c-4f6b1e0c9a72";

const EXAMPLE_BATCH = {
  object: "order_batch",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  orders: [
    EXAMPLE_ORDER,
    { ...EXAMPLE_ORDER, id: EXAMPLE_SECOND_ID, price: "64100", exchange_order_id: "214748364802" },
  ],
};

const EXAMPLE_UNKNOWN_BATCH = {
  ...EXAMPLE_BATCH,
  orders: [EXAMPLE_UNKNOWN_ORDER, { ...EXAMPLE_UNKNOWN_ORDER, id: EXAMPLE_SECOND_ID, price: "64100" }],
};

const place = writeRoute(
  {
    name: "place_batch",
    method: "POST",
    path: "/v1/orders/batch",
    tag: ORDERS_TAG,
    summary: "Place several orders as one action",
    description: `One Idempotency-Key places at most one order for each that is asked for. They leave as one action of the exchange, which takes each by itself: one may be refused while others stand. Each then is an order like any other, with an id, events and cancels of its own. Where one is known to be refused, by a rule of its market or a rail of the key, nothing is sent, the key is not used, and \`error.orders\` names each. Each order counts in the key's limits. ${NOT_2XX}`,
    access: "trading:write",
    body: PlaceBatchBody,
    bodyExample: EXAMPLE_PLACE_BATCH,
    answers: [
      {
        status: 201,
        description: "The outcome of each order is known.",
        schema: BatchResource,
        example: EXAMPLE_BATCH,
        headers: ["Idempotent-Replayed"],
      },
      {
        status: 202,
        description:
          "Sent, and of at least one order the outcome is not known yet: those are `unknown`. Repeat with the same Idempotency-Key, or retrieve the orders; never place them again under a new key.",
        schema: BatchResource,
        example: EXAMPLE_UNKNOWN_BATCH,
        headers: ["Idempotent-Replayed"],
      },
    ],
    errors: ["account_mismatch", "unknown_market", "order_refused", "trading_stopped", "too_many_open_orders"],
  },
  (deps, caller, { body, idempotencyKey }) => {
    const orders = readAllTerms(body);
    const accountId = body.account.toLowerCase();
    const printed = orders.map((terms, index): [string, PrintedBody] => [
      String(index),
      { account: accountId, ...printedTerms(terms) },
    ]);
    const fingerprint = printRequest("place_batch", null, { orders: Object.fromEntries(printed) });
    return placeBatch(deps, caller, { orders, accountId, idempotencyKey, fingerprint });
  },
);

/** All that the shape alone cannot refuse are named. */
function readAllTerms({ orders }: Static<typeof PlaceBatchBody>): OrderTerms[] {
  const terms: OrderTerms[] = [];
  const refused: OrderRefusal[] = [];
  for (const [index, order] of orders.entries()) {
    try {
      terms.push(readOrderTerms(order));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused.push({ index, code: error.code, message: error.message });
    }
  }
  if (refused.length > 0) throw batchRefused(refused, orders.length);
  return terms;
}

export function batchRoutes(): Route[] {
  return [place];
}
