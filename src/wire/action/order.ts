import { type Static, Type } from "@sinclair/typebox";
import type { Decimal } from "../../core/decimal.ts";
import type { OrderTerms, TimeInForce } from "../../core/order.ts";
import { Address, AssetId, Cloid, closed, normaliseDecimal, WireDecimal } from "./fields.ts";

const LimitKind = Type.Object(
  {
    limit: Type.Object(
      {
        tif: Type.Union([
          Type.Literal("Gtc"),
          Type.Literal("Ioc"),
          Type.Literal("Alo"),
          Type.Literal("FrontendMarket"),
        ]),
      },
      closed,
    ),
  },
  closed,
);

const TriggerKind = Type.Object(
  {
    trigger: Type.Object(
      {
        isMarket: Type.Boolean(),
        triggerPx: WireDecimal,
        tpsl: Type.Union([Type.Literal("tp"), Type.Literal("sl")]),
      },
      closed,
    ),
  },
  closed,
);

/** One order on the wire. `c` is left out, never null, when the order has no client id. */
export const WireOrder = Type.Object(
  {
    a: AssetId,
    b: Type.Boolean(),
    p: WireDecimal,
    s: WireDecimal,
    r: Type.Boolean(),
    t: Type.Union([LimitKind, TriggerKind]),
    c: Type.Optional(Cloid),
  },
  closed,
);
export type WireOrder = Static<typeof WireOrder>;

/** Tenths of a basis point that we would ever sign: the exchange's own cap, 1 % (spot). */
const MAX_BUILDER_FEE = 1000;

/** Properties stand in signing order. */
export const OrderAction = Type.Object(
  {
    type: Type.Literal("order"),
    orders: Type.Array(WireOrder, { minItems: 1, maxItems: 200 }),
    grouping: Type.Union([Type.Literal("na"), Type.Literal("normalTpsl"), Type.Literal("positionTpsl")]),
    builder: Type.Optional(
      Type.Object({ b: Address, f: Type.Integer({ minimum: 0, maximum: MAX_BUILDER_FEE }) }, closed),
    ),
  },
  closed,
);
export type OrderAction = Static<typeof OrderAction>;

const TIF = { gtc: "Gtc", ioc: "Ioc", alo: "Alo" } as const satisfies Record<TimeInForce, string>;

/** The wire form of one order: with a trigger its time in force stays off the wire. Throws `bug:` on decimals that the market rules should have refused. */
export function wireOrder(input: Omit<OrderTerms, "market"> & { assetId: number; cloid: string | null }): WireOrder {
  const { trigger, cloid } = input;
  const order: WireOrder = {
    a: input.assetId,
    b: input.side === "buy",
    p: wireDecimal(input.price),
    s: wireDecimal(input.size),
    r: input.reduceOnly,
    t:
      trigger === null
        ? { limit: { tif: TIF[input.timeInForce] } }
        : {
            trigger: {
              isMarket: trigger.market,
              triggerPx: wireDecimal(trigger.price),
              tpsl: trigger.kind === "take_profit" ? "tp" : "sl",
            },
          },
  };
  return cloid === null ? order : { ...order, c: cloid };
}

/** An action that places one order. No builder leaves the member out. */
export function orderAction(order: WireOrder, builder: { address: string; feeTenthsBps: number } | null): OrderAction {
  const action: OrderAction = { type: "order", orders: [order], grouping: "na" };
  return builder === null
    ? action
    : { ...action, builder: { b: builder.address.toLowerCase(), f: builder.feeTenthsBps } };
}

/** One action of the orders of several that are alike but for them; null where they are not. */
export function joinedOrders(actions: readonly ({ type: string } | null)[]): OrderAction | null {
  const all = actions.filter(isOrderAction);
  const [first] = all;
  if (first === undefined || all.length !== actions.length) return null;
  const rest = ({ orders: _orders, ...same }: OrderAction) => JSON.stringify(same);
  if (all.some((each) => rest(each) !== rest(first))) return null;
  return { ...first, orders: all.flatMap(({ orders }) => orders) };
}

function isOrderAction(action: { type: string } | null): action is OrderAction {
  return action?.type === "order";
}

function wireDecimal(text: string): Decimal {
  const value = normaliseDecimal(text);
  if (value === null) throw new Error("bug: decimal that cannot go on the wire");
  return value;
}
