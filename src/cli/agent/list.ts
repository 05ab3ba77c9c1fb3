import { listAgents } from "../../store/agents.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { columns, isoTime, present } from "../output.ts";

export const agentList: Command = {
  name: "agent list",
  summary: "agent keys: their names, owners and states",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const agents = reading(places(input, outside), ({ store }) =>
      listAgents(store).map((agent) => ({
        address: agent.address,
        name: agent.name,
        owner: agent.ownerAddress,
        state: agent.state,
        valid_until: agent.validUntilMs === null ? null : isoTime(agent.validUntilMs),
      })),
    );
    const rows = agents.map((agent) => [agent.address, agent.name, agent.owner, agent.state, agent.valid_until ?? "-"]);
    present({ input, outside }, { agents }, columns([["AGENT", "NAME", "OWNER", "STATE", "VALID UNTIL"], ...rows]));
  },
};
