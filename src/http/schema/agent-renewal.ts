import { Type } from "@sinclair/typebox";
import { closed, described, nullable, Timestamp, Uuid, words } from "./common.ts";
import { Address, ApprovalBody, ApprovalResource } from "./setup.ts";

const Named = {
  address: described(Address, "Address of the key."),
  name: Type.String({ description: "Its name at the exchange." }),
};

const Renewal = {
  object: Type.Literal("agent_renewal", { description: "Always `agent_renewal`." }),
  account: Uuid,
  is_due: Type.Boolean({
    description:
      "Whether the agent that signs has 14 days left or fewer, has ended, or is not listed by the exchange any more.",
  }),
  signing: nullable(
    closed(
      {
        ...Named,
        valid_until: nullable(
          Timestamp,
          "When its approval ends, by the exchange's clock; null when that is not known.",
        ),
      },
      { title: "AgentThatSigns" },
    ),
    "Who signs now; null while nobody does.",
  ),
  waiting: nullable(
    closed(Named, { title: "AgentThatWaits" }),
    "The key that waits for the owner's approval; null for none.",
  ),
};

export const RenewalResource = closed(
  { ...Renewal, approval: nullable(ApprovalResource, "What the owner signs for it.") },
  { title: "AgentRenewal" },
);

export const RenewalOutcomeResource = closed(
  {
    object: Type.Literal("agent_renewal_outcome", { description: "Always `agent_renewal_outcome`." }),
    status: words(["succeeded", "rejected", "unknown"], {
      description: "`rejected`: nothing has changed. `unknown`: the same body again will tell.",
    }),
    error: nullable(Type.String(), "Why not, in words."),
    what_to_do: nullable(Type.String(), "The one thing to do about it."),
  },
  { title: "AgentRenewalOutcome" },
);

export const RenewalBody = closed(
  {
    account: described(Uuid, "Any account of the owner."),
    agent: described(Address, "The agent that waits, as it was shown."),
    ...ApprovalBody.properties,
  },
  { title: "RenewAgent" },
);
