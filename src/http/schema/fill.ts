import { Type } from "@sinclair/typebox";
import {
  AnswerNetwork,
  closed,
  described,
  Figure,
  KeyHash,
  MarketName,
  nullable,
  Side,
  Timestamp,
  Uuid,
  words,
} from "./common.ts";

/** One fill; the specification leaves its fields open (2.7). */
export const FillResource = closed(
  {
    object: Type.Literal("fill", { description: "Always `fill`." }),
    id: Type.String({ description: "Id of the fill, unique within the account." }),
    account: Uuid,
    network: AnswerNetwork,
    dex: Type.String({ description: "Perpetuals dex; empty for the native one and for spot." }),
    market: MarketName,
    order_id: nullable(
      Uuid,
      "The order that was filled, or null when it was not placed here. What a modify with `always_place` has placed stands with the order that was modified until that modify is settled, and is an order of its own from then on where the original had ended by itself.",
    ),
    key_hash: nullable(
      KeyHash,
      "Hash of the API key that placed the order, or asked for the TWAP of which this is a slice; null when neither was asked for here.",
    ),
    exchange_order_id: Type.String({ description: "Native id of the order that was filled." }),
    side: Side,
    price: described(Figure, "Price in quote units."),
    size: described(Figure, "Size in base units."),
    liquidity: words(["maker", "taker"], { description: "Whether the order was resting." }),
    fee: described(Figure, "Fee in `fee_token`, the builder's part included; negative is a rebate."),
    fee_token: Type.String({ description: "Token in which the fee was taken." }),
    builder_fee: nullable(Figure, "The builder's part of the fee, or null when there is none."),
    realized_pnl: described(Figure, "Profit realised by it in USDC, without the fee."),
    start_position: described(Figure, "Position before it, in base units, negative when short."),
    direction: Type.String({ description: "The exchange's own words: `Open Long`, `Close Short`, `Buy` and so on." }),
    twap_id: nullable(Type.String(), "Native id (digits) of the TWAP that it is a slice of, or null."),
    liquidation: Type.Boolean({ description: "Whether it was a liquidation." }),
    transaction_hash: Type.String({ description: "Hash of the transaction on the exchange's chain." }),
    created_at: described(Timestamp, "When it was filled, by the exchange's clock."),
  },
  {
    title: "Fill",
    description:
      "`size` in base units, `price` in quote units; a negative `fee` is a rebate, `realized_pnl` is without the fee.",
  },
);
