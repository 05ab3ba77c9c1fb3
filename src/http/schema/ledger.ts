import { Type } from "@sinclair/typebox";
import { AnswerNetwork, closed, described, Figure, MarketName, nullable, Timestamp, Uuid } from "./common.ts";

const TransactionHash = Type.String({ description: "Hash of the transaction on the exchange's chain." });

/** What was paid for holding a position, or to its holder. */
export const FundingPaymentResource = closed(
  {
    object: Type.Literal("funding_payment", { description: "Always `funding_payment`." }),
    id: Type.String({ description: "Id of the payment, unique within the account." }),
    account: Uuid,
    network: AnswerNetwork,
    dex: Type.String({ description: "Perpetuals dex; empty for the native one." }),
    market: MarketName,
    amount: described(Figure, "USDC that the account was paid; negative where it has paid."),
    position: described(Figure, "Size of the account's position at that time in base units, negative when short."),
    funding_rate: described(Figure, "Rate of the hour; where it is positive, longs pay."),
    samples: nullable(Type.Integer(), "Hours that the exchange tells as one payment; null for one."),
    transaction_hash: TransactionHash,
    created_at: described(Timestamp, "When it was, by the exchange's clock."),
  },
  { title: "FundingPayment" },
);

/** What else has changed the account's balances. */
export const TransferResource = closed(
  {
    object: Type.Literal("transfer", { description: "Always `transfer`." }),
    id: Type.String({ description: "Id of the transfer, unique within the account." }),
    account: Uuid,
    network: AnswerNetwork,
    type: Type.String({
      description:
        "The exchange's word for it: `deposit`, `withdraw`, `account_class_transfer`, `internal_transfer`, `sub_account_transfer`, `spot_transfer`, `send`, `liquidation`, `vault_deposit` and so on; new ones may come.",
    }),
    token: nullable(Type.String(), "Token that was moved, as the exchange names it; null where it names none."),
    amount: nullable(Figure, "How much of it, without a sign; null where that is not told."),
    fee: nullable(Figure, "What the exchange took for it; null where it names none."),
    value: nullable(
      Figure,
      "USDC by which it has changed what the account is worth in all; null where the exchange does not tell that.",
    ),
    counterparty: nullable(Type.String(), "Address of the other side; null where there is none."),
    transaction_hash: TransactionHash,
    created_at: described(Timestamp, "When it was, by the exchange's clock."),
  },
  { title: "Transfer" },
);
