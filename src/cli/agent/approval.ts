import type { Agent } from "../../core/account.ts";
import { approvalOf } from "../../ops/approve-agent.ts";
import { listAgents } from "../../store/agents.ts";
import type { Instance } from "../../store/instance.ts";
import type { Store } from "../../store/open.ts";
import { approvalTypedData } from "../../wire/approval.ts";
import { type Command, DATA_DIRECTORY, Failure, type Input, JSON_OUTPUT, type Option } from "../command.ts";
import { networkWords, places, reading } from "../directory.ts";
import { present, walletForm } from "../output.ts";
import type { Outside } from "../outside.ts";

export const AGENT: Option = { value: "0x…", help: "address of the agent; the newest that is not approved by default" };

export const agentApproval: Command = {
  name: "agent approval",
  summary: "print what the owner's wallet signs so that an agent may trade",
  options: { agent: AGENT, "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const { agent, instance } = reading(places(input, outside), (opened) => ({
      agent: chosenAgent(opened.store, input),
      instance: opened.instance,
    }));
    presentApproval({ input, outside }, agent, instance);
  },
};

/** What the owner's wallet signs, and what to do then. */
export function presentApproval(to: { input: Input; outside: Outside }, agent: Agent, instance: Instance): void {
  const nonce = approvalNonce(agent, to.outside.clock.nowMs());
  const typedData = walletForm(approvalTypedData(approvalOf(instance.network, agent, nonce)));
  const facts = { agent: agent.address, name: agent.name, owner: agent.ownerAddress, nonce };
  const nonceWords = nonce === agent.createdAtMs ? "" : ` --nonce ${nonce}`;
  present(to, { ...facts, network: instance.network, typed_data: typedData }, [
    `Sign this with the wallet of ${agent.ownerAddress} (${networkWords(instance)}):`,
    "",
    ...JSON.stringify(typedData, null, 2).split("\n"),
    "",
    "Then send the signature to the exchange:",
    `  postern agent approve --agent ${agent.address}${nonceWords} --signature 0x…`,
  ]);
}

/** The exchange takes nonces of the last two days; half of that leaves the owner a day. */
const MAX_NONCE_AGE_MS = 24 * 60 * 60 * 1_000;

/** The time the agent was made, so that the signature alone is enough to send; a new one when that is long ago. */
export function approvalNonce(agent: Agent, nowMs: number): number {
  return nowMs - agent.createdAtMs < MAX_NONCE_AGE_MS ? agent.createdAtMs : nowMs;
}

export function chosenAgent(store: Store, input: Input): Agent {
  const address = input.value("agent")?.toLowerCase() ?? null;
  const agents = listAgents(store).filter((agent) => agent.state !== "retired");
  const found =
    address === null
      ? agents.findLast((agent) => agent.state === "new")
      : agents.find((agent) => agent.address === address);
  if (found !== undefined) return found;
  throw new Failure(
    address === null ? "no agent waits for an approval: make one with agent new" : `there is no agent ${address}`,
  );
}
