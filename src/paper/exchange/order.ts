import { decimal } from "../../core/decimal.ts";
import type { EngineOrderAction, OrderRequest } from "../engine/action.ts";
import {
  address,
  boolean,
  cloid,
  type Decoded,
  decimalText,
  either,
  list,
  literal,
  MISMATCH,
  optional,
  required,
  struct,
  u32,
  variant,
} from "./decode.ts";
import type { L1Reader } from "./reader.ts";

const Limit = struct({ tif: required(literal("Gtc", "Ioc", "Alo", "FrontendMarket")) }, "ignore");
const Trigger = struct(
  { isMarket: required(boolean), triggerPx: required(decimalText), tpsl: required(literal("tp", "sl")) },
  "ignore",
);
const Terms = variant(struct({ limit: required(Limit) }, "ignore"), struct({ trigger: required(Trigger) }, "ignore"));

/** One order as it stands in `order`, `modify` and `batchModify`. The exchange ignores keys that it does not know here. */
export const OrderWire = struct(
  {
    a: required(u32),
    b: required(boolean),
    p: required(decimalText),
    s: required(decimalText),
    r: required(boolean),
    t: required(Terms),
    c: optional(cloid),
  },
  "ignore",
);
export type OrderWire = Exclude<Decoded<ReturnType<typeof OrderWire>>, typeof MISMATCH>;

const Grouping = either(literal("na", "normalTpsl", "positionTpsl"), struct({ p: required(u32) }, "refuse"));

const decode = struct(
  {
    type: required(literal("order")),
    orders: required(list(OrderWire)),
    grouping: required(Grouping),
    builder: optional(struct({ b: required(address), f: required(u32) }, "ignore")),
  },
  "refuse",
);

export const order: L1Reader = {
  kind: "l1",
  read: (json) => {
    const canonical = decode(json);
    if (canonical === MISMATCH) return MISMATCH;
    const action: EngineOrderAction = {
      type: "order",
      orders: canonical.orders.map(orderRequest),
      grouping: canonical.grouping,
      builder: canonical.builder ?? null,
    };
    return { canonical, action };
  },
};

export function orderRequest(wire: OrderWire): OrderRequest {
  const { a, b, p, s, r, t, c } = wire;
  const terms = "limit" in t ? t : { trigger: { ...t.trigger, triggerPx: decimal(t.trigger.triggerPx) } };
  return { a, b, p: decimal(p), s: decimal(s), r, t: terms, c: c ?? null };
}
