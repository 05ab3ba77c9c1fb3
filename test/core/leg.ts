import { decimal } from "../../src/core/decimal.ts";
import type { Leg } from "../../src/core/order.ts";

/** As it is when its intent is stored. */
export const LEG: Leg = {
  cloid: "0x01",
  orderId: "o",
  oid: null,
  ordinal: 0,
  size: decimal("1"),
  price: "100",
  timeInForce: "gtc",
  trigger: null,
  state: "sent",
  filledSize: decimal("0"),
  filledNotional: decimal("0"),
  reason: null,
  isExchangesWord: false,
};
