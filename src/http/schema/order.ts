import { Type } from "@sinclair/typebox";
import { MAX_BATCH_ORDERS } from "../../core/idempotency.ts";
import {
  AnswerNetwork,
  closed,
  DecimalString,
  described,
  ErrorText,
  Figure,
  MarketName,
  nullable,
  PositiveDecimal,
  Side,
  SlippageOrDefault,
  Timestamp,
  Uuid,
  words,
} from "./common.ts";

/** Spec 2.3. */
export const Trigger = closed(
  {
    price: described(PositiveDecimal, "Trigger price in quote units, compared with the mark price; not zero."),
    kind: words(["take_profit", "stop_loss"], { description: "Which way the price has to come." }),
    market: Type.Boolean({
      description:
        "True: executes at market once triggered, `price` of the order being the worst price. False: rests as a limit order at `price`.",
    }),
  },
  {
    title: "Trigger",
    description:
      "Makes the order wait until the mark price reaches `price`, in quote units. Not zero. With a trigger, `time_in_force` is `gtc`, or `ioc` when `market` is true. Perpetuals only: on spot the order is `rejected` before anything is sent. One that is met already is sent as asked and fires at once, or the exchange refuses it; its first answer may be `waiting_for_trigger`, as the exchange answers it.",
    examples: [{ price: "60000", kind: "stop_loss", market: true }],
  },
);

/** Spec 2.2. */
export const TimeInForce = words(["gtc", "ioc", "alo"], {
  description: "How long it stays: until canceled, immediate or cancel, or only if it adds liquidity.",
  default: "gtc",
});

export const OrderStatus = words(
  ["processing", "open", "filled", "canceled", "rejected", "unknown", "waiting_for_trigger"],
  {
    title: "OrderStatus",
    description:
      "`unknown`: sent, and its fate is not known yet; the gateway finds it out, retrieve the order and do not place it again under a new key. `rejected` is what the exchange's answer said, which names no order: where the exchange shows the order all the same (another server has taken a copy of it, or the answer was the answer to another request), the order is shown as it is from when that is known, and so is the answer to its key.",
  },
);

/** A decimal of the exchange, or null while there is none. */
function figureOrNull(description: string) {
  return nullable(Figure, description);
}

/** Spec 2.2. */
export const OrderResource = closed(
  {
    id: described(Uuid, "Id of the order."),
    object: Type.Literal("order", { description: "Always `order`." }),
    account: described(Uuid, "Account of the order."),
    market: MarketName,
    side: Side,
    size: described(DecimalString, "Size in base units, as sent."),
    price: described(DecimalString, "Limit price in quote units, as sent."),
    time_in_force: TimeInForce,
    reduce_only: Type.Boolean({ description: "Whether it may only make a position smaller.", default: false }),
    trigger: Type.Optional(Trigger),
    network: AnswerNetwork,
    status: OrderStatus,
    exchange_order_id: nullable(Type.String(), "Native order id on the exchange, digits; null until it has one."),
    filled_size: figureOrNull(
      "Filled so far, in base units; null while the exchange may not have the order, and while it is not known whether what was filled is this order's.",
    ),
    average_price: figureOrNull(
      "Average price of its fills, in quote units, cut to 8 decimals; null until a fill, and while `filled_size` is.",
    ),
    error: ErrorText,
    created_at: described(
      Timestamp,
      "When it was taken; of one that was placed elsewhere when it was placed, by the exchange's clock.",
    ),
  },
  { title: "Order", description: "An order. Check `status` and `error`: a refusal of the exchange is no HTTP error." },
);

const ORDER_SIZE_NOTE =
  "`size` is in base units, `price` in quote units; neither may be zero. Nothing is rounded: a price or size that the market does not take is answered `rejected`.";

const ORDER_SIZE_NOTE_OF_BATCH =
  "Nothing is rounded: where the market does not take a price or size, nothing of the batch is sent.";

/**
 * What only holds between members, for readers of the description. Checks of shape pass over it; the order's rules
 * refuse the same with words of their own.
 */
