import { Type } from "@sinclair/typebox";
import { TRADE_PATHS, TRADE_STATUSES } from "../../core/trade.ts";
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
  Timestamp,
  Uuid,
  words,
} from "./common.ts";
import { TimeInForce } from "./order.ts";

const WantedGuard = closed(
  {
    trigger_price: described(PositiveDecimal, "Mark price at which it executes, in quote units; not zero."),
    limit_price: Type.Optional(
      described(
        PositiveDecimal,
        "It rests as a limit order at this price once it is triggered. Left out: it executes at market, at worst 10 % from the trigger.",
      ),
    ),
  },
  { title: "WantedGuard", description: "What closes the trade once the mark comes to a price." },
);

export const CreateTradeBody = closed(
  {
    account: described(Uuid, "The account of the key."),
    market: MarketName,
    side: Side,
    size: described(PositiveDecimal, "Size in base units, not zero."),
    entry: closed(
      {
        price: described(PositiveDecimal, "Limit price of the entry in quote units, not zero."),
        time_in_force: Type.Optional(TimeInForce),
      },
      { description: "The order that enters." },
    ),
    stop_loss: WantedGuard,
    take_profit: Type.Optional(WantedGuard),
  },
  {
    title: "CreateTrade",
    description:
      "The stop's trigger is on the losing side of the entry's price, the profit's on the winning side; a `limit_price` is not better than its trigger. Nothing is rounded.",
  },
);

export const ModifyTradeBody = closed(
  { stop_loss: Type.Optional(WantedGuard), take_profit: Type.Optional(WantedGuard) },
  {
    title: "ModifyTrade",
    description: "At least one of both.",
    allOf: [{ anyOf: ["stop_loss", "take_profit"].map((name) => ({ required: [name] })) }],
  },
);

export const CancelTradeBody = closed({}, { title: "CancelTrade", description: "Empty; may be left out." });

const Guard = closed({
  trigger_price: described(DecimalString, "As sent."),
  price: described(DecimalString, "Its limit; at market the worst price."),
  market: Type.Boolean({ description: "Whether it executes at market." }),
  order: nullable(Uuid, "The order that stands for it; null while none is known to."),
});

export const TradeResource = closed(
  {
    id: described(Uuid, "Id of the trade."),
    object: Type.Literal("trade", { description: "Always `trade`." }),
    account: described(Uuid, "Account of the trade."),
    network: AnswerNetwork,
    market: MarketName,
    side: Side,
    size: described(DecimalString, "Size of the entry in base units, as sent."),
    entry: closed({
      price: described(DecimalString, "As sent."),
      time_in_force: TimeInForce,
      order: nullable(Uuid, "The order that enters; null before it is sent."),
    }),
    stop_loss: Guard,
    take_profit: nullable(Guard, "Null where none was asked for."),
    path: words(TRADE_PATHS, {
      description:
        "`stop_first`: the stop waits at the exchange, whole, before the entry is sent; the account had nothing in the market. `after_fills`: it had, or the exchange took no stop without a position: a stop of what is filled follows each fill.",
    }),
    status: words(TRADE_STATUSES, {
      description:
        "`arming`: the entry has not been sent. `entering`: it may still fill. `open`: it is over, and what it filled is held. The others are ends: `closed`, `canceled` and `rejected` without a fill, `closed_outside`: other hands have closed it, or some of it; `withdrawn`: a stop without protection took its orders away.",
    }),
    filled_size: described(Figure, "What the entry has filled, in base units."),
    held_size: described(
      Figure,
      "What of that is held: no more than the account holds on its side. Where a stop or take-profit has closed something and not all fills of the entry are known, all that may still be held, which is then not told to be protected.",
    ),
    protected: Type.Boolean({ description: "Whether stops that the exchange has taken would close all of it." }),
    unprotected_since: nullable(Timestamp, "Since when they would not; null where it is protected."),
    unprotected_because: nullable(Type.String(), "Why, in plain words; null where it is protected."),
    error: ErrorText,
    created_at: described(Timestamp, "When it was taken."),
    ended_at: nullable(Timestamp, "When nothing of it was held or out any more; null while it lives."),
  },
  { title: "Trade", description: "An entry with what protects it, until nothing of it is held." },
);
