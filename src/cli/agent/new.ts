import { ACCOUNT, chosenAccount } from "../account-choice.ts";
import { change } from "../change.ts";
import type { Command } from "../command.ts";
import { places, reading } from "../directory.ts";
import { present } from "../output.ts";
import { OPERATING } from "../passphrase-input.ts";

export const agentNew: Command = {
  name: "agent new",
  summary: "make an agent key for an account's owner; it trades once the owner has approved it",
  options: { account: ACCOUNT, ...OPERATING },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    const { ownerAddress } = reading(at, ({ store }) => chosenAccount(store, input));
    const made = await change(
      { input, outside, at },
      "new_agent",
      { ownerAddress, replaces: null },
      { keys: true, exchange: false },
    );
    const facts = { address: made.address, name: made.name, owner: ownerAddress };
    present({ input, outside }, facts, [
      `Agent ${facts.address} (${facts.name}) for ${ownerAddress}`,
      "",
      "Next, the owner approves it:",
      `  postern agent approval --agent ${facts.address}`,
    ]);
  },
};