const TRIGGER_CONDITIONS = [
  {
    if: { required: ["trigger"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      properties: {
        time_in_force: { enum: ["gtc", "ioc"], description: "With a trigger `gtc` or `ioc`, never `alo`." },
      },
    },
  },
  {
    if: {
      required: ["trigger", "time_in_force"],
      properties: { time_in_force: { const: "ioc", description: "`ioc` with a trigger needs one at market." } },
    },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      properties: { trigger: { properties: { market: { const: true, description: "True when it is `ioc`." } } } },
    },
  },
];

const MODIFY_CONDITIONS = [
  { anyOf: ["price", "size", "trigger"].map((name) => ({ required: [name] })) },
  {
    if: { required: ["trigger"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      required: ["always_place"],
      properties: { always_place: { const: true, description: "True when a trigger is given." } },
    },
  },
];

/** Spec 4.3. */
export const PlaceOrderBody = closed(
  {
    account: described(Uuid, "The account of the key."),
    market: MarketName,
    side: Side,
    size: described(PositiveDecimal, "Size in base units, not zero."),
    price: described(PositiveDecimal, "Limit price in quote units, not zero; with a market trigger the worst price."),
    time_in_force: Type.Optional(TimeInForce),
    reduce_only: Type.Optional(
      Type.Boolean({ description: "True or false: whether it may only make a position smaller.", default: false }),
    ),
    trigger: Type.Optional(Trigger),
  },
  {
    title: "PlaceOrder",
    description: `${ORDER_SIZE_NOTE} A market-style order is an \`ioc\` with a price bound. A stop whose \`price\` equals its trigger price may not fill when the market gaps.`,
    allOf: TRIGGER_CONDITIONS,
  },
);

/** An order that takes what the book holds now; see `actions/place-market-order`. */
export const PlaceMarketOrderBody = closed(
  {
    account: described(Uuid, "The account of the key."),
    market: MarketName,
    side: Side,
    size: described(PositiveDecimal, "Size in base units, not zero; not rounded."),
    reduce_only: Type.Optional(
      Type.Boolean({ description: "True or false: whether it may only make a position smaller.", default: false }),
    ),
    max_slippage_bps: Type.Optional(SlippageOrDefault),
  },
  { title: "PlaceMarketOrder", description: "An order without a price: the gateway makes the worst price of it." },
);

const { account: ACCOUNT_OF_ORDERS, ...ORDER_TERMS } = PlaceOrderBody.properties;

export const PlaceBatchBody = closed(
  {
    account: ACCOUNT_OF_ORDERS,
    orders: Type.Array(
      closed(ORDER_TERMS, {
        title: "BatchOrder",
        description: `One order of a batch: the members of an order but its account. ${ORDER_SIZE_NOTE_OF_BATCH}`,
        allOf: TRIGGER_CONDITIONS,
      }),
      {
        minItems: 1,
        maxItems: MAX_BATCH_ORDERS,
        description: "What is placed, in this order: all of spot, or all of perpetuals of one dex.",
      },
    ),
  },
  { title: "PlaceBatch", description: "Orders that are placed as one action of the exchange." },
);

export const BatchResource = closed(
  {
    object: Type.Literal("order_batch", { description: "Always `order_batch`." }),
    account: described(Uuid, "Account of the orders."),
    network: AnswerNetwork,
    orders: Type.Array(OrderResource, {
      minItems: 1,
      maxItems: MAX_BATCH_ORDERS,
      description: "Each order, in the order in which they were asked for, with an id of its own.",
    }),
  },
  {
    title: "OrderBatch",
    description:
      "Orders that were placed as one action. Each is an order like any other: check `status` and `error` of each.",
  },
);

/** Spec 4.6. */
export const ModifyOrderBody = closed(
  {
    price: Type.Optional(described(PositiveDecimal, "New limit price in quote units, not zero.")),
    size: Type.Optional(described(PositiveDecimal, "Size of the replacement in base units, not zero.")),
    trigger: Type.Optional(Trigger),
    always_place: Type.Optional(
      Type.Boolean({
        description: "True or false: permits a replacement that executes at once or has a trigger.",
        default: false,
      }),
    ),
  },
  {
    title: "ModifyOrder",
    description: "At least one of `price`, `size` and `trigger`. `size` is the size of the replacement.",
    allOf: MODIFY_CONDITIONS,
  },
);

/** Spec 4.7. */
export const CancelOrderBody = closed({}, { title: "CancelOrder", description: "Empty; may be left out." });
