import type { Static } from "@sinclair/typebox";
import { modifyOrder } from "../actions/modify-order.ts";
import { type PrintedBody, printRequest } from "../write/fingerprint.ts";
import { EXAMPLE_ORDER } from "./examples.ts";
import { NOT_2XX, ORDER_ID, ORDERS_TAG, readOrderId, UNKNOWN_ORDER } from "./order-contract.ts";
import { requireNotZero } from "./order-rules.ts";
import { type Route, writeRoute } from "./route.ts";
import { ModifyOrderBody, OrderResource } from "./schema/order.ts";

const modify = writeRoute(
  {
    name: "modify_order",
    method: "POST",
    path: "/v1/orders/{id}/modify",
    tag: ORDERS_TAG,
    summary: "Replace an order's price, size or trigger",
    description:
      "The exchange cancels the order and places a replacement, which keeps the `id`. Price alone keeps the remaining size. " +
      "Without `always_place` the replacement must not execute at once: `gtc` becomes `alo`. A rejected replacement can still cancel the original; the answer says what became of it. " +
      `With \`always_place\` it has the time in force that the order was placed with, and where it goes live although the original was gone it is a new order with an id of its own, which is the answer. ${NOT_2XX}`,
    access: "trading:write",
    id: ORDER_ID,
    body: ModifyOrderBody,
    bodyExample: { price: "64100" },
    answers: [
      {
        status: 200,
        description: "The order after the modify. What was refused is in `error`.",
        schema: OrderResource,
        example: { ...EXAMPLE_ORDER, price: "64100", time_in_force: "alo", exchange_order_id: "214748364977" },
        headers: ["Idempotent-Replayed"],
      },
      UNKNOWN_ORDER,
    ],
    errors: [
      "invalid_id",
      "order_not_found",
      "nothing_to_modify",
      "always_place_required",
      "order_not_modifiable",
      "idempotency_in_progress",
      "unknown_market",
      "trading_stopped",
    ],
  },
  (deps, caller, { id: sentId, body, idempotencyKey }) => {
    const id = readOrderId(sentId);
    const wanted = readModify(body);
    const fingerprint = printRequest("modify_order", id, printed(wanted));
    return modifyOrder(deps, caller, { id, ...wanted, idempotencyKey, fingerprint });
  },
);

type Modify = Pick<Parameters<typeof modifyOrder>[2], "price" | "size" | "trigger" | "alwaysPlace">;

function readModify({ price, size, trigger, always_place: alwaysPlace }: Static<typeof ModifyOrderBody>): Modify {
  if (price !== undefined) requireNotZero("price", price);
  if (size !== undefined) requireNotZero("size", size);
  if (trigger !== undefined) requireNotZero("trigger.price", trigger.price);
  return { price: price ?? null, size: size ?? null, trigger: trigger ?? null, alwaysPlace: alwaysPlace ?? false };
}

function printed({ price, size, trigger, alwaysPlace }: Modify): PrintedBody {
  return { price, size, trigger, always_place: alwaysPlace };
}

export function modifyRoutes(): Route[] {
  return [modify];
}
