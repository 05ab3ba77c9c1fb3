import { Type } from "@sinclair/typebox";
import {
  AnswerNetwork,
  closed,
  described,
  ErrorText,
  Figure,
  MarketName,
  nullable,
  Side,
  Timestamp,
  Uuid,
  words,
} from "./common.ts";

export const TwapStatus = words(
  ["running", "waiting_for_trigger", "finished", "canceled", "stopped", "error", "unknown"],
  {
    title: "TwapStatus",
    description: "As the exchange tells it; `unknown` for a word that this gateway does not know.",
  },
);

export const TwapResource = closed(
  {
    object: Type.Literal("twap", { description: "Always `twap`." }),
    exchange_id: Type.String({ description: "Native TWAP id, digits.", examples: ["77738"] }),
    operation_id: nullable(Uuid, "The operation that started it here, or null when it was started elsewhere."),
    account: Uuid,
    network: AnswerNetwork,
    dex: Type.String({ description: "Perpetuals dex; empty for the native one." }),
    market: MarketName,
    side: Side,
    size: described(Figure, "Whole size in base units."),
    filled_size: nullable(
      Figure,
      "Filled so far, in base units. Of a running one from this gateway's index of fills, which can lag the exchange. Null for one that is over while not all of it is known: until the exchange's record of its end is there and holds all fills that are known of it, or these are known up to its end.",
    ),
    average_price: nullable(
      Figure,
      "Average price of its fills, in quote units, cut to 8 decimals; null until a fill, and while `filled_size` is.",
    ),
    duration_minutes: Type.Integer({ description: "Whole minutes that it was given." }),
    randomize: Type.Boolean({ description: "Whether the slices vary in time." }),
    reduce_only: Type.Boolean({ description: "Whether it may only make a position smaller." }),
    status: TwapStatus,
    error: ErrorText,
    created_at: described(
      Timestamp,
      "When the exchange made it, by the exchange's clock; where its history does not show that yet, when it was signed.",
    ),
    ended_at: nullable(Timestamp, "When it ended, to the second, by the exchange's clock; null while it runs."),
  },
  { title: "Twap", description: "A TWAP that the exchange runs or has run." },
);
