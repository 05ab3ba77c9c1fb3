import { Type } from "@sinclair/typebox";
import { TOUCHES } from "../../core/cancel-all.ts";
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
import { OrderStatus } from "./order.ts";

const Touches = words(TOUCHES, {
  description:
    "`own`: what this API key has placed, and of a key with rails what its bot has. `all`: all of the account, what was placed elsewhere too; a key with rails needs `touches` all for it.",
});

const KeepProtection = Type.Boolean({
  description: "Whether what can only make a position smaller stays, and is not burnt where its outcome is not known.",
});

export const CancelAllBody = closed(
  {
    account: described(Uuid, "The account of the key."),
    market: Type.Optional(MarketName),
    side: Type.Optional(Side),
    touches: Type.Optional({ ...Touches, description: `${Touches.description ?? ""} \`own\` when left out.` }),
    keep_protection: Type.Optional({
      ...KeepProtection,
      description: `${KeepProtection.description ?? ""} True when left out.`,
    }),
  },
  { title: "CancelAllOrders" },
);

export const CancelAllResource = closed(
  {
    id: described(Uuid, "Id of it."),
    object: Type.Literal("cancel_all", { description: "Always `cancel_all`." }),
    account: described(Uuid, "Its account."),
    network: AnswerNetwork,
    market: nullable(MarketName, "The market it is for; null for all."),
    side: nullable(Side, "The side it is for; null for both."),
    touches: Touches,
    keep_protection: KeepProtection,
    status: words(["canceling", "done"], {
      description:
        "`canceling`: something of these orders may still fill, or what was placed elsewhere has not been read. `done`: nothing of them can.",
    }),
    created_at: described(Timestamp, "When it was taken."),
    done_at: nullable(Timestamp, "Since when it is known that nothing of them can fill; null while it is not."),
    results: Type.Array(
      closed({
        order_id: described(Uuid, "Id of the order."),
        market: MarketName,
        status: OrderStatus,
        filled_size: nullable(Figure, "Filled before it was canceled, in base units; null while that is not known."),
        error: ErrorText,
      }),
      { description: "Each order that it covers, as it is now." },
    ),
  },
  { title: "CancelAll" },
);
