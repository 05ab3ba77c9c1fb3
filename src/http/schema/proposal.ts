import { Type } from "@sinclair/typebox";
import { DECISIONS, PROPOSAL_STATUSES } from "../../core/proposal.ts";
import {
  closed,
  DecimalString,
  KeyHash,
  MarketName,
  nullable,
  Side,
  Signature,
  Timestamp,
  Uuid,
  words,
} from "./common.ts";
import { OrderResource, TimeInForce, Trigger } from "./order.ts";

export const ProposalId = Type.String({
  pattern: "^[0-9]{13}-[0-9a-f]{32}$",
  description: "The intent, as its agent knows it.",
});

const PROPOSAL = {
  id: ProposalId,
  object: Type.Literal("proposal", { description: "Always `proposal`." }),
  account: Uuid,
  bot: nullable(Type.String(), "Of the key that has proposed it."),
  key_hash: KeyHash,
  status: words(PROPOSAL_STATUSES, {
    description:
      "`waiting`: it can be approved or refused until `expires_at`. `expired`: nobody said anything, which refuses it. `approved` says nothing of the order: see `order_id`. `proposed` is not told here: only what was asked for is listed.",
  }),
  in_words: Type.String({
    description: "All of the order as a person reads it; a decision of the owner signs this text.",
  }),
  market: MarketName,
  side: Side,
  size: DecimalString,
  price: DecimalString,
  time_in_force: TimeInForce,
  reduce_only: Type.Boolean({ description: "Whether it can only make a position smaller." }),
  trigger: nullable(Trigger, "What it waits for; null for none."),
  proposed_at: Timestamp,
  asked_at: nullable(Timestamp, "When it was asked to be placed."),
  expires_at: nullable(Timestamp, "Until when it may be approved."),
  decided_at: nullable(Timestamp, "When it was approved or refused; null before."),
  decided_by: nullable(Type.String(), "`owner`, `operator` or the hash of the API key that has decided; null before."),
  order_id: nullable(Uuid, "The order that was placed from it; null where none was."),
};

export const ProposalResource = closed(PROPOSAL, { title: "Proposal" });

export const DecidedProposal = closed(
  {
    ...PROPOSAL,
    outcome: Type.String({
      description:
        "`order`: it was placed, see `order`. `refused`: it was not approved. `unknown`: it may have been placed; ask again. `not_placed`: approved, and not placed in its time. `unsettled`: an order of the bot there has no known outcome. Anything else: the code with which placing it was refused, and nothing was sent; approve again within 60 s of the first time to try again.",
    }),
    order: nullable(OrderResource, "The order; null where there is none."),
  },
  { title: "DecidedProposal" },
);

export const DecideBody = closed({}, { title: "DecideOnProposal", description: "Empty; may be left out." });

export const SignedDecisionBody = closed(
  {
    account: Uuid,
    decision: words(DECISIONS, { description: "What was signed." }),
    signature: Signature,
  },
  { title: "SignedDecision" },
);
