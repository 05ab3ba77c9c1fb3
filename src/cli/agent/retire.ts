import { rotateFor } from "../../ops/next-commands.ts";
import { findAgent } from "../../store/agents.ts";
import { change } from "../change.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { present } from "../output.ts";

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
