import { MAX_LISTED, proposalShown } from "../../actions/proposals/list-proposals.ts";
import { listAccounts } from "../../store/accounts.ts";
import { listAskedProposals } from "../../store/proposals.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { columns, present } from "../output.ts";

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
