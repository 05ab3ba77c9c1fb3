import { Type } from "@sinclair/typebox";
import { OPERATION_ACTIONS, OPERATION_STATUSES } from "../../core/operation.ts";
import {
  closed,
  described,
  ErrorText,
  Figure,
  KeyHash,
  MarketName,
  NOT_ZERO,
  nullable,
  PositiveDecimal,
  Side,
  Timestamp,
  Uuid,
  words,
} from "./common.ts";

export const OperationAction = words(OPERATION_ACTIONS, { description: "What was asked." });

export const OperationStatus = words(OPERATION_STATUSES, {
  description: "`unknown`: sent, and its fate is not known yet.",
});

/** Spec 2.4. */
export const OperationResource = closed(
  {
    id: Uuid,
    object: Type.Literal("operation", { description: "Always `operation`." }),
    account: Uuid,
    action: OperationAction,
    status: OperationStatus,
    exchange_id: nullable(
      Type.String(),
      "Native TWAP id of a `twap`; null for the others. While that is `unknown` it is what the exchange's answer has named, which was perhaps another's.",
    ),
    error: ErrorText,
  },
  { title: "Operation", description: "The result of an action that is no order. Check `status` and `error`." },
);

/** What the list says beside it. */
export const ListedOperationResource = closed(
  {
    ...OperationResource.properties,
    market: MarketName,
    key_hash: nullable(KeyHash, "Hash of the API key that asked for it; null for what the gateway did by itself."),
    leverage: nullable(Type.Integer(), "Of `leverage`: what was asked; else null."),
    margin_type: nullable(words(["cross", "isolated"], { description: "Margin." }), "Of `leverage`; else null."),
    amount: nullable(Figure, "Of `isolated_margin`: USDC that was added, or taken out where negative; else null."),
    side: nullable(Side, "Of `twap`; else null."),
    size: nullable(Figure, "Of `twap`: its whole size in base units; else null."),
    duration_minutes: nullable(Type.Integer(), "Of `twap`: whole minutes that it was given; else null."),
    randomize: nullable(Type.Boolean(), "Of `twap`: whether its slices vary in time; else null."),
    reduce_only: nullable(Type.Boolean(), "Of `twap`; else null."),
    twap_id: nullable(Type.String(), "Of `twap_cancel`: native id (digits) of the TWAP; else null."),
    created_at: described(Timestamp, "When it was taken on here."),
  },
  { title: "ListedOperation" },
);

/** Spec 4.8. */
export const SetLeverageBody = closed(
  {
    market: MarketName,
    leverage: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Whole number, at least 1 and at most 9007199254740991; the exchange has a maximum for each market.",
      examples: [5],
    }),
    margin_type: words(["cross", "isolated"], { description: "Margin of the position." }),
  },
  { title: "SetLeverage" },
);

/** Spec 4.9. */
export const AdjustMarginBody = closed(
  {
    market: MarketName,
    amount: Type.String({
      pattern: "^-?(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?$",
      ...NOT_ZERO,
      description:
        "USDC with at most 6 decimals, as a string, not zero: positive adds isolated margin, negative takes it out.",
      examples: ["25.5", "-10"],
    }),
  },
  { title: "AdjustMargin" },
);

/** Spec 4.10. */
export const CreateTwapBody = closed(
  {
    market: MarketName,
    side: Side,
    size: described(PositiveDecimal, "Whole size in base units, not zero."),
    duration_minutes: Type.Integer({
      minimum: 5,
      maximum: 10_080,
      description: "Whole minutes, 5 to 10080.",
      examples: [30],
    }),
    randomize: Type.Optional(
      Type.Boolean({ description: "True or false: whether the slices vary in time.", default: false }),
    ),
    reduce_only: Type.Optional(
      Type.Boolean({ description: "True or false: whether it may only make a position smaller.", default: false }),
    ),
  },
  { title: "CreateTwap" },
);

/** Spec 4.11. */
export const CancelTwapBody = closed(
  {
    market: MarketName,
    twap_id: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Native TWAP id, a whole number from 0 to 9007199254740991.",
      examples: [1234],
    }),
  },
  { title: "CancelTwap" },
);
