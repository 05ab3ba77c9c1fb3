import type { Static } from "@sinclair/typebox";
import { decimal, isZero } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import type { OrderTerms, Trigger } from "../core/order.ts";
import type { PlaceOrderBody } from "./schema/order.ts";

/** The terms of a checked body with the defaults filled in. Throws for what the shape alone cannot refuse. */
export function readOrderTerms(body: Omit<Static<typeof PlaceOrderBody>, "account">): OrderTerms {
  const { market, side, size, price } = body;
  const timeInForce = body.time_in_force ?? "gtc";
  const trigger = body.trigger ?? null;
  requireNotZero("size", size);
  requireNotZero("price", price);
  if (trigger !== null) requireTriggerFits(trigger, timeInForce);
  return { market, side, size, price, timeInForce, reduceOnly: body.reduce_only ?? false, trigger };
}

export function requireNotZero(field: string, value: string): void {
  if (isZero(decimal(value))) throw new ApiError("invalid_parameter", `${field} must not be zero.`);
}

function requireTriggerFits(trigger: Trigger, timeInForce: OrderTerms["timeInForce"]): void {
  requireNotZero("trigger.price", trigger.price);
  if (timeInForce === "alo") {
    throw new ApiError(
      "invalid_parameter",
      "time_in_force must not be alo with a trigger: a triggered order may take.",
    );
  }
  if (timeInForce === "ioc" && !trigger.market) {
    throw new ApiError(
      "invalid_parameter",
      "time_in_force may be ioc with a trigger only when trigger.market is true.",
    );
  }
}
