import { MAX_LISTED, proposalShown } from "../../actions/proposals/list-proposals.ts";
import type { Decision } from "../../core/proposal.ts";
import { listAccounts } from "../../store/accounts.ts";
import { listAskedProposals } from "../../store/proposals.ts";
import { change } from "../change.ts";
import { type Command, DATA_DIRECTORY, Failure, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { columns, present } from "../output.ts";

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
      const order = `${told["in_words"]}`;
      if (decision === "refuse") return present({ input, outside }, told, [order, "Refused. Nothing is placed."]);
      const { isPlaced, words } = becomeOf(told);
      present({ input, outside }, told, isPlaced ? [order, words] : [order]);
      if (!isPlaced) throw new Failure(words);
    },
  };
}

/** What was approved is not thereby placed: whoever reads this alone, or the exit code alone, has to learn that. */
function becomeOf({ outcome, order }: Record<string, unknown>): { isPlaced: boolean; words: string } {
  const { id, status, error }: Record<string, unknown> = { ...(typeof order === "object" ? order : {}) };
  if (outcome === "unknown" || status === "unknown")
    return { isPlaced: false, words: "approved, and it may have been placed. Approve it again to ask" };
  if (outcome !== "order") return { isPlaced: false, words: `approved, and not placed: ${reasonOf(`${outcome}`)}` };
  if (status === "rejected") {
    const why = typeof error === "string" ? `: ${error}` : "";
    return { isPlaced: false, words: `approved, and order ${id} is rejected${why}` };
  }
  return { isPlaced: true, words: `Approved. Order ${id} is ${status}.` };
}

/** What is none of these is the code with which placing it was refused. */
function reasonOf(outcome: string): string {
  if (outcome === "not_placed") return "its time was over";
  const words = outcome === "unsettled" ? "an order of the bot there has no known outcome" : outcome;
  return `${words}. Approve it again within 60 s of the first time to try again`;
}

export const proposalList: Command = {
  name: "proposal list",
  summary: "orders that agents want approved, and what became of those before",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const { clock } = outside;
    const proposals = reading(places(input, outside), ({ store }) =>
      listAccounts(store)
        .flatMap(({ id }) => listAskedProposals(store, id, MAX_LISTED))
        .map((proposal) => proposalShown({ clock, store }, proposal)),
    );
    const rows = proposals.map(({ id, bot, status, in_words: words }) => [id, bot ?? "-", status, words]);
    present({ input, outside }, { proposals }, columns([["ID", "BOT", "STATUS", "ORDER"], ...rows]));
  },
};
