import { Type } from "@sinclair/typebox";
import { closed, described, Figure, MarketName } from "./common.ts";

export const PriceResource = closed(
  {
    object: Type.Literal("price", { description: "Always `price`." }),
    market: MarketName,
    mid_price: described(Figure, "Middle of the book, in quote units."),
  },
  { title: "Price" },
);
