import { Type } from "@sinclair/typebox";
import { TOUCHES } from "../../core/cancel-all.ts";
import {
  AnswerNetwork,
  closed,
  described,
  Figure,
  MarketName,
  nullable,
  PositiveDecimal,
  SlippageOrDefault,
  Uuid,
  words,
} from "./common.ts";

/** See `actions/close-position`. */
export const ClosePositionBody = closed(
  {
    account: described(Uuid, "The account of the key."),
    market: MarketName,
    fraction: Type.Optional(
      described(
        PositiveDecimal,
        "Which part of it, above 0 and at most 1, as a decimal string; 1 when left out. Cut to the market's step, never rounded up; all of it where all is worth less than the exchange's minimum of 10 USD.",
      ),
    ),
    max_slippage_bps: Type.Optional(SlippageOrDefault),
    touches: Type.Optional(
      words(TOUCHES, {
        description:
          "`own`, or left out: of a key with rails at most what its bot's own fills hold, and of any other the account's position; of triggers those that this key, or its bot, has placed. `all`: the account's position and the triggers of whoever placed them here; a key with rails needs `touches` all for it.",
        default: "own",
      }),
    ),
    keep_triggers: Type.Optional(
      Type.Boolean({
        description:
          "True: reduce-only triggers that are left over once nothing is held stay. False, or left out: they go.",
        default: false,
      }),
    ),
  },
  { title: "ClosePosition" },
);

/** An open position of a perpetual; the specification leaves its fields open (2.7). */
export const PositionResource = closed(
  {
    object: Type.Literal("position", { description: "Always `position`." }),
    account: Uuid,
    network: AnswerNetwork,
    dex: Type.String({ description: "Perpetuals dex; empty for the native one." }),
    market: MarketName,
    side: words(["long", "short"], { description: "Direction of the position." }),
    size: described(Figure, "Size in base units, unsigned."),
    entry_price: nullable(Figure, "Average entry price in quote units, or null where the exchange names none."),
    mark_price: nullable(Figure, "Mark price in quote units, or null where there is no size to take it from."),
    position_value: described(Figure, "Size times mark price, in USDC."),
    unrealized_pnl: described(Figure, "Unrealised profit in USDC."),
    return_on_equity: described(Figure, "Unrealised profit as a fraction of the margin."),
    leverage: Type.Integer({ minimum: 1, description: "Leverage set for the market." }),
    margin_type: words(["cross", "isolated"], { description: "Margin of the position." }),
    margin_used: described(Figure, "Margin of the position, in USDC."),
    max_leverage: Type.Integer({ minimum: 1, description: "Largest leverage of the market." }),
    liquidation_price: nullable(Figure, "Price at which it would be liquidated, or null when there is none."),
    funding_since_open: described(Figure, "Funding since it was opened, in USDC; positive was paid."),
  },
  {
    title: "Position",
    description:
      "Prices in quote units, values in USDC, `size` unsigned in base units; positive `funding_since_open` was paid.",
  },
);
