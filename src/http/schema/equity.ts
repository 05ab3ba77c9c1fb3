import { Type } from "@sinclair/typebox";
import { AnswerNetwork, closed, described, Figure, nullable, Timestamp, Uuid } from "./common.ts";

/** What an account was worth over a stretch of time. */
export const EquityResource = closed(
  {
    object: Type.Literal("equity", { description: "Always `equity`." }),
    account: Uuid,
    network: AnswerNetwork,
    from: described(Timestamp, "When the account was looked at first in it, by the exchange's clock."),
    to: described(Timestamp, "When it was looked at first after it, or last, by the exchange's clock."),
    open: described(
      Figure,
      "USDC that it was worth then in all: spot and every dex that is followed (`POSTERN_DEXES`), collateral counted once. What lies in another dex is not counted.",
    ),
    close: described(Figure, "And at its end."),
    transfers: nullable(
      Figure,
      "USDC that came in between without a trade, less what went; null while `/v1/transfers` is not whole up to 20 s after it, where the exchange does not tell what it was worth, where something was sent to a dex that is not followed, or from one, and where something was moved within 20 s of either end: what was looked at there may hold the one side of it alone.",
    ),
    profit: nullable(Figure, "`close` less `open` less `transfers`; null where those are."),
    unpriced: Type.Array(Type.String(), {
      description: "Tokens held of which no price was known: they are in none of these.",
    }),
  },
  { title: "Equity" },
);
