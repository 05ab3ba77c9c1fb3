import { rotateFor } from "../../ops/next-commands.ts";
import { findAgent } from "../../store/agents.ts";
import { ACCOUNT, chosenAccount } from "../account-choice.ts";
import { change } from "../change.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
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

export const agentRetire: Command = {
  name: "agent retire",
  summary: "never sign with an agent key again",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: ["AGENT"],
  async run(input, outside) {
    const at = places(input, outside);
    const done = await change({ input, outside, at }, "retire_agent", { address: input.positionals[0] ?? "" });
    const { address, name, signing } = done;
    const rotate = reading(at, ({ store }) => rotateFor(store, findAgent(store, address)?.ownerAddress ?? ""));
    present({ input, outside }, { agent: address, name, signing }, [
      `Agent ${address} signs no more here.`,
      signing === null ? "No agent signs now: orders are refused until one is approved." : `${signing} signs now.`,
      `The exchange knows it until the owner approves another as ${name}: ${rotate} --replaces ${address}`,
    ]);
  },
};
