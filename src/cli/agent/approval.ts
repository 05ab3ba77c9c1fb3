import type { Agent } from "../../core/account.ts";
import { approvalOf } from "../../ops/approve-agent.ts";
import { listAgents } from "../../store/agents.ts";
import type { Instance } from "../../store/instance.ts";
import type { Store } from "../../store/open.ts";
import { approvalTypedData } from "../../wire/approval.ts";
import { agentsThere } from "../agents-there.ts";
import { type Command, DATA_DIRECTORY, Failure, type Input, JSON_OUTPUT, Misuse, type Option } from "../command.ts";
import { networkWords, places, reading } from "../directory.ts";
import { present, signable, signableLines } from "../output.ts";
import type { Outside } from "../outside.ts";

export const AGENT: Option = { value: "0x…", help: "address of the agent; the newest that is not approved by default" };

export const DAYS: Option = {
  value: "N",
  help: "days until the approval ends, 1 to 180; the exchange's own 90 by default",
};

export const agentApproval: Command = {
  name: "agent approval",
  summary: "print what the owner's wallet signs so that an agent may trade",
  options: { agent: AGENT, days: DAYS, "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const about = reading(places(input, outside), ({ store, instance }) => ({
      agent: chosenAgent(store, input),
      instance,
      own: listAgents(store).map(({ address }) => address),
    }));
    await presentApproval({ input, outside }, about);
  },
};

type ApprovalAbout = { agent: Agent; instance: Instance; own: readonly string[] };

/** What the owner's wallet signs, what that does to the agents that are there, and what to do then. */
export async function presentApproval(
  to: { input: Input; outside: Outside },
  { agent, instance, own }: ApprovalAbout,
): Promise<void> {
  const nonce = approvalNonce(agent, to.outside.clock.nowMs());
  const validUntilMs = endOf(to.input, nonce);
  const typedData = approvalTypedData(approvalOf(instance.network, agent, nonce, { validUntilMs }));
  const there = await agentsThere({ outside: to.outside, exchangeUrl: instance.exchangeUrl }, agent, own);
  const facts = { ...there.facts, agent: agent.address, name: agent.name, owner: agent.ownerAddress, nonce };
  const untilWords = validUntilMs === null ? "" : ` --valid-until ${validUntilMs}`;
  const nonceWords = nonce === agent.createdAtMs ? "" : ` --nonce ${nonce}`;
  present(to, { ...facts, valid_until_ms: validUntilMs, network: instance.network, ...signable(typedData) }, [
    ...there.lines,
    "",
    `Sign this with the wallet of ${agent.ownerAddress} (${networkWords(instance)}):`,
    "",
    ...signableLines(typedData),
    "",
    "Then send the signature to the exchange; it is asked for, or read from standard input:",
    `  postern agent approve --agent ${agent.address}${nonceWords}${untilWords}`,
  ]);
}

const MAX_DAYS = 180;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Counted from the nonce, so that printing it again prints the same; in whole seconds, which a wallet shows. */
function endOf(input: Input, nonce: number): number | null {
  const text = input.value("days");
  if (text === null) return null;
  const days = Number(text);
  if (!/^[1-9][0-9]{0,2}$/.test(text) || days > MAX_DAYS)
    throw new Misuse(`--days is a whole number from 1 to ${MAX_DAYS}`);
  return Math.floor((nonce + days * DAY_MS) / 1_000) * 1_000;
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
    address === null
      ? "no agent waits for an approval. Make one:\n  postern agent rotate"
      : `there is no agent ${address}`,
  );
}
