import { findAgent, listAgents, retireAgent } from "../store/agents.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import type { Keyring } from "./keyring.ts";
import { type Operator, OperatorError } from "./operator.ts";

/**
 * Never signs with this agent again. What it has signed is looked up and ends by its expiry. The exchange knows the agent
 * until its owner approves another under the same name.
 */
export function retireOwnAgent(
  operator: Operator & { keyring: Keyring | null },
  address: string,
  actor: "operator" | "owner" = "operator",
): { address: string; name: string; signing: string | null } {
  const { store, keyring, clock } = operator;
  const agent = findAgent(store, address.toLowerCase());
  if (agent === null) throw new OperatorError("this gateway has no agent with this address");
  inTransaction(store, (within) => {
    if (agent.state === "retired") return;
    retireAgent(within, agent.address);
    const detail = { name: agent.name, owner: agent.ownerAddress };
    const event = "agent_retired";
    appendAudit(within, { atMs: clock.nowMs(), actor, event, reference: agent.address, detail });
  });
  keyring?.reload();
  const rest = listAgents(store).filter((known) => known.ownerAddress === agent.ownerAddress);
  const signing = rest.findLast(({ state }) => state === "approved")?.address ?? null;
  return { address: agent.address, name: agent.name, signing };
}
