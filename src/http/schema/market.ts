import { Type } from "@sinclair/typebox";
import { closed, MarketName, nullable, words } from "./common.ts";

export const MarketResource = closed(
  {
    object: Type.Literal("market", { description: "Always `market`." }),
    market: MarketName,
    kind: words(["perpetual", "spot"], { description: "What is traded." }),
    dex: Type.String({ description: "Perpetuals dex; empty for the native one and for spot." }),
    pair: nullable(Type.String(), "`BASE/QUOTE` of a spot pair; null for perpetuals."),
    size_decimals: Type.Integer({ minimum: 0, description: "Most decimals of a size." }),
    price_decimals: Type.Integer({ minimum: 0, description: "Most decimals of a price; whole numbers always pass." }),
    price_significant_figures: Type.Integer({ description: "Most significant figures of a price with decimals." }),
    max_leverage: nullable(Type.Integer(), "Largest whole leverage; null for spot."),
    margin_mode: words(["any", "isolated_only", "strict_isolated"], {
      description: "Which margin a position may have; from `strict_isolated` none can be taken out again.",
    }),
  },
  { title: "Market" },
);
