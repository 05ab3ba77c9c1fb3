import { listAgents } from "../../store/agents.ts";
import { ACCOUNT, chosenAccount } from "../account-choice.ts";
import { change } from "../change.ts";
import { type Command, Failure } from "../command.ts";
import { places, reading } from "../directory.ts";
import { OPERATING } from "../passphrase-input.ts";
import { DAYS, presentApproval } from "./approval.ts";

export const agentRotate: Command = {
  name: "agent rotate",
  summary:
    "replace the agent key that signs: make the next one and print what the owner signs; the old one serves until then",
  options: {
    account: ACCOUNT,
    replaces: { value: "0x…", help: "an agent whose key leaked: with the approval the exchange forgets it" },
    days: DAYS,
    ...OPERATING,
  },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    const replaces = input.value("replaces")?.toLowerCase() ?? null;
    const { ownerAddress } = reading(at, ({ store }) => chosenAccount(store, input));
    const found = () =>
      reading(at, ({ store, instance }) => ({
        agents: listAgents(store).filter((agent) => agent.ownerAddress === ownerAddress),
        instance,
      }));
    // One that waits already is enough: asking twice must not make two.
    const waiting = replaces === null ? found().agents.findLast(({ state }) => state === "new") : undefined;
    const address =
      waiting?.address ??
      (await change({ input, outside, at }, "new_agent", { ownerAddress, replaces }, { keys: true, exchange: false }))
        .address;
    const { agents, instance } = found();
    const agent = agents.find((known) => known.address === address);
    if (agent === undefined) throw new Failure("the new agent is not in the database");
    const own = agents.map((known) => known.address);
    await presentApproval({ input, outside }, { agent, instance, own });
  },
};
