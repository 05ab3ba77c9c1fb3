import { Type } from "@sinclair/typebox";
import { AnswerNetwork, closed, described, Figure, KeyHash, MarketName, nullable, Timestamp, Uuid } from "./common.ts";

const FIGURES = {
  fills: Type.Integer({ minimum: 0, description: "How many fills." }),
  volume: described(Figure, "Price times size of them."),
  fees: described(Figure, "Fees paid, the builder's part included; negative is a rebate."),
  builder_fees: described(Figure, "The builder's part of the fees."),
  funding: described(
    Figure,
    "Funding received by own net position at each time of funding; negative where it was paid.",
  ),
  realized_pnl: described(Figure, "Profit realised at average cost, without fees and funding."),
  net_pnl: described(Figure, "`realized_pnl` plus `funding` less `fees`."),
};

const BOT = nullable(
  Type.String(),
  "Name of the bot; null for a plain key, for nobody, and where nothing is told apart by it.",
);
const KEY = nullable(KeyHash, "Hash of the API key; null for nobody, and where nothing is told apart by it.");

export const PerformanceResource = closed(
  {
    object: Type.Literal("performance", { description: "Always `performance`." }),
    account: Uuid,
    network: AnswerNetwork,
    complete_from: nullable(
      Timestamp,
      "Funding from before that, by the exchange's clock, is not known; null before anything was booked.",
    ),
    complete_to: nullable(
      Timestamp,
      "Up to here all that is known is booked, by the exchange's clock: some seconds ago (up to a minute in an account in which nothing happens), and not past an hour whose funding its servers may not show yet, which is for 160 s after it. A fill that is shown late is booked when it comes, and the figures are made anew. It stays right before a millisecond in which more was filled than the exchange gives, and before the sending of an order of which more was filled than its fills come to: figures of later fills are booked, and some of that millisecond may lack. Null likewise.",
    ),
    total: nullable(
      closed(FIGURES, { title: "PerformanceFigures" }),
      "Of what is booked in that time; null while nothing of it is, which is not zero: in the first minute of an installation, in that of a day, and while the exchange is down.",
    ),
    data: Type.Array(
      closed(
        {
          day: nullable(
            Type.String({ pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", examples: ["2026-11-21"] }),
            "Day in UTC; null where days are not told apart.",
          ),
          market: nullable(MarketName, "Null where markets are not told apart."),
          bot: BOT,
          key_hash: KEY,
          attributed: nullable(
            Type.Boolean(),
            "False for what belongs to nobody: traded elsewhere, liquidated, or from before anything was indexed. Null where neither bots nor keys are told apart.",
          ),
          ...FIGURES,
        },
        { title: "PerformanceLine" },
      ),
      { description: "Newest day first." },
    ),
    positions: nullable(
      Type.Array(
        closed(
          {
            market: MarketName,
            bot: BOT,
            key_hash: KEY,
            attributed: Type.Boolean({ description: "False for what belongs to nobody." }),
            size: described(Figure, "Held by own fills, in base units, negative when short."),
            entry_price: described(Figure, "Average cost, cut to 8 decimals."),
            mark_price: nullable(Figure, "Mark as it is now; null where it is not known."),
            unrealized_pnl: nullable(Figure, "What is not realised yet, at that mark; null likewise."),
          },
          { title: "PerformancePosition" },
        ),
      ),
      "What was held at `complete_to`, whatever time was asked for, at the mark of now; null before anything was booked.",
    ),
  },
  {
    title: "Performance",
    description:
      "All figures in units of the market's quote. Lines and positions of one account add up to the account: with `unrealized_pnl` at one mark, to the cent.",
  },
);
