/** What a model gave `propose_order`, as the terms of an order: what a client leaves unchecked is checked here. */
import type { OrderTerms } from "../../core/order.ts";
import { readOrderTerms } from "../order-rules.ts";
import { isPlain } from "./plain.ts";

export type GivenArguments = Readonly<Record<string, unknown>>;

const DECIMAL = /^\d{1,30}(?:\.\d{1,30})?$/;
const KNOWN = ["market", "side", "size", "price", "time_in_force", "reduce_only", "trigger", "again"];

/** The name of what does not fit, or the terms. Throws as `POST /v1/orders` does for what has a form and no meaning. */
export function proposedTerms(given: GivenArguments): OrderTerms | string {
  const { market, side, size, price, time_in_force: timeInForce, reduce_only: reduceOnly, trigger } = given;
  const strange = Object.keys(given).find((name) => !KNOWN.includes(name));
  if (strange !== undefined) return isPlain(strange) ? strange : "a member";
  if (typeof market !== "string" || market === "" || !isPlain(market)) return "market";
  if (side !== "buy" && side !== "sell") return "side";
  if (typeof size !== "string" || !DECIMAL.test(size)) return "size";
  if (typeof price !== "string" || !DECIMAL.test(price)) return "price";
  if (timeInForce !== undefined && !isTimeInForce(timeInForce)) return "time_in_force";
  if (reduceOnly !== undefined && typeof reduceOnly !== "boolean") return "reduce_only";
  if (trigger !== undefined && (!isTrigger(trigger) || timeInForce !== undefined)) return "trigger";
  return readOrderTerms({
    market,
    side,
    size,
    price,
    ...(timeInForce === undefined ? {} : { time_in_force: timeInForce }),
    ...(reduceOnly === undefined ? {} : { reduce_only: reduceOnly }),
    ...(trigger === undefined ? {} : { trigger: { price: trigger.price, kind: trigger.kind, market: true } }),
  });
}

function isTimeInForce(value: unknown): value is "gtc" | "ioc" | "alo" {
  return value === "gtc" || value === "ioc" || value === "alo";
}

function isTrigger(value: unknown): value is { kind: "stop_loss" | "take_profit"; price: string } {
  if (!isObject(value)) return false;
  const { kind, price } = value;
  const isKind = kind === "stop_loss" || kind === "take_profit";
  return isKind && typeof price === "string" && DECIMAL.test(price);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
