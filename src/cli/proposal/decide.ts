import type { Decision } from "../../core/proposal.ts";
import { change } from "../change.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { places } from "../directory.ts";
import { present } from "../output.ts";

export const proposalApprove = deciding("approve", "place an order that an agent has proposed; its limits still hold");
export const proposalRefuse = deciding("refuse", "have an order that an agent has proposed never be placed");

function deciding(decision: Decision, summary: string): Command {
  return {
    name: `proposal ${decision}`,
    summary,
    options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
    positionals: ["PROPOSAL"],
    async run(input, outside) {
      const at = places(input, outside);
      const proposalId = input.positionals[0] ?? "";
      const done = await change({ input, outside, at }, "decide_proposal", { proposalId, decision });
      const told: Record<string, unknown> = { ...done };
      const words = decision === "approve" ? `Approved: ${told["outcome"]}.` : "Refused. Nothing is placed.";
      present({ input, outside }, told, [`${told["in_words"]}`, words]);
    },
  };
}
